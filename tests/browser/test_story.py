"""A first day: from what stands out to its trace, to what the model saw, to the mended dictionary."""

import re
from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import new_context
from tests.browser.on_page import click_row, fill, press, settled

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]

WAIT_MS = 90_000


def unknown_share(page: "Page") -> "tuple[str, str]":
    """The figure of the card and its state in a word."""
    card = page.locator('[class*="st-key-card_"][class*="_unknown_share"]').first
    card.wait_for()
    settled(page)
    page.get_by_text("Updating …").wait_for(state="hidden")
    settled(page)
    return card.get_by_test_id("stMetricValue").inner_text(), card.inner_text()


def see_what_the_model_saw(page: "Page") -> None:
    page.get_by_role("link", name="Show what the model saw").first.click()
    page.get_by_role("heading", name="What the model saw").wait_for()
    click_row(page, "saw_table", r"/saw\?.*span=[0-9a-f]{16}")
    heads = page.locator(".prompt-diff .row.head .title")
    heads.first.wait_for()
    assert heads.all_inner_texts() == ["raw JSON", "concise", "verbose", "debug"]
    for template in range(3):
        page.locator(".prompt-diff").get_by_text(re.compile("未知状态")).nth(template).wait_for()
    page.locator(".prompt-diff").get_by_text(re.compile("refunding")).first.wait_for()


def publish_a_meaning(page: "Page") -> None:
    page.get_by_role("link", name="Dictionaries").click()
    page.get_by_text("Values that no dictionary knows").wait_for()
    click_row(page, "dictionaries_unmapped", "value=refunding")
    page.get_by_label("In Chinese prompts").wait_for()
    fill(page, "In Chinese prompts", "退款中")
    fill(page, "In English prompts", "Refunding")
    page.get_by_role("button", name="Add to the draft").click()
    page.get_by_role("button", name="See the effect").click()
    page.locator(".st-key-dictionaries_impact").get_by_text("UNKNOWN").first.wait_for()
    settled(page)
    fill(page, "Your name", "Ann")
    press(page, "This kind of change is meant")
    fill(page, "Why is the new reading right?", "The shop refunds since 24 November")
    press(page, "The new reading is right")
    page.get_by_text("Every condition is met").wait_for()
    fill(page, "Reason", "The shop refunds since 24 November")
    press(page, "Publish")
    page.get_by_text("Every value in this time range is known").wait_for()


def test_a_new_status_is_found_understood_mapped_and_gone_from_the_overview(
    browser: "Browser", loading_demo_url: str
) -> None:
    context = new_context(browser, loading_demo_url, height=1000)
    page = context.new_page()
    page.set_default_timeout(WAIT_MS)

    page.goto("/")
    page.get_by_text("What stands out").wait_for()
    before, words = unknown_share(page)
    assert before != "0.0%"
    assert "Out of limits" in words

    see_what_the_model_saw(page)
    page.get_by_role("link", name="Open the trace").click()
    page.wait_for_url(re.compile(r"/trace\?.*trace_id=[0-9a-f]{32}"))
    page.get_by_text("execute_tool query_order_status").first.wait_for()
    publish_a_meaning(page)

    page.get_by_role("link", name="Overview").click()
    after, words = unknown_share(page)
    assert after == "0.0%"
    assert "Out of limits" not in words
    context.close()
