"""Dictionaries: what cannot be, or must not be, is refused with the reason, and nothing is lost."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pipeline.observation import package_rule_texts
from replay_store import Database
from replay_store.rule_drafts import open_drafts
from replay_store.rule_store import V0, rules_in_force
from tests.dashboard.shown import component_texts
from tests.observed import emit, order_status
from tests.stores import memory_store

if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest

    from tests.dashboard.conftest import OpenPage

ORDER, DOMAIN = "order_status.yaml", "domain.yaml"
TEXTS = package_rule_texts()
WRONG = {
    "no YAML": (ORDER, "values: [pending", "values: [[pending", "line 22, column 5"),
    "a value twice in a mapping": (ORDER, "shipped: {zh", "pending: {zh", "stands twice"),
    "a code that is no value": (
        ORDER,
        "      shipped: {zh",
        "      sent: {zh",
        "not among the values",
    ),
    "thresholds that overlap": (
        DOMAIN,
        "from: 0.8, below: 1.2",
        "from: 0.7, below: 1.2",
        "overlap",
    ),
    "thresholds with a gap": (DOMAIN, "from: 0.8, below: 1.2", "from: 0.9, below: 1.2", "gap"),
    "a formula of no fact": (
        DOMAIN,
        "STOCK_LEVEL / SAFE_LEVEL",
        "STOCK_LEVEL / SAFETY",
        "is no fact",
    ),
    "a formula that calls": (DOMAIN, "STOCK_LEVEL / SAFE_LEVEL", "open(SAFE_LEVEL)", "no function"),
    "a fact that is gone": (DOMAIN, "  SAFE_LEVEL:\n", "  SAFETY:\n", "SAFE_LEVEL is no fact type"),
    "no zone": (ORDER, "type: datetime\n", "type: datetime\n    zone: Mars\n", "no time zone"),
    "no strategy": (ORDER, "latest_by_time", "newest", "extract_strategy"),
}


@pytest.fixture
def shop() -> Iterator[Database]:
    with memory_store() as database:
        yield database


def refused_with(page: "AppTest") -> str:
    """All that the page says in words that are not its own."""
    assert [error.message for error in page.exception] == []
    shown = [item.value for kind in ("text", "code") for item in getattr(page, kind)]
    return "\n".join(shown + component_texts(page))


def text_of(page: "AppTest", file: str) -> str:
    box = next(item for item in page.selectbox if item.label == "File")
    box.set_value(file).run()
    return str(next(item for item in page.text_area if item.label == "Text of the file").value)


def write(page: "AppTest", text: str) -> None:
    next(i for i in page.text_area if i.label == "Text of the file").set_value(text).run()


def press(page: "AppTest", key: str) -> None:
    next(item for item in page.button if item.key == key).click()
    page.run()
    assert [error.message for error in page.exception] == []


@pytest.mark.parametrize("what", WRONG)
def test_a_file_that_cannot_be_is_refused_by_place_and_stays_as_it_was_written(
    open_page: "OpenPage", shop: Database, what: str
) -> None:
    file, old, new, reason = WRONG[what]
    page = open_page(shop, "dictionaries", range="all")
    before = text_of(page, file)
    assert old in before
    wrong = before.replace(old, new, 1)

    write(page, wrong)

    said = refused_with(page)
    assert reason in said
    assert file in said or "inventory_check.yaml" in said, "the file that reads the fact"
    assert not any(item.key == "dictionaries_add_text" for item in page.button)
    area = next(i for i in page.text_area if i.label == "Text of the file")
    assert area.value == wrong
    assert open_drafts(shop) == []

    write(page, before.replace("#", "# kept:", 1))
    press(page, "dictionaries_add_text")
    assert len(open_drafts(shop)) == 1


def test_a_mapping_that_loses_a_critical_fact_cannot_be_published(
    open_page: "OpenPage", shop: Database, tmp_path: Path
) -> None:
    emit(shop, tmp_path, [[order_status("shipped")], [order_status("pending")]])
    page = open_page(shop, "dictionaries", range="all")
    text = text_of(page, ORDER)
    gone = "      shipped: {zh: 已发货, en: Shipped}\n"
    write(page, text.replace("pending, shipped,", "pending,", 1).replace(gone, "", 1))
    press(page, "dictionaries_add_text")
    press(page, "dictionaries_effect")

    closed = [item.value for item in page.markdown if ":material/block:" in item.value]
    assert any("No critical fact is lost" in text for text in closed)
    assert any("No more is unknown than before" in text for text in closed)
    assert any("1 critical" in item.value for item in page.caption)
    assert next(item for item in page.button if item.label == "Publish").disabled
    assert rules_in_force(shop).version == V0
    assert len(open_drafts(shop)) == 1, "the draft stays"
