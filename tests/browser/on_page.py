"""What a person does on a page that has no element of its own for it: wait, click a table's row."""

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from playwright.sync_api import Page, Position

ROW_HEIGHT: Final = 35
"""In pixels, of a row and of the head above the first one."""
_PATIENCE_MS: Final = 3_000
_N_CLICKS: Final = 10
_BEGIN_MS: Final = 2_000
_RUNS: Final = """() => {
    const app = document.querySelector('[data-testid="stApp"]');
    return app?.dataset.testScriptState !== "notRunning";
}"""
_TAKEN: Final = """pattern => {
    const app = document.querySelector('[data-testid="stApp"]');
    return new RegExp(pattern).test(location.href) || app?.dataset.testScriptState !== "notRunning";
}"""


def settled(page: "Page") -> None:
    """Wait until no script of the page runs."""
    page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]').wait_for()


def press(page: "Page", name: str) -> None:
    """Click a button, and wait until the page has answered."""
    page.get_by_role("button", name=name).click()
    answered(page)


def fill(page: "Page", label: str, text: str) -> None:
    """Write into the first field of that label, leave it, and wait until the page has answered."""
    field = page.get_by_role("textbox", name=label).first
    field.fill(text)
    field.press("Tab")
    answered(page)


def answered(page: "Page") -> None:
    """Wait until a script has run for what was just done; a moment, where nothing had to run.

    Whoever goes on before it has begun can lose what they did: Streamlit ends a run in which a
    button counts as pressed for one in which it does not.
    """
    from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

    with suppress(PlaywrightTimeoutError):
        page.wait_for_function(_RUNS, timeout=_BEGIN_MS)
    settled(page)


def click_row(page: "Page", table: str, leads_to: str, *, number: int = 0) -> None:
    """Click a row, counted from 0, of the table with that key until the address matches `leads_to`.

    A table is a canvas, and a click is lost while it still draws: it is tried again where nothing
    ran after it. A click that was taken is never repeated, however slow its page is: a second one
    would take the selection back.
    """
    from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

    frame = page.locator(f".st-key-{table}").get_by_test_id("stDataFrame")
    place: Position = {"x": 220, "y": ROW_HEIGHT * (number + 1.5)}
    for _ in range(_N_CLICKS):
        frame.locator("canvas").first.wait_for()
        settled(page)
        frame.click(position=place)
        try:
            page.wait_for_function(_TAKEN, arg=leads_to, timeout=_PATIENCE_MS)
        except PlaywrightTimeoutError:
            continue
        page.wait_for_url(re.compile(leads_to), wait_until="commit")
        return
    raise AssertionError(f"no click on row {number} of {table} was taken")
