"""A new status value: found, mapped, tried on traffic, published, taken back, all in the browser."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from replay_store import Database
from tests.observed import emit, order_status

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ROOT = Path(__file__).parents[2]
TIMEOUT_MS = 60_000
ROW_HEIGHT = 32
READY = re.compile(r"http://127\.0\.0\.1:\d+")


@pytest.fixture(scope="module")
def shop_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server over a store in which twenty orders of sixty are `refunding`."""
    folder = tmp_path_factory.mktemp("shop")
    with Database.open(folder / "shop.duckdb") as database:
        emit(
            database,
            folder,
            [
                [order_status("shipped" if n % 3 else "refunding", order_id="12345")]
                for n in range(60)
            ],
        )
    process = subprocess.Popen(
        [
            *(sys.executable, "-P", "-c", "from dashboard.cli import main; main()"),
            *("serve", "--port", "0", "--db", str(folder / "shop.duckdb")),
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
        found = READY.search(line)
        assert found is not None, f"the server did not start: {line!r}"
        yield found[0]
    finally:
        process.terminate()
        process.communicate(timeout=TIMEOUT_MS / 1000)


@pytest.fixture
def shop_page(browser: "Browser", shop_url: str) -> "Iterator[Page]":
    """A fresh page of that server; a script error fails the test at its end."""
    errors: list[str] = []
    context = browser.new_context(
        base_url=shop_url, viewport={"width": 1440, "height": 900}, locale="en-US"
    )
    page = context.new_page()
    page.set_default_timeout(TIMEOUT_MS)
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    context.close()
    assert errors == []


def settled(page: "Page") -> None:
    page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]').wait_for()


def open_form(page: "Page") -> None:
    """Click the first unmapped value until its form is open: a canvas may still be drawing."""
    from playwright.sync_api import TimeoutError as PlaywrightTimeoutError

    page.goto("/dictionaries?range=all")
    table = page.locator(".st-key-dictionaries_unmapped canvas").first
    table.wait_for()
    for _ in range(10):
        settled(page)
        box = table.bounding_box()
        assert box is not None
        page.mouse.click(box["x"] + 60, box["y"] + ROW_HEIGHT * 1.6)
        try:
            page.wait_for_url(re.compile("value=refunding"), timeout=3_000, wait_until="commit")
            break
        except PlaywrightTimeoutError:
            continue
    page.get_by_label("In Chinese prompts").wait_for()
    settled(page)


def fill(page: "Page", label: str, text: str) -> None:
    area = page.get_by_label(label).first
    area.fill(text)
    area.press("Tab")
    settled(page)


def test_a_new_value_is_mapped_tried_published_and_taken_back(shop_page: "Page") -> None:
    page = shop_page
    open_form(page)
    fill(page, "In Chinese prompts", "退款中")
    fill(page, "In English prompts", "Refunding")
    page.get_by_role("button", name="Add to the draft").click()
    page.get_by_text("+      refunding: {zh: 退款中, en: Refunding}").wait_for()

    page.get_by_role("button", name="See the effect").click()
    effect = page.locator(".st-key-dictionaries_impact")
    effect.get_by_text("This changes 20 facts in 20 traces").wait_for()
    effect.get_by_text("removes 20 UNKNOWN and makes 0 CONFLICT").wait_for()
    effect.get_by_text("【订单状态】退款中").wait_for()
    assert effect.get_by_role("link", name="Observation 1").get_attribute("href")

    settled(page)
    page.get_by_label("Your name").first.fill("Ann")
    page.get_by_label("Reason").first.fill("Refunds started")
    page.get_by_role("button", name="Publish").click()
    page.get_by_text("60 recorded observations were read again").wait_for()
    page.get_by_text("Every value in this time range is known").wait_for()

    page.get_by_role("button", name="Undo").click()
    page.get_by_text("is in force again").wait_for()
    page.locator(".st-key-dictionaries_unmapped canvas").first.wait_for()


def test_the_sample_of_a_change_leads_to_what_the_model_saw(shop_page: "Page") -> None:
    page = shop_page
    open_form(page)
    fill(page, "In Chinese prompts", "退款中")
    fill(page, "In English prompts", "Refunding")
    page.get_by_role("button", name="Add to the draft").click()
    page.get_by_role("button", name="See the effect").click()
    page.locator(".st-key-dictionaries_impact").get_by_text("Observation 1").click()

    page.wait_for_url(re.compile(r"/saw\?.*trace_id=[0-9a-f]{32}"))
    page.get_by_role("heading", name="What the model saw").wait_for()
