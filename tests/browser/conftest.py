"""A real server and a real Chromium; a page error or a foreign request fails the test."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

import pytest

from tests.serving import serving, variables

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

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
_STILL: Final = """{
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`*, *::before, *::after {
        animation-duration: 1ms !important;
        animation-iteration-count: 1 !important;
        transition-duration: 1ms !important;
    }`);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
}"""


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
def _demo(folder: Path, **environment: str) -> Iterator[str]:
    process = subprocess.Popen(
        [
            *(sys.executable, "-P", "-c", "from dashboard.cli import main; main()"),
            *("demo", "--no-browser", "--port", "0", "--db", str(folder / "demo.duckdb")),
        ],
        cwd=folder,
        env=variables(is_measured=False)
        | {
            "TOOLSIGHT_OTLP_PORT": "0",
            "TOOLSIGHT_GRPC_PORT": "0",
            "PYTHONPATH": str(ROOT),
            "PYTHONUNBUFFERED": "1",
        }
        | environment,
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
def demo_url(
    sample_copy: Callable[[Path], Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """Where a server answers over all samples."""
    with serving(sample_copy(tmp_path_factory.mktemp("demo") / "demo.duckdb")) as server:
        yield str(server.owner["url"])


@pytest.fixture
def loading_demo_url(tmp_path: Path) -> Iterator[str]:
    """Where a demo of a team of one answers that has only just begun to load its samples."""
    with _demo(tmp_path, TOOLSIGHT_TEAM_OF_ONE="true") as url:
        yield url


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


def new_context(
    browser: "Browser", url: str, *, width: int = 1440, height: int = 900
) -> "BrowserContext":
    """A person's browser, on whose pages nothing moves.

    Without a graphics card, drawing what turns and fades while a page waits costs more than all else.
    """
    context = browser.new_context(
        base_url=url,
        viewport={"width": width, "height": height},
        locale="en-US",
        reduced_motion="reduce",
    )
    context.add_init_script(_STILL)
    context.set_default_timeout(TIMEOUT_MS)
    return context


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

    context = new_context(browser, demo_url)
    context.on("request", lambda request: watch(request.url))
    page = context.new_page()
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
