"""Whether a page watches is in its address; what it says, and what links pass on."""

from typing import TYPE_CHECKING

import pytest

from dashboard import links
from replay_store import Database

if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest

    from tests.dashboard.conftest import OpenPage

PAGES = ("overview", "traces", "intake")


def says_since_when(page: "AppTest") -> bool:
    return any(caption.value.startswith("Up to date at ") for caption in page.caption)


@pytest.mark.parametrize("name", PAGES)
def test_a_page_watches_when_its_address_says_so(
    open_page: "OpenPage", sample_store: Database, name: str
) -> None:
    page = open_page(sample_store, name, live="15")

    assert page.selectbox(key="live_choice").value == 15
    assert says_since_when(page)


@pytest.mark.parametrize("live", ["", "0", "1", "-5", "5.0", "many", "٥"])
def test_anything_else_in_the_address_means_not(
    open_page: "OpenPage", sample_store: Database, live: str
) -> None:
    page = open_page(sample_store, "traces", live=live)

    assert page.selectbox(key="live_choice").value == 0
    assert not says_since_when(page)


def test_the_choice_goes_into_the_address_and_out_of_it(
    open_page: "OpenPage", sample_store: Database
) -> None:
    page = open_page(sample_store, "traces")

    page.selectbox(key="live_choice").set_value(5).run()
    assert page.query_params["live"] in ("5", ["5"])
    assert says_since_when(page)

    page.selectbox(key="live_choice").set_value(0).run()
    assert "live" not in page.query_params
    assert not says_since_when(page)


def test_links_pass_the_choice_on() -> None:
    assert "live" in links._SHARED


@pytest.mark.parametrize("name", PAGES)
def test_an_empty_store_can_be_watched_until_something_comes(
    open_page: "OpenPage", empty_store: Database, name: str
) -> None:
    assert says_since_when(open_page(empty_store, name, live="2"))
