"""How long from the start of the process to the numbers on screen, and how much memory it idles at.

Run it by hand: `python tests/bench/start_up.py [--db STORE] [--runs N]`. Without a store it loads the
samples into a temporary one first. It is no test: a shared machine has no honest limit.
"""

import argparse
import http.client
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT: Final = Path(__file__).parents[2]
COMMAND: Final = (sys.executable, "-P", "-c", "from dashboard.cli import main; main()")
ENVIRONMENT: Final = {
    name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
} | {"PYTHONPATH": str(ROOT)}
"""Python compiles a module once, as for whoever starts the service a second time."""
NUMBER: Final = '[data-testid="stMetricValue"]'
WAIT_MS: Final = 60_000


def main() -> None:
    """Measure and print one line a run and the medians."""
    from playwright.sync_api import sync_playwright

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--db", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    chromium = shutil.which("chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        store = arguments.db or _sample_store(Path(folder))
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        runs = [_run(store, browser) for _ in range(arguments.runs)]
        browser.close()
    _report(runs)


def _sample_store(folder: Path) -> Path:
    import sample_traces

    store = folder / "samples.duckdb"
    paths = [str(path) for path in sample_traces.paths()]
    subprocess.run(
        [*COMMAND, "ingest", "--db", str(store), *paths],
        check=True,
        env=ENVIRONMENT,
        stdout=subprocess.DEVNULL,
    )
    return store


def _run(store: Path, browser: "Browser") -> tuple[float, float, float]:
    """Seconds to the first answer, seconds to the first number, MB of memory afterwards."""
    port = _free_port()
    started = time.monotonic()
    process = subprocess.Popen(
        [
            *COMMAND,
            "serve",
            "--db",
            str(store),
            "--port",
            str(port),
            "--otlp-port",
            "0",
            "--grpc-port",
            "0",
        ],
        env=ENVIRONMENT,
        stdout=subprocess.DEVNULL,
    )
    try:
        _wait_until_up(port)
        answered = time.monotonic() - started
        context = browser.new_context()
        page = context.new_page()
        page.goto(f"http://127.0.0.1:{port}/")
        page.locator(NUMBER).first.wait_for(timeout=WAIT_MS)
        seen = time.monotonic() - started
        context.close()
        return answered, seen, _resident_mb(process.pid)
    finally:
        process.terminate()
        process.wait()


def _free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_until_up(port: int) -> None:
    while True:
        try:
            with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=5)) as connection:
                connection.request("GET", "/healthz")
                if connection.getresponse().status == http.client.OK:
                    return
        except OSError:
            time.sleep(0.02)


def _resident_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    return int(found[1]) / 1024 if found else float("nan")


def _report(runs: list[tuple[float, float, float]]) -> None:
    out = sys.stdout.write
    out("first answer s  first number s  memory MB\n")
    for answered, seen, memory in [
        *runs,
        tuple(median(column) for column in zip(*runs, strict=True)),
    ]:
        out(f"{answered:14.2f}  {seen:14.2f}  {memory:9.0f}\n")
    out("(the last line is the median of each column)\n")


if __name__ == "__main__":
    main()
