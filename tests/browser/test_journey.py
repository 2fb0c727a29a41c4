"""From a card on the Overview through to one span: as a person on call would click."""

import re
from typing import TYPE_CHECKING

import pytest

from tests.browser.on_page import click_row, settled

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def open_traces(page: "Page", query: str = "") -> None:
    page.goto(f"/traces{query}")
    page.locator(".st-key-traces_table canvas").first.wait_for()
    settled(page)


def open_first_trace(page: "Page") -> None:
    click_row(page, "traces_table", r"/trace\?.*trace_id=[0-9a-f]{32}")
    page.locator(".waterfall .row").first.wait_for()
    settled(page)


def test_a_card_leads_to_its_traces_and_a_bar_to_its_span(page: "Page") -> None:
    page.goto("/")
    card = page.locator('[class*="st-key-card_"][class*="_retry_rate"]')
    card.get_by_text("Retried").click()
    page.wait_for_url(re.compile(r"/traces\?.*metric=retry_rate.*part=numerator"))
    page.locator(".st-key-figure_chip").get_by_text("Retry rate").wait_for()
    open_first_trace(page)

    row = page.locator(".waterfall .row", has_text="execute_tool").first
    span_id = row.get_attribute("data-span")
    row.click()
    page.wait_for_url(re.compile(f"span={span_id}"))
    panel = page.locator(".st-key-span_panel")
    panel.get_by_text(str(span_id)).first.wait_for()
    panel.get_by_text("Arguments").first.wait_for()


def test_keys_move_through_the_waterfall_and_back_returns_to_the_span_before(
    page: "Page",
) -> None:
    open_traces(page, "?error=any")
    open_first_trace(page)
    waterfall = page.locator(".waterfall")
    waterfall.focus()
    page.keyboard.press("Home")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    second = page.locator(".waterfall .row").nth(1).get_attribute("data-span")
    page.wait_for_url(re.compile(f"span={second}"))

    page.keyboard.press("e")
    page.keyboard.press("Enter")
    error = page.locator('.waterfall .row.error[aria-selected="true"]')
    error.wait_for()
    page.wait_for_url(re.compile(f"span={error.get_attribute('data-span')}"))
    page.locator(".st-key-span_panel").get_by_text(
        str(error.get_attribute("data-span"))
    ).first.wait_for()

    page.go_back()
    page.wait_for_url(re.compile(f"span={second}"))
    page.locator(f'.waterfall .row[data-span="{second}"][aria-selected="true"]').wait_for()
    page.locator(".st-key-span_panel").get_by_text(str(second)).first.wait_for()


def test_search_folds_the_waterfall_to_what_matches(page: "Page") -> None:
    open_traces(page, "?tool=query_order_status")
    open_first_trace(page)
    rows = page.locator(".waterfall .row")
    n_all = rows.count()
    page.locator(".waterfall .search").fill("execute_tool")
    page.locator(".waterfall .count", has_text="found").wait_for()
    assert 0 < rows.count() < n_all


def test_a_pasted_id_opens_its_trace_and_a_link_to_a_span_survives_reload(page: "Page") -> None:
    open_traces(page, "?tool=query_order_status")
    open_first_trace(page)
    trace_id = re.search("[0-9a-f]{32}", page.url)
    assert trace_id is not None
    open_traces(page)
    search = page.get_by_role("textbox", name="Find a trace")
    search.fill(f" 0x{trace_id[0].upper()} ")
    search.press("Enter")
    page.wait_for_url(re.compile(trace_id[0]))
    page.locator(".waterfall .row").nth(2).click()
    page.wait_for_url(re.compile("span=[0-9a-f]{16}"))
    span_id = page.url.rsplit("span=", 1)[1][:16]
    page.reload()
    page.locator(f'.waterfall .row[data-span="{span_id}"][aria-selected="true"]').wait_for()
    page.locator(".st-key-span_panel").get_by_text(span_id).first.wait_for()


