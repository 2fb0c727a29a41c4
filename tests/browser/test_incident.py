"""From a line of a log to the first fault, its evidence and its bundle; and traces of any size."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest

from ingest.mapping import map_batch
from replay_store import Batch, Database, TraceFilter, Writer, derive, reader
from replay_store.records import Span
from tests.browser.on_page import settled
from tests.serving import Server, serving

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]

T0 = 1_764_547_200_000_000_000
WIDE, DEEP = "a" * 32, "d" * 32
N_WIDE, N_DEEP = 20_000, 5_000
_FILE = UUID(int=1)
MAX_BYTES = 1_200_000
"""What a trace of 20,000 spans may send to a browser."""


@pytest.fixture(scope="module")
def samples(
    sample_copy: "Callable[[Path], Path]", tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """The samples, and two large traces beside them."""
    path = sample_copy(tmp_path_factory.mktemp("incident") / "store.duckdb")
    with Database.open(path) as database:
        for spans in (list(_wide()), list(_deep())):
            batch = Batch(spans=spans)
            map_batch(batch)
            Writer(database).write(batch)
        derive(database)
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

    assert 300_000 < n_bytes[0] < MAX_BYTES
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


def _wide() -> Iterator[Span]:
    """One run of 2,000 turns, each a model call and nine tools; every 997th span failed."""
    yield _span(WIDE, 1, None, 0, N_WIDE * 10**6, "invoke_agent", "invoke_agent")
    for number in range(2, N_WIDE + 1):
        start = number * 10**6
        name = "chat" if number % 10 == 2 else "execute_tool"
        yield _span(WIDE, number, 1, start, start + 10**6, name, f"{name} {number % 10}")


def _deep() -> Iterator[Span]:
    """Five thousand spans, each within the one before."""
    for number in range(1, N_DEEP + 1):
        parent = number - 1 or None
        yield _span(DEEP, number, parent, number, 2 * N_DEEP - number, "step", f"步骤 {number}")


def _span(
    trace_id: str, number: int, parent: int | None, start: int, end: int, operation: str, name: str
) -> Span:
    attributes = {"gen_ai.operation.name": operation, "gen_ai.tool.name": name}
    return Span(
        trace_id=trace_id,
        span_id=f"{number:016x}",
        parent_span_id=None if parent is None else f"{parent:016x}",
        record_hash=int(trace_id[0], 16) * 10**9 + number,
        name=name,
        otel_kind=1,
        start_time_ns=T0 + start,
        end_time_ns=T0 + end,
        duration_ns=end - start,
        hour=T0 // 3_600_000_000_000,
        lat_bucket=0,
        status_code=2 if number % 997 == 0 else 0,
        status_message=None,
        service_name="shop",
        scope_name=None,
        scope_version=None,
        resource={},
        attributes=attributes,
        events=[],
        links=[],
        trace_state=None,
        flags=None,
        n_dropped=0,
        file_id=_FILE,
        record_index=number,
        received_time_ns=T0 + number,
    )
