"""The samples' new status value: found, mapped, tried, judged, published, seen and taken back.

In the browser alone, by two people who do not program.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import new_context
from tests.browser.on_page import click_row, fill, press, settled
from tests.serving import serving

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]

TIMEOUT_MS = 120_000


@pytest.fixture(scope="module")
def shop_url(
    tmp_path_factory: pytest.TempPathFactory, sample_copy: Callable[[Path], Path]
) -> Iterator[str]:
    """A server over the sample traces: a status of orders is new in them, `refunding`."""
    db = sample_copy(tmp_path_factory.mktemp("shop") / "shop.duckdb")
    with serving(db) as server:
        yield str(server.owner["url"])


@pytest.fixture
def new_person(browser: "Browser", shop_url: str) -> "Iterator[Callable[[], Page]]":
    """Opens a browser of their own for each person; a script error fails the test at its end."""
    errors: list[str] = []
    contexts = []

    def opened() -> "Page":
        context = new_context(browser, shop_url)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(TIMEOUT_MS)
        page.on("pageerror", lambda error: errors.append(str(error)))
        return page

    yield opened
    for context in contexts:
        context.close()
    assert errors == []


def open_form(page: "Page") -> None:
    """Click the first unmapped value until its form is open: a canvas may still be drawing."""
    page.goto("/dictionaries?range=all")
    click_row(page, "dictionaries_unmapped", "value=refunding")
    page.get_by_label("In Chinese prompts").wait_for()
    settled(page)


def draft_refunding(page: "Page") -> None:
    open_form(page)
    fill(page, "In Chinese prompts", "退款中")
    fill(page, "In English prompts", "Refunding")
    press(page, "Add to the draft")
    page.get_by_text("+      refunding: {zh: 退款中, en: Refunding}").wait_for()


def see_effect(page: "Page") -> "Locator":
    press(page, "See the effect")
    effect = page.locator(".st-key-dictionaries_impact")
    effect.get_by_text("This changes 106 facts in 58 traces").wait_for()
    settled(page)
    return effect


def unknown_values(page: "Page") -> "Locator":
    """What the Overview says about unknown values."""
    page.goto("/?range=all")
    return page.locator("[class*=st-key-card_][class*=unknown_share]").first


def meant_and_guarded(page: "Page") -> None:
    """The first owner: the change is meant, and two cases were right only before."""
    assert page.get_by_role("button", name="Publish").is_disabled()
    press(page, "This kind of change is meant")
    fill(page, "Why is the new reading right?", "Refunds started")
    press(page, "The new reading is right")
    page.get_by_text("1 condition is still to be met").wait_for()


def approved(page: "Page", address: str) -> None:
    """The second owner: looks at the same draft, and approves."""
    page.goto(address)
    page.get_by_text("+      refunding: {zh: 退款中, en: Refunding}").wait_for()
    settled(page)
    fill(page, "Your name", "Bob")
    see_effect(page)
    press(page, "Approve this draft")
    page.get_by_text("Every condition is met").wait_for()


def published(page: "Page") -> None:
    page.reload()
    page.get_by_text("+      refunding: {zh: 退款中, en: Refunding}").wait_for()
    settled(page)
    fill(page, "Your name", "Ann")
    see_effect(page)
    fill(page, "Reason", "Refunds started")
    press(page, "Publish")
    page.get_by_text("recorded observations were read again").wait_for()
    page.get_by_text("Every value in this time range is known").wait_for()


def rolled_back(page: "Page") -> None:
    page.goto("/dictionaries?range=all")
    page.get_by_role("button", name="Roll back").wait_for()
    settled(page)
    fill(page, "Your name", "Ann")
    page.get_by_role("textbox", name="Reason").first.fill("Not yet")
    press(page, "Roll back")
    page.get_by_text("is in force again").wait_for()
    page.locator(".st-key-dictionaries_unmapped canvas").first.wait_for()


def test_the_samples_incident_is_fixed_by_two_people_and_taken_back(
    new_person: "Callable[[], Page]",
) -> None:
    ann, bob = new_person(), new_person()
    draft_refunding(ann)
    fill(ann, "Your name", "Ann")
    effect = see_effect(ann)
    effect.get_by_text("removes 106 UNKNOWN and makes 0 CONFLICT").wait_for()
    effect.get_by_text("【订单状态】退款中").wait_for()

    meant_and_guarded(ann)
    approved(bob, ann.url)
    published(ann)

    # As the version in force reads it, beside what the model was really shown.
    card = unknown_values(ann)
    card.get_by_text("As recorded").wait_for()
    card.get_by_text("0.0%").first.wait_for()
    rolled_back(ann)


def test_the_example_of_a_change_leads_to_what_the_model_saw(
    new_person: "Callable[[], Page]",
) -> None:
    page = new_person()
    draft_refunding(page)
    see_effect(page).get_by_text("Observation 1").click()

    page.wait_for_url(re.compile(r"/saw\?.*trace_id=[0-9a-f]{32}"))
    page.get_by_role("heading", name="What the model saw").wait_for()