def test_back_returns_from_a_trace_to_the_filtered_list(page: "Page") -> None:
    open_traces(page, "?tool=query_order_status")
    open_first_trace(page)
    page.go_back()
    page.wait_for_url(re.compile(r"/traces\?tool=query_order_status"))
    page.locator(".st-key-filter_clear").wait_for()
    page.locator(".st-key-traces_table").wait_for()


def test_an_entry_of_the_history_is_a_navigation_however_late_its_path_comes(page: "Page") -> None:
    """Streamlit pushes the query first, and the path when the server has answered."""
    open_traces(page, "?tool=query_order_status")
    n = page.evaluate("history.length")

    page.evaluate("history.pushState(null, '', '/traces?trace_id=7')")
    click_nothing(page, "canvas")
    page.evaluate("history.pushState(null, '', '/trace?trace_id=7')")
    assert page.evaluate("history.length") == n + 1

    click_nothing(page, "button")
    page.evaluate("history.pushState(null, '', '/tools?trace_id=7')")
    assert page.evaluate("history.length") == n + 2


def click_nothing(page: "Page", tag: str) -> None:
    """A click on an element that does nothing."""
    page.evaluate(
        """tag => {
            const node = document.createElement(tag);
            document.body.append(node);
            node.click();
            node.remove();
        }""",
        tag,
    )


def test_the_list_asked_for_one_trace_leads_to_it_and_back_leads_out(page: "Page") -> None:
    open_traces(page, "?tool=query_order_status")
    open_first_trace(page)
    trace = page.url
    page.go_back()
    page.wait_for_url(re.compile(r"/traces\?tool=query_order_status"))
    settled(page)
    page.evaluate("url => history.pushState(null, '', url)", trace.replace("/trace?", "/traces?"))
    page.evaluate("window.dispatchEvent(new PopStateEvent('popstate'))")
    page.wait_for_url(trace)
    page.locator(".waterfall .row").first.wait_for()

    page.go_back()
    page.wait_for_url(re.compile(r"/traces\?tool=query_order_status"))


def test_a_point_of_a_chart_opens_the_traces_of_its_bucket(page: "Page") -> None:
    page.goto("/")
    chart = page.locator(".st-key-chart_steps_per_task")
    chart.scroll_into_view_if_needed()
    point = chart.locator(".point").nth(3)
    point.wait_for()
    settled(page)
    box = point.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_url(re.compile(r"/traces\?.*metric=steps_per_task.*from=.*to="))
    page.locator(".st-key-figure_chip").wait_for()


def test_the_language_switch_speaks_chinese_and_stays_in_the_address(page: "Page") -> None:
    page.goto("/")
    page.get_by_text("中文").click()
    page.wait_for_url(re.compile("lang=zh"))
    page.get_by_role("heading", name="总览").wait_for()
    page.locator('[data-testid="stSidebar"]').get_by_text("链路", exact=True).click()
    page.wait_for_url(re.compile("/traces.*lang=zh"))
    page.get_by_role("heading", name="链路").wait_for()


def test_a_row_of_the_tool_table_opens_the_traces_that_call_the_tool(page: "Page") -> None:
    page.goto("/")
    click_row(page, "tool_table", r"/traces\?.*tool=query_order")
    page.get_by_role("heading", name="Traces").wait_for()


def test_a_bar_and_the_panel_name_the_same_duration(page: "Page") -> None:
    open_traces(page, "?error=any")
    open_first_trace(page)
    panel = page.locator(".st-key-span_panel")
    rows = page.locator(".waterfall .row")
    for k in range(1, 5):
        rows.nth(k).click()
        page.wait_for_url(re.compile(f"span={rows.nth(k).get_attribute('data-span')}"))
        text = rows.nth(k).locator(".note").inner_text()
        panel.locator(".st-key-facts_span_facts").get_by_text(text, exact=True).wait_for()
