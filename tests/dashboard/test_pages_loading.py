"""While samples are being loaded every page that shows traces says how far that is, never that there are none."""

from typing import TYPE_CHECKING

import pytest

from dashboard import runtime
from replay_store import Database

if TYPE_CHECKING:
    from tests.dashboard.conftest import OpenPage

PAGES = ("overview", "alerts", "traces", "tools", "saw", "compare", "audit", "replay")
ABSENT = "No such trace in this store"
SAID = "shop.otlp.jsonl.gz: truncated: load it again"


@pytest.mark.parametrize("name", PAGES)
def test_a_first_load_shows_its_progress_before_anything_else(
    open_page: "OpenPage", empty_store: Database, name: str
) -> None:
    loading = runtime.Loading()
    loading.report(0.25, "shop.otlp.jsonl.gz")

    page = open_page(empty_store, name, loading)

    assert len(page.metric) == 0
    assert "25%" in page.get("progress")[0].proto.text
    assert "shop.otlp.jsonl.gz" in [text.value for text in page.text]
    assert not [code.value for code in page.code]


def test_a_trace_that_is_not_there_yet_is_waited_for(
    open_page: "OpenPage", empty_store: Database
) -> None:
    loading = runtime.Loading()
    page = open_page(empty_store, "trace", loading, trace_id="0af7651916cd43dd8448eb211c80319c")
    assert page.get("progress")
    assert ABSENT not in [header.value for header in page.header]

    loading.finish()
    page = open_page(empty_store, "trace", loading, trace_id="0af7651916cd43dd8448eb211c80319c")
    assert not page.get("progress")
    assert ABSENT in [header.value for header in page.header]


@pytest.mark.parametrize("name", PAGES)
def test_a_load_that_failed_says_why_once(
    open_page: "OpenPage", sample_store: Database, name: str
) -> None:
    loading = runtime.Loading()
    loading.fail(SAID)

    page = open_page(sample_store, name, loading)

    assert [code.value for code in page.code].count(SAID) == 1
    assert not page.get("progress")
