"""An annotator at work: ten decisions in a few seconds, nothing lost, the outcome only afterwards."""

import re
from typing import TYPE_CHECKING

import pytest

from tests.browser.on_page import settled

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]

N = 10
MARKUP = "<img"


def queue(page: "Page") -> "Locator":
    return page.locator(".audit")


def open_draw_form(page: "Page") -> None:
    """The form stands on the page before the first draw, and behind a button later."""
    button = page.get_by_role("button", name="New draw")
    first = page.get_by_role("textbox", name="Name of the draw")
    button.or_(first).first.wait_for()
    settled(page)
    if not first.is_visible():
        button.click()
    first.wait_for()


def draw(page: "Page", annotator: str, name: str, n: int = N, n_double: int = 0) -> None:
    page.goto("/audit?range=all")
    who = page.get_by_role("textbox", name="Your name")
    who.fill(annotator)
    who.press("Enter")
    page.wait_for_url(re.compile(f"rater={annotator}"))
    open_draw_form(page)
    page.get_by_role("textbox", name="Name of the draw").fill(name)
    amount = page.get_by_role("spinbutton", name="How many")
    amount.fill(str(n))
    amount.press("Tab")
    twice = page.get_by_role("spinbutton", name="Labelled by two")
    twice.fill(str(n_double))
    twice.press("Tab")
    page.get_by_test_id("stFormSubmitButton").get_by_role("button").click()
    page.wait_for_url(re.compile("batch="))
    page.locator('.audit[data-position="0"][data-labelled="0"]').wait_for()
    page.keyboard.press("Escape")
    settled(page)


def key_for(page: "Page") -> str:
    """1 for a call, 7 for a turn without one: what applies to the decision that is shown."""
    return "7" if page.locator(".audit .tool.none").is_visible() else "1"


def label_all(page: "Page") -> None:
    for position in range(N):
        page.locator(f'.audit[data-position="{position}"]').wait_for()
        page.keyboard.press(key_for(page))


def test_ten_labels_in_a_few_seconds_are_all_there_after_a_reload(page: "Page") -> None:
    draw(page, "Lin", "Ten")
    label_all(page)
    page.reload()

    page.locator(f'.audit[data-labelled="{N}"][data-pending="0"]').wait_for()
    queue(page).get_by_text("Nothing waits for you in this draw").wait_for()
    page.get_by_text(f"Stored: {N} of {N}").wait_for()


def test_keys_pressed_without_a_pause_are_all_counted(page: "Page") -> None:
    draw(page, "Mei", "At once")
    page.keyboard.type("8" * N)

    page.locator(f'.audit[data-labelled="{N}"][data-pending="0"]').wait_for()
    page.get_by_text(f"Cannot tell {N}").wait_for()


def test_a_queue_that_was_left_begins_at_the_first_open_decision(page: "Page") -> None:
    draw(page, "Bo", "Half")
    page.keyboard.type("888")
    page.locator('.audit[data-labelled="3"][data-pending="0"]').wait_for()
    page.reload()

    page.locator('.audit[data-position="3"][data-labelled="3"]').wait_for()


def test_undo_brings_back_what_was_before_nothing_or_an_earlier_label(page: "Page") -> None:
    draw(page, "Ada", "Undo")
    page.keyboard.press("8")
    page.locator('.audit[data-position="1"][data-labelled="1"][data-pending="0"]').wait_for()
    page.keyboard.press("u")
    page.locator('.audit[data-position="0"][data-labelled="0"][data-pending="0"]').wait_for()
    assert queue(page).locator("button.given").count() == 0
    page.get_by_text(f"Stored: 0 of {N}").wait_for()

    page.keyboard.press("8")
    page.locator('.audit[data-position="1"][data-labelled="1"]').wait_for()
    page.keyboard.press("ArrowLeft")
    queue(page).locator('button.given[data-label="CANT_TELL"]').wait_for()
    page.keyboard.press(key_for(page))
    page.locator('.audit[data-position="1"][data-labelled="1"][data-pending="0"]').wait_for()
    page.keyboard.press("u")
    page.locator('.audit[data-position="0"][data-pending="0"]').wait_for()
    queue(page).locator('button.given[data-label="CANT_TELL"]').wait_for()
    page.reload()
    page.get_by_text("Cannot tell 1").wait_for()


def test_undo_of_a_passing_over_opens_the_decision_again(page: "Page") -> None:
    draw(page, "Uma", "Undo passing", n=2)
    page.keyboard.press("s")
    queue(page).get_by_text("Why do you pass it over?").wait_for()
    page.keyboard.press("1")
    page.locator('.audit[data-position="1"][data-pending="0"]').wait_for()
    page.keyboard.press("u")

    page.locator('.audit[data-position="0"][data-pending="0"]').wait_for()
    page.reload()
    page.locator('.audit[data-position="0"][data-labelled="0"]').wait_for()
    assert page.locator('.audit[data-skipped="needs_expert"]').count() == 0


def test_a_wrong_tool_asks_which_was_needed_and_keeps_the_answer(page: "Page") -> None:
    draw(page, "Kai", "Pick")
    while page.locator(".audit .tool.none").is_visible():
        page.keyboard.press("ArrowRight")
    position = queue(page).get_attribute("data-position")
    chosen = queue(page).locator(".tool code").inner_text()
    page.keyboard.press("4")
    page.locator('.audit[data-picking="true"]').wait_for()
    picks = queue(page).locator("button.pick span").all_inner_texts()
    assert chosen not in picks
    page.keyboard.press("2")

    page.locator('.audit[data-labelled="1"][data-pending="0"]').wait_for()
    while queue(page).get_attribute("data-position") != position:
        page.keyboard.press("ArrowLeft")
    queue(page).locator("button.given code", has_text=picks[1]).wait_for()


