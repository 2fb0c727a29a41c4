"""How long until a trace of 20,000 spans shows its first bars, and a click on one its detail.

Run it by hand: `python tests/bench/waterfall_bench.py [--loads N] [--clicks N]`. A new browser has an
empty profile, a known one has been on the page twice, each time until all was drawn and a click answered.
What counts is taken inside the page (`waterfall_bench.js`): from the start of the navigation to the paint
with the first bar, and from the click to the paint of the span's id and of what it was given. It is no
test: a shared machine has no honest limit. Processor time of the server and of the page's main thread is
printed beside. Before each load a span of another trace arrives, as where traces do all the time: no
answer of before counts.
"""

import argparse
import http.client
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from tests.large_traces import DEEP, N_DEEP, WIDE, lay_large_traces, order_of
from tests.serving import JSON, Server, serving

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, BrowserType, Page

SCRIPT: Final = Path(__file__).with_suffix(".js")
FLAGS: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
)
ROW: Final = ".waterfall .row"
TABLES: Final = ".st-key-trace_tables"
"""What a page draws last."""
WAIT_MS: Final = 60_000
N_VISITS: Final = 2
"""After which a browser keeps scripts compiled."""
_N_LARGEST: Final = 12
_TICK_NS: Final = 1_764_547_200_000_000_000
_DERIVED_SECONDS: Final = 2


@dataclass(frozen=True)
class Load:
    """One load of the page up to its first bar; times in ms, sizes in kB."""

    bars_ms: float
    server_ms: float
    page_ms: float
    socket_kb: float
    files_kb: float
    n_requests: int


def main() -> None:
    """Measure and print one table for loads, one for clicks, and the largest files."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--loads", type=int, default=7)
    parser.add_argument("--clicks", type=int, default=20)
    parser.add_argument(
        "--files", action="store_true", help="list what was asked for before the bars"
    )
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        store = Path(folder) / "store.duckdb"
        lay_large_traces(store)
        with serving(store) as server:
            bench = _Bench(playwright.chromium, server, Path(folder))
            bench.new(WIDE)  # the server's own first time
            _tell_loads("new browser", [bench.new(WIDE) for _ in range(arguments.loads)])
            if arguments.files:
                _tell_files(bench.requests)
            with bench.profile("known") as known:
                for _ in range(N_VISITS):
                    bench.clicks(known, WIDE, 1)
                _tell_loads(
                    "known browser", [bench.load(known, WIDE) for _ in range(arguments.loads)]
                )
                clicks = [bench.clicks(known, WIDE, 3) for _ in range(arguments.clicks // 3)]
                _tell("first click ms", [each[0] for each in clicks])
                _tell("later clicks ms", [ms for each in clicks for ms in each[1:]])
                deep = f"{DEEP}&span={N_DEEP:016x}"
                _tell_loads("5,000 deep", [bench.load(known, deep) for _ in range(3)])
                _tell("click ms, 5,000 deep", bench.clicks(known, deep, 6))


class _Bench:
    """One server, and browsers that come to it."""

    def __init__(self, chromium: "BrowserType", server: Server, folder: Path) -> None:
        self._chromium = chromium
        self._server = server
        self._folder = folder
        self._n_received = 0
        self.requests: list[dict[str, Any]] = []
        """What the last load asked for before its first bar."""

    @contextmanager
    def profile(self, name: str) -> "Iterator[BrowserContext]":
        """A browser with a profile of that name, kept in a folder of its own until it closes."""
        folder = self._folder / name
        context = self._chromium.launch_persistent_context(
            str(folder),
            executable_path=shutil.which("chromium"),
            args=list(FLAGS),
            viewport={"width": 1440, "height": 900},
            locale="en-US",
        )
        context.add_init_script(path=SCRIPT)
        context.set_default_timeout(WAIT_MS)
        try:
            yield context
        finally:
            context.close()
            shutil.rmtree(folder, ignore_errors=True)

    def new(self, query: str) -> Load:
        """The first load of a browser that has never been here."""
        with self.profile("new") as context:
            return self.load(context, query)

    def load(self, context: "BrowserContext", query: str) -> Load:
        """One load in a tab of its own, for which the server asks everything anew."""
        self._receive()
        with self._page(context) as page:
            before = self._server_ms()
            page_ms = self._open(page, query)
            server_ms = self._server_ms() - before
            seen = page.evaluate("benchmark")
            self.requests = seen["requests"]
            files_kb = sum(request["kB"] for request in self.requests)
            n = len(self.requests)
            return Load(seen["bars"], server_ms, page_ms, seen["bytesAtBars"] / 1000, files_kb, n)

    def clicks(self, context: "BrowserContext", query: str, n: int) -> list[float]:
        """Milliseconds of each of `n` clicks on rows of one load, the first one first."""
        with self._page(context) as page:
            self._open(page, query)
            page.locator(TABLES).first.wait_for(state="attached")
            _settle(page)
            return [_click(page, number) for number in range(n)]

    def _receive(self) -> None:
        """Let a span arrive, and wait until it is derived."""
        self._n_received += 1
        span = {
            "traceId": "b" * 32,
            "spanId": f"{self._n_received:016x}",
            "name": "tick",
            "startTimeUnixNano": str(_TICK_NS),
            "endTimeUnixNano": str(_TICK_NS + self._n_received),
        }
        body = json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}).encode()
        answer = self._server.send(body, content_type=JSON)
        if answer.status != http.client.OK:
            raise SystemExit(f"the span was refused: {answer.status} {answer.body!r}")
        time.sleep(_DERIVED_SECONDS)

    @contextmanager
    def _page(self, context: "BrowserContext") -> "Iterator[Page]":
        page = context.new_page()
        try:
            yield page
        finally:
            page.close()

    def _open(self, page: "Page", query: str) -> float:
        """Open a trace and wait for its bars; the main thread's ms until then."""
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        page.goto(f"{self._server.owner['url']}/trace?trace_id={query}", wait_until="commit")
        page.wait_for_function("() => benchmark.bars", polling=50)
        told = session.send("Performance.getMetrics")["metrics"]
        return 1000 * float(next(x["value"] for x in told if x["name"] == "TaskDuration"))

    def _server_ms(self) -> float:
        """Processor time that the server has used."""
        fields = (
            Path(f"/proc/{self._server.process.pid}/stat").read_text().rpartition(")")[2].split()
        )
        return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")


