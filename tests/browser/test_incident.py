"""From a line of a log to the first fault, its evidence and its bundle; and traces of any size."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from replay_store import Database, TraceFilter, reader
from tests.browser.on_page import settled
from tests.large_traces import DEEP, N_DEEP, WIDE, lay_large_traces
from tests.serving import Server, serving

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]

WATCH = Path(__file__).parents[1] / "bench" / "waterfall_bench.js"
"""Tells what a page had asked for when its first bars were painted."""
MAX_BYTES = 400_000
"""What a trace of 20,000 spans may send to a browser; 1.2 MB were promised."""


@pytest.fixture(scope="module")
def samples(
    sample_copy: "Callable[[Path], Path]", tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The samples, and two large traces beside them."""
    path = sample_copy(tmp_path_factory.mktemp("incident") / "store.duckdb")
    lay_large_traces(path)
    return path


@pytest.fixture(scope="module")
def failed(samples: Path) -> str:
    """A trace that went round in circles."""
    with Database.open(samples) as database:
        return next(
            trace.trace_id
            for trace in reader.find_traces(database, TraceFilter(status="error"), limit=1000)
            if trace.n_tool_errors and trace.n_noise
        )


@pytest.fixture(scope="module")
def server(samples: Path, failed: str) -> Iterator[Server]:
    assert failed
    with serving(samples) as server:
        yield server


@pytest.fixture(scope="module")
def demo_url(server: Server) -> str:
    """What `page` opens."""
    return str(server.owner["url"])


def open_trace(page: "Page", query: str) -> None:
    page.goto(f"/trace?{query}")
    page.locator(".waterfall .row").first.wait_for()
    settled(page)


def test_a_log_line_in_the_box_of_any_page_leads_to_the_first_fault_and_back(
    page: "Page", failed: str
) -> None:
    page.goto("/tools")
    settled(page)
    box = page.get_by_role("textbox", name="Find a trace")
    box.fill(f'2026-11-27 ERROR [shop] trace_id="{failed.upper()}" gave up')
    box.press("Enter")
    page.wait_for_url(re.compile(f"/trace.*trace_id={failed}"))
    page.locator('[class*="st-key-diagnosis_bad"]').get_by_text("First fault").wait_for()
    page.locator(".st-key-hint_open_0 button").click()
    page.wait_for_url(re.compile("span=[0-9a-f]{16}"))
    page.go_back()
    page.wait_for_url(lambda url: "span=" not in url)


def test_a_page_names_every_script_that_its_bars_need_and_connects_without_asking_elsewhere(
    page: "Page", failed: str
) -> None:
    """What draws an error or a time late would load before the bars, a round trip later."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.add_init_script(path=WATCH)
    open_trace(page, f"trace_id={failed}")
    page.wait_for_function("() => benchmark.bars")
    before: list[str] = page.evaluate("benchmark.requests.map(request => request.name)")
    named = page.request.get(f"/trace?trace_id={failed}").text()

    scripts = {url.rpartition("/")[2] for url in before if url.endswith(".js")}
    assert len(scripts) > 10
    assert {name for name in scripts if name not in named} == set()
    assert [url for url in asked if "/trace/" in url] == []


def test_tables_follow_the_bars_by_themselves_and_move_nothing(page: "Page", failed: str) -> None:
    page.goto(f"/trace?trace_id={failed}")
    page.locator(".waterfall .row").first.wait_for()
    above = page.locator(".waterfall").bounding_box()
    for table in ("story", "trace_tables"):
        page.locator(f".st-key-{table} canvas").first.wait_for(state="attached")
    settled(page)

    assert page.locator(".waterfall").bounding_box() == above


def test_an_open_tab_stays_open_from_span_to_span_and_a_text_is_copied(
    page: "Page", failed: str
) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    open_trace(page, f"trace_id={failed}")
    panel = page.locator(".st-key-span_panel")
    panel.get_by_role("tab", name="Raw").click()
    span_id = None
    for row in (2, 3):
        span_id = page.locator(".waterfall .row").nth(row).get_attribute("data-span")
        page.locator(f'.waterfall .row[data-span="{span_id}"]').click()
        panel.locator("pre").filter(has_text=f'"span_id": "{span_id}"').wait_for()

    panel.locator("pre").hover()
    panel.get_by_role("button", name="Copy").click()
    panel.get_by_role("button", name="Copied").wait_for()
    assert f'"span_id": "{span_id}"' in page.evaluate("navigator.clipboard.readText()")


def test_the_bundle_is_one_file_that_opens_without_a_network(
    page: "Page", failed: str, tmp_path: Path
) -> None:
    open_trace(page, f"trace_id={failed}")
    page.locator(".st-key-take_bundle button").first.click()
    with page.expect_download() as download:
        page.locator(".st-key-take_html button").click()
    path = tmp_path / "bundle.html"
    download.value.save_as(path)

    assert download.value.suggested_filename == f"trace-{failed[:12]}.html"
    page.context.set_offline(True)
    page.goto(path.as_uri())
    page.get_by_role("heading", name="First fault").wait_for()
    page.locator("details").first.click()
    page.context.set_offline(False)


def test_a_count_narrows_the_list_to_it_and_widens_it_again(page: "Page") -> None:
    page.goto("/traces?range=all&error=any")
    chip = page.locator('.chips [data-name="layer"] button').first
    chip.wait_for()
    n = chip.locator(".n").inner_text()
    chip.click()
    page.wait_for_url(re.compile("layer=[a-z]+"))
    page.get_by_text(re.compile(f"of {n} traces")).wait_for()
    page.locator('.chips button[aria-pressed="true"]').click()
    page.wait_for_url(lambda url: "layer=" not in url)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_story_is_told_in_chinese_light_and_dark(
    page: "Page", failed: str, scheme: Any
) -> None:
    page.emulate_media(color_scheme=scheme)
    open_trace(page, f"trace_id={failed}&lang=zh")

    page.get_by_text("首个故障").wait_for()
    page.get_by_text("相似链路").wait_for()


def test_twenty_thousand_spans_send_little_and_a_click_opens_one(page: "Page") -> None:
    n_bytes = [0]

    def count(frame: bytes | str) -> None:
        n_bytes[0] += len(frame)

    page.on("websocket", lambda socket: socket.on("framereceived", count))
    open_trace(page, f"trace_id={WIDE}")
    page.get_by_text(re.compile(r"/ 20000 ")).wait_for()

    assert 50_000 < n_bytes[0] < MAX_BYTES
    _click_a_row(page)
    page.locator(".waterfall").focus()
    page.keyboard.press("e")
    page.locator('.waterfall .row.error[aria-selected="true"]').wait_for()


def test_five_thousand_levels_are_drawn_and_opened(page: "Page") -> None:
    open_trace(page, f"trace_id={DEEP}&span={N_DEEP:016x}")

    page.locator(f'.waterfall .row[data-span="{N_DEEP:016x}"][aria-selected="true"]').wait_for()
    _click_a_row(page)


def _click_a_row(page: "Page") -> None:
    rows = page.locator(".waterfall .row")
    span_id = rows.nth(rows.count() // 2).get_attribute("data-span")
    page.locator(f'.waterfall .row[data-span="{span_id}"]').click()
    page.locator(".st-key-span_panel").get_by_text(str(span_id), exact=True).first.wait_for()