def test_an_outcome_is_shown_for_a_labelled_decision_only(page: "Page") -> None:
    draw(page, "Zoe", "Outcome")
    page.keyboard.press("o")
    queue(page).get_by_text("Label it first").wait_for()
    assert queue(page).locator(".outcome").count() == 0
    page.keyboard.press("8")
    page.locator('.audit[data-labelled="1"][data-pending="0"]').wait_for()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("o")

    queue(page).locator(".outcome").get_by_text("How it went on").wait_for()


def test_a_note_is_typed_without_labelling_and_stays(page: "Page") -> None:
    draw(page, "Ivo", "Note")
    page.keyboard.press("n")
    page.keyboard.type(f"12345678 {MARKUP} src=x>")
    page.keyboard.press("Enter")
    assert queue(page).get_attribute("data-labelled") == "0"
    page.keyboard.press("8")
    page.locator('.audit[data-labelled="1"][data-pending="0"]').wait_for()
    page.reload()

    page.locator('.audit[data-position="1"][data-labelled="1"]').wait_for()
    page.keyboard.press("ArrowLeft")
    page.locator('.audit[data-position="0"]').wait_for()
    assert queue(page).locator(".note").input_value() == f"12345678 {MARKUP} src=x>"
    assert queue(page).locator("img").count() == 0


def test_what_is_passed_over_keeps_its_reason_and_is_not_shown_again(page: "Page") -> None:
    draw(page, "Eve", "Pass over", n=3)
    page.keyboard.press("s")
    queue(page).get_by_text("Why do you pass it over?").wait_for()
    page.keyboard.press("1")
    page.locator('.audit[data-position="1"][data-pending="0"]').wait_for()
    page.keyboard.press("s")
    page.keyboard.press("s")
    page.locator('.audit[data-position="2"]').wait_for()
    page.reload()

    page.get_by_text("Passed over 1").wait_for()
    page.locator('.audit[data-position="1"][data-labelled="0"]').wait_for()
    page.keyboard.press("ArrowLeft")
    page.locator('.audit[data-skipped="needs_expert"]').wait_for()
    page.keyboard.press("8")
    page.locator('.audit[data-labelled="1"][data-pending="0"]').wait_for()


def test_two_tabs_that_lose_the_server_lose_no_label(page: "Page") -> None:
    draw(page, "Pia", "Two tabs", n=4)
    other = page.context.new_page()
    other.goto(page.url)
    other.locator('.audit[data-position="0"]').wait_for()
    page.context.set_offline(True)
    page.keyboard.press("8")
    page.locator('.audit[data-position="1"][data-pending="1"]').wait_for()
    other.keyboard.press("ArrowRight")
    other.keyboard.press("ArrowRight")
    other.keyboard.press("8")
    other.locator('.audit[data-pending="1"]').wait_for()
    kept = "Object.keys(localStorage).filter((key) => key.startsWith('toolsight.audit.')).length"
    assert page.evaluate(kept) == 2
    page.context.set_offline(False)
    other.close()
    page.reload()

    page.locator('.audit[data-labelled="2"][data-pending="0"]').wait_for()
    page.get_by_text("Stored: 2 of 4").wait_for()
    assert page.evaluate(kept) == 0


def test_raters_share_a_draw_and_settle_what_they_disagree_on(page: "Page") -> None:
    draw(page, "Noa", "Shared", n=4, n_double=1)
    for labelled in range(1, 5):
        page.keyboard.press(key_for(page))
        page.locator(f'.audit[data-labelled="{labelled}"][data-pending="0"]').wait_for()
    shared = page.url.replace("rater=Noa", "rater=Kim")
    page.goto(shared)
    page.locator('.audit[data-labelled="0"]').wait_for()
    queue(page).get_by_text("3 by others").wait_for()
    page.keyboard.press("6" if key_for(page) == "7" else "4")
    page.keyboard.press("1")
    page.locator('.audit[data-labelled="1"][data-pending="0"]').wait_for()
    queue(page).get_by_text("Nothing waits for you in this draw").wait_for()
    page.goto(f"{shared}&view=adjudicate")
    said = queue(page).locator(".raters")
    said.get_by_text("Noa").wait_for()
    said.get_by_text("Kim").wait_for()
    queue(page).get_by_text("0 / 1 settled").wait_for()
    page.keyboard.press(key_for(page))

    queue(page).get_by_text("1 / 1 settled").wait_for()


def test_results_name_the_draw_and_the_accuracy_with_its_n(page: "Page") -> None:
    draw(page, "Uma", "Results")
    label_all(page)
    page.locator(f'.audit[data-labelled="{N}"][data-pending="0"]').wait_for()
    page.get_by_test_id("stButtonGroup").get_by_text("Results").click()
    page.wait_for_url(re.compile("view=results"))

    figure = page.locator(".st-key-audit_selection_accuracy_range")
    figure.get_by_text("Tool-selection accuracy").wait_for()
    figure.get_by_text(re.compile(r"n = [\d,]+ judged decisions · 95% interval")).wait_for()
    page.get_by_text("Labels of this draw", exact=True).wait_for()
