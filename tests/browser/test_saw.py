"""From the list of observations into one: templates side by side, clean and noisy, in a browser."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from pipeline.observation import ToolOutput
from replay_store import Database
from tests.browser.conftest import new_context
from tests.browser.on_page import click_row
from tests.observed import Recorder, answer, order, points
from tests.serving import serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def demo_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where a server answers over a store of three observations."""
    folder = tmp_path_factory.mktemp("saw")
    path = folder / "saw.duckdb"
    with Database.open(path) as database:
        recorder = Recorder()
        recorder.observe([answer(HOSTILE, {HOSTILE: HOSTILE}), hostile_order()])
        recorder.observe([order(status="refunding")])
        recorder.observe(
            [order(), order(5, "order_status_api", status="delivered"), points()],
            cni_enabled=True,
            cni_intensity=1.0,
        )
        recorder.store(database, folder)
    with serving(path) as server:
        yield str(server.owner["url"])


def hostile_order() -> ToolOutput:
    events = [{"time": "2024-06-11T14:05:44Z", "event": HOSTILE}]
    return order(order_id=HOSTILE, logistics_info=events)


def open_row(page: "Page", number: int) -> None:
    """Click a row of the list until its observation opens; a table is a canvas."""
    click_row(page, "saw_table", "/saw.*span=", number=number)
    page.locator(".prompt-diff .row.head").wait_for()


def test_the_newest_observation_opens_side_by_side_and_shows_what_noise_changed(
    page: "Page",
) -> None:
    page.goto("/saw?range=all")
    page.get_by_role("heading", name="What the model saw").wait_for()
    open_row(page, 0)

    heads = page.locator(".prompt-diff .row.head .title")
    assert heads.all_inner_texts() == ["raw JSON", "concise", "verbose", "debug"]
    conflict = page.locator(".prompt-diff .row.conflict")
    assert conflict.count() == 1
    conflict.locator(".cell.text", has_text="信息冲突").first.wait_for()
    assert page.locator(".prompt-diff .origin.recorded").all_inner_texts() == [
        "as recorded, rules 0"
    ]
    assert page.locator(".prompt-diff .origin.rendered").count() == 2

    page.locator(".st-key-saw_choices").get_by_text("clean → noisy").click()
    page.wait_for_url(re.compile("variant=both"))
    page.locator(".prompt-diff del", has_text="1250").first.wait_for()

    page.reload()
    page.locator(".prompt-diff del", has_text="1250").first.wait_for()
    page.locator(".st-key-saw_choices").get_by_text("English").click()
    page.wait_for_url(re.compile("prompt=en"))
    page.locator(".prompt-diff .title", has_text="Points").wait_for()


def test_a_trouble_narrows_the_list_and_the_trace_leads_back(page: "Page") -> None:
    page.goto("/saw?range=all")
    page.locator(".st-key-saw_filters").get_by_text("unknown 1").click()
    page.wait_for_url(re.compile("has=unknown"))
    page.get_by_text("of 1 observation").wait_for()
    open_row(page, 0)
    page.locator(".prompt-diff .row.unknown").first.wait_for()

    page.get_by_text("Open the trace").click()
    page.wait_for_url(re.compile("/trace.*span="))
    page.locator(".st-key-span_panel").get_by_text("What the model saw").click()
    page.wait_for_url(re.compile("/saw.*span="))
    page.locator(".prompt-diff .row.unknown").first.wait_for()


@pytest.mark.parametrize("view", ["diff", "plain"])
def test_what_a_tool_wrote_stays_text(page: "Page", view: str) -> None:
    dialogs: list[str] = []
    page.on("dialog", lambda dialog: dialogs.append(dialog.message))
    page.goto("/saw?range=all")
    open_row(page, 2)
    page.goto(f"{page.url}&view={view}")
    page.get_by_text(HOSTILE).first.wait_for()

    assert page.locator('img[src="x"]').count() == 0
    assert dialogs == []


def test_a_narrow_window_stacks_the_templates(browser: "Browser", demo_url: str) -> None:
    context = new_context(browser, demo_url, width=820)
    page = context.new_page()
    page.goto("/saw?range=all&lang=zh")
    page.get_by_role("heading", name="模型看到了什么").wait_for()
    open_row(page, 0)

    grid = page.locator(".prompt-diff")
    assert grid.evaluate("element => element.scrollWidth <= element.clientWidth")
    concise, verbose = (
        grid.locator(f'.row.conflict [data-column="{n}"]') for n in ("concise", "verbose")
    )
    upper, lower = concise.bounding_box(), verbose.bounding_box()
    assert upper is not None
    assert lower is not None
    assert upper["x"] == lower["x"]
    assert upper["y"] < lower["y"]
    context.close()


def test_noise_and_templates_are_tried_in_place_and_a_link_shows_them_again(page: "Page") -> None:
    page.goto("/saw?range=all")
    open_row(page, 0)
    page.get_by_role("tab", name="Noise").click()
    page.wait_for_url(re.compile("tab=noise"))
    page.goto(f"{page.url}&intensity=1.00&seed=3")
    tried = page.locator(".st-key-saw_grid_try")
    tried.locator("del").first.wait_for()
    before = tried.locator("del").all_inner_texts()
    page.reload()
    tried.locator("del").first.wait_for()
    assert tried.locator("del").all_inner_texts() == before

    page.get_by_role("tab", name="Templates").click()
    page.wait_for_url(re.compile("tab=template"))
    source = page.get_by_label("Template", exact=True)
    source.fill("{% for fact in facts %}{{ fact.label }} is {{ fact.text }} {% endfor %}")
    source.press("Control+Enter")
    page.locator(".st-key-saw_grid_template .title", has_text="draft").wait_for()
    page.get_by_text("用户积分 is").first.wait_for()
    source.fill("{% include 'x' %}")
    source.press("Control+Enter")
    page.get_by_text("Include is not allowed").wait_for()
    page.get_by_role("button", name="Discard").click()
    page.get_by_text("Include is not allowed").wait_for(state="hidden")
