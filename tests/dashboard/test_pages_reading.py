"""Dictionaries, how fields are read: formats, zones, factors, lists and names without YAML."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from replay_store import Database
from replay_store.rule_drafts import kept_draft
from tests.dashboard.shown import component_texts
from tests.observed import answer, emit, order_status
from tests.stores import memory_store

if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest

    from tests.dashboard.conftest import OpenPage

DELIVERY = {"look": "reading", "reading": "order_status.yaml:estimated_delivery", "range": "all"}
LOGISTICS = DELIVERY | {"reading": "order_status.yaml:logistics_info"}
STOCK = DELIVERY | {"reading": "inventory_check.yaml:current_stock"}
HOSTILE = "**b** :red[r] <img src=x>"


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Database]:
    """Orders whose delivery is written in two ways, one of them unknown; and a stock in grammes."""
    events = [
        {"time": "2026-12-02T00:00Z", "event": "b"},
        {"time": "2026-12-01T00:00Z", "event": "a"},
    ]
    days = ("2026/12/01", "2026/12/01", "01.12.2026", HOSTILE)
    stock = answer("query_inventory", {"province": "A", "current_stock": 5_000})
    with memory_store() as database:
        emit(
            database,
            tmp_path,
            [
                *([order_status(estimated_delivery=d, logistics_info=events)] for d in days),
                [stock],
            ],
        )
        yield database


def field(page: "AppTest", kind: str, label: str) -> Any:
    return next(item for item in getattr(page, kind) if item.label.startswith(label))


def read(page: "AppTest") -> list[tuple[str, str, str, int]]:
    """Raw value, what it was read as and is, and how often it came."""
    table = next(frame.value for frame in page.dataframe if "became" in frame.value)
    return list(zip(table["raw"], table["after"], table["became"], table["n"], strict=True))


def add(page: "AppTest") -> str:
    """Add what the form says to the draft; its difference from the base."""
    next(item for item in page.button if item.key == "dictionaries_add_reading").click()
    page.run()
    assert [error.message for error in page.exception] == []
    return "\n".join(item.value for item in page.code)


def can_add(page: "AppTest") -> bool:
    return not next(i for i in page.button if i.key == "dictionaries_add_reading").disabled


def test_a_format_says_at_once_what_it_reads_and_what_it_loses(
    open_page: "OpenPage", shop: Database
) -> None:
    page = open_page(shop, "dictionaries", **DELIVERY)
    assert not can_add(page)
    formats = field(page, "multiselect", "Formats of dates")
    assert formats.value == ["%Y/%m/%d", "%d %b %Y", "%Y年%m月%d日"]

    formats.set_value(["%d.%m.%Y"]).run()

    assert read(page) == [
        ('"2026/12/01"', "UNPARSED (not_a_date)", "no longer read", 2),
        ('"01.12.2026"', "2026-12-01", "read now", 1),
        (f'"{HOSTILE}"', "UNPARSED (not_a_date)", "still not read", 1),
    ]
    assert any("2 recorded values would no longer be read" in w.value for w in page.warning)
    marked = [i.value for kind in ("markdown", "caption", "text") for i in getattr(page, kind)]
    assert not any(HOSTILE in text for text in marked)

    field(page, "multiselect", "Formats of dates").set_value(["%Y/%m/%d", "%d.%m.%Y"]).run()
    assert '+    formats: ["%Y/%m/%d", "%d.%m.%Y"]' in add(page)
    kept = kept_draft(shop, page.query_params["draft"])
    assert kept is not None
    assert kept.edits[0]["keys"] == {"formats": ["%Y/%m/%d", "%d.%m.%Y"]}
    assert not can_add(page), "it is in the draft"


def test_a_format_that_is_none_is_refused_with_the_reason(
    open_page: "OpenPage", shop: Database
) -> None:
    page = open_page(shop, "dictionaries", **DELIVERY)

    field(page, "multiselect", "Formats of dates").set_value(["%Q"]).run()

    assert [error.message for error in page.exception] == []
    assert not can_add(page)
    assert any("is no directive" in text for text in component_texts(page))


def test_a_number_gets_a_factor_and_a_unit_in_both_languages(
    open_page: "OpenPage", shop: Database
) -> None:
    page = open_page(shop, "dictionaries", **STOCK)

    field(page, "number_input", "Multiplied by").set_value(0.001).run()
    assert read(page) == [("5000", "5", "read otherwise", 1)]
    field(page, "text_input", "Unit in Chinese").set_value("千件").run()
    field(page, "text_input", "Unit in English").set_value("thousands").run()

    shown = add(page)
    assert "+    scale: 0.001" in shown
    assert "+    unit: {zh: 千件, en: thousands}" in shown


def test_a_list_gives_another_item(open_page: "OpenPage", shop: Database) -> None:
    page = open_page(shop, "dictionaries", **LOGISTICS)
    assert [after for _, after, _, _ in read(page)] == ["b"]

    field(page, "selectbox", "What a list gives").set_value("last").run()
    field(page, "selectbox", "What is taken").set_value("event").run()

    assert [(after, became, n) for _, after, became, n in read(page)] == [
        ("a", "read otherwise", 4)
    ]
    shown = add(page)
    assert "+    extract_strategy: last" in shown
    assert "+    take: event" in shown


def test_the_places_that_answers_hold_are_offered(open_page: "OpenPage", shop: Database) -> None:
    page = open_page(shop, "dictionaries", **DELIVERY)
    places = field(page, "multiselect", "Where it stands")
    assert set(places.options) == {"estimated_delivery", "logistics_info", "order_id", "status"}

    places.set_value(["order_id"]).run()

    assert all(became in ("no longer read", "still not read") for _, _, became, _ in read(page))


@pytest.mark.parametrize("value", ["<b>", "\x00", "order_status.yaml:", "…"])
def test_any_address_draws_a_field(open_page: "OpenPage", shop: Database, value: str) -> None:
    page = open_page(shop, "dictionaries", **(DELIVERY | {"reading": value}))

    assert page.subheader[0].value == "How a field is read"


def test_what_was_never_recorded_is_said(open_page: "OpenPage", empty_store: Database) -> None:
    page = open_page(empty_store, "dictionaries", lang="zh", **DELIVERY)

    assert any("无法在这里试读" in item.value for item in page.info)