def _settle(page: "Page") -> None:
    page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]').wait_for()
    page.wait_for_load_state("networkidle")


def _click(page: "Page", number: int) -> float:
    rows = page.locator(ROW)
    row = rows.nth((rows.count() // 3 + 2 * number) % rows.count())
    span_id = str(row.get_attribute("data-span"))
    page.evaluate(
        "words => { benchmark.shown = null; benchmark.wanted = words; }",
        [span_id, order_of(span_id)],
    )
    page.locator(f'{ROW}[data-span="{span_id}"]').click()
    page.wait_for_function("() => benchmark.shown", polling=20)
    ms: float = page.evaluate("benchmark.shown - benchmark.clicked")
    _settle(page)
    return ms


def _tell_loads(what: str, loads: Sequence[Load]) -> None:
    sys.stdout.write(f"{what}: {len(loads)} loads up to the first bar\n")
    columns: dict[str, Callable[[Load], float]] = {
        "  first bar ms": lambda load: load.bars_ms,
        "  server ms": lambda load: load.server_ms,
        "  main thread ms": lambda load: load.page_ms,
        "  websocket kB": lambda load: load.socket_kb,
        "  files kB": lambda load: load.files_kb,
        "  requests": lambda load: load.n_requests,
    }
    for name, of in columns.items():
        _tell(name, [of(load) for load in loads])


def _tell(what: str, values: Sequence[float]) -> None:
    low, high = min(values), max(values)
    sys.stdout.write(
        f"{what:24} median {median(values):7.0f}  least {low:7.0f}  most {high:7.0f}  n {len(values)}\n"
    )
    sys.stdout.flush()


def _tell_files(requests: Sequence[dict[str, Any]]) -> None:
    largest = sorted(requests, key=lambda request: -float(request["whole"]))
    for request in largest[:_N_LARGEST]:
        name = str(request["name"]).rpartition("/")[2].partition("?")[0]
        sys.stdout.write(
            f"  {name:44} {request['kB']:7.0f} kB of {request['whole']:7.0f}"
            f"  {request['start']:6.0f} to {request['end']:6.0f} ms\n"
        )


if __name__ == "__main__":
    main()
