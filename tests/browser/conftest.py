"""A real demo server and a real Chromium; a page error or a foreign request fails the test."""

import http.client
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ROOT = Path(__file__).parents[2]
FLAGS: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
TIMEOUT_MS: Final = 60_000
"""Generous: two cores may be shared by server, browser and test."""
_READY_PREFIX: Final = "Toolsight demo on "


def _missing(what: str) -> None:
    if os.environ.get("CI") == "true":
        pytest.fail(f"{what} is missing, and CI must run the browser tests")
    pytest.skip(f"{what} is missing")


def _chromium() -> str:
    for candidate in ("chromium", "chromium-browser", "google-chrome"):
        if path := shutil.which(candidate):
            return path
    _missing("a chromium on the PATH")
    return ""


@contextmanager
def _demo(folder: Path) -> Iterator[str]:
    process = subprocess.Popen(
        [
            *(sys.executable, "-P", "-c", "from dashboard.cli import main; main()"),
            *("demo", "--no-browser", "--port", "0", "--db", str(folder / "demo.duckdb")),
        ],
        cwd=folder,
        env={
            **os.environ,
            "TOOLSIGHT_OTLP_PORT": "0",
            "TOOLSIGHT_GRPC_PORT": "0",
            "PYTHONPATH": str(ROOT),
            "PYTHONUNBUFFERED": "1",
        },
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.startswith(_READY_PREFIX), f"the demo did not start: {line!r}"
        yield line.removeprefix(_READY_PREFIX).split()[0]
    finally:
        process.terminate()
        process.communicate(timeout=TIMEOUT_MS / 1000)


@pytest.fixture(scope="session")
def demo_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where a demo answers that has loaded all its samples."""
    with _demo(tmp_path_factory.mktemp("demo")) as url:
        _wait_until_loaded(url)
        yield url


@pytest.fixture
def loading_demo_url(tmp_path: Path) -> Iterator[str]:
    """Where a demo answers that has only just begun to load its samples."""
    with _demo(tmp_path) as url:
        yield url


def _wait_until_loaded(url: str) -> None:
    deadline = time.monotonic() + TIMEOUT_MS / 1000
    while _loading(url) is not None:
        assert time.monotonic() < deadline, "the demo does not finish loading"
        time.sleep(0.2)


def _loading(url: str) -> float | None:
    address = urlsplit(url)
    with closing(http.client.HTTPConnection(address.netloc, timeout=10)) as connection:
        connection.request("GET", "/healthz")
        fraction: float | None = json.loads(connection.getresponse().read())["loading"]
        return fraction


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    """One headless Chromium a module: its event loop must not outlive it into other tests."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _missing("playwright")
        raise
    path = _chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def foreign_requests() -> list[str]:
    """Every address asked for that is not on this machine, in order."""
    return []


@pytest.fixture
def page(browser: "Browser", demo_url: str, foreign_requests: list[str]) -> "Iterator[Page]":
    """A fresh page at 1440 x 900 whose relative addresses lie under `demo_url`.

    A script error on the page fails the test at its end, and so does a request to another host.
    """
    errors: list[str] = []

    def watch(url: str) -> None:
        address = urlsplit(url)
        if address.scheme in {"http", "https", "ws", "wss"} and address.hostname != "127.0.0.1":
            foreign_requests.append(url)

    context = browser.new_context(
        base_url=demo_url, viewport={"width": 1440, "height": 900}, locale="en-US"
    )
    context.on("request", lambda request: watch(request.url))
    page = context.new_page()
    page.set_default_timeout(TIMEOUT_MS)
    page.on("websocket", lambda websocket: watch(websocket.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: _note_violation(message.text, errors))
    yield page
    context.close()
    assert errors == []
    assert foreign_requests == []


def _note_violation(text: str, errors: list[str]) -> None:
    if "Content Security Policy" in text:
        errors.append(text)
