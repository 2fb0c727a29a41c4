"""A page that watches shows what has come in, keeps its place, and rests while nobody sees it."""

import re
from collections.abc import Iterator
from itertools import count
from typing import TYPE_CHECKING

import pytest

from tests.bench.agent_traffic import exports
from tests.browser.on_page import settled
from tests.serving import Server, serving

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]

START_NS = 1_796_000_000_000_000_000
SPANS_A_TRACE = 12
QUIET_MS = 5_000
"""Longer than two looks at the store."""
_SEEDS = count(1)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("live") / "store.duckdb") as server:
        send_traces(server, 60)
        yield server


@pytest.fixture(scope="module")
def demo_url(server: Server) -> str:
    """What `page` opens: a server that is sent to."""
    return str(server.owner["url"])


def send_traces(server: Server, n: int) -> None:
    """Others at each call: a test that is run again would send what is there."""
    seed = next(_SEEDS)
    for body, _ in exports(n * SPANS_A_TRACE, seed=seed, batch=512, start_ns=START_NS):
        assert server.send(body).status == 200


def n_found(page: "Page") -> int:
    """How many traces the list says there are."""
    text = page.get_by_text(re.compile(r"of [\d,]+ traces")).first.inner_text()
    found = re.search(r"of ([\d,]+) traces", text)
    assert found is not None
    return int(found[1].replace(",", ""))


def wait_for(page: "Page", n: int) -> None:
    page.get_by_text(f"of {n} traces").first.wait_for()


def open_live_traces(page: "Page") -> int:
    page.goto("/traces?live=2&range=all")
    page.get_by_text("Up to date at").wait_for()
    settled(page)
    return n_found(page)


def test_a_list_that_watches_keeps_its_place_and_what_is_being_typed(
    page: "Page", server: Server
) -> None:
    n = open_live_traces(page)
    main = page.locator('[data-testid="stMain"]')
    search = page.locator(".st-key-filter_text input")
    search.click()
    page.keyboard.type("half an i")
    main.evaluate("element => element.scrollTo(0, 240)")
    top = main.evaluate("element => element.scrollTop")
    assert top > 0

    send_traces(server, 5)

    wait_for(page, n + 5)
    settled(page)
    assert search.input_value() == "half an i"
    assert page.evaluate("document.activeElement.value") == "half an i"
    assert main.evaluate("element => element.scrollTop") == top
    page.keyboard.type("d")
    assert search.input_value() == "half an id"


def test_selected_words_stay_selected(page: "Page", server: Server) -> None:
    n = open_live_traces(page)
    page.evaluate(
        "() => getSelection().selectAllChildren(document.querySelector('[data-testid=stHeading] h2'))"
    )

    send_traces(server, 3)

    wait_for(page, n + 3)
    settled(page)
    assert page.evaluate("getSelection().toString()").strip() == "Traces"


def test_a_hidden_tab_rests_and_catches_up_when_it_is_seen_again(
    page: "Page", server: Server
) -> None:
    n = open_live_traces(page)
    hide = "hidden => { Object.defineProperty(document, 'hidden', {value: hidden, configurable: true}); document.dispatchEvent(new Event('visibilitychange')); }"
    page.evaluate(hide, True)
    page.wait_for_timeout(500)
    settled(page)
    shown = page.get_by_text("Up to date at").inner_text()

    send_traces(server, 4)
    page.wait_for_timeout(QUIET_MS)

    assert n_found(page) == n
    assert page.get_by_text("Up to date at").inner_text() == shown
    page.evaluate(hide, False)
    wait_for(page, n + 4)


def test_the_overview_watches_too_and_only_when_asked(page: "Page", server: Server) -> None:
    page.goto("/?range=all")
    counted = page.locator('[class*="st-key-evidence_steps_per_task"]')
    counted.wait_for()
    page.get_by_text("Updating").wait_for(state="detached")
    settled(page)
    found = re.search(r"n = ([\d,]+) finished", counted.inner_text())
    assert found is not None
    n = int(found[1])
    assert page.get_by_text("Up to date at").count() == 0

    send_traces(server, 7)
    page.wait_for_timeout(QUIET_MS)
    assert f"n = {n} finished" in counted.inner_text()

    page.locator(".st-key-live_choice").click()
    page.get_by_role("option", name="Live, every 2 s").click()
    page.wait_for_url(re.compile(r"live=2"))
    page.get_by_text("Up to date at").wait_for()
    counted.get_by_text(f"n = {n + 7} finished").wait_for()
    send_traces(server, 7)
    counted.get_by_text(f"n = {n + 14} finished").wait_for()
    page.get_by_text("Updating").wait_for(state="detached")
    page.get_by_role("link", name="Traces").first.click()
    page.wait_for_url(re.compile(r"/traces\?.*live=2"))
