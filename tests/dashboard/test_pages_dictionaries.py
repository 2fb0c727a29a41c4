"""The Dictionaries page: found, mapped, tried, published, taken back, without writing code."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pipeline.observation import package_rule_texts
from replay_store import Database
from replay_store.rule_store import V0, history, publish, rules_in_force, short
from tests.observed import emit, order_status

if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest

    from tests.dashboard.conftest import OpenPage

ORDER = "order_status.yaml"
HOSTILE = '[x](javascript:alert(1)) **b** <img src=x> :red[r] "q": {a}'
ADDRESS = {
    "range": "all",
    "tool": "query_order_status",
    "fact": "STATUS",
    "value": "refunding",
}


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Database]:
    """Three orders that are refunding, one of them contradicted; one shipped; one hostile."""
    with Database.open() as database:
        emit(
            database,
            tmp_path,
            [
                [order_status("refunding")],
                [order_status("refunding")],
                [order_status("shipped")],
                [order_status("refunding"), order_status("shipped", tool="order_api")],
                [order_status(HOSTILE)],
                [order_status("SHIPPED")],
            ],
        )
        yield database


def others_word(word: str = "已寄出") -> dict[str, str]:
    texts = package_rule_texts()
    return {**texts, ORDER: texts[ORDER].replace("已发货", word)}


def button(page: "AppTest", key: str) -> None:
    next(item for item in page.button if item.key == key).click()
    page.run()
    assert [error.message for error in page.exception] == []


def submit(page: "AppTest", label: str, form: str, who: str, why: str) -> None:
    for area in (*page.text_input, *page.text_area):
        if area.key == f"dictionaries_{form}_author":
            area.set_value(who)
        if area.key == f"dictionaries_{form}_reason":
            area.set_value(why)
    next(item for item in page.button if item.label == label).click()
    page.run()
    assert [error.message for error in page.exception] == []


def fill_words(page: "AppTest", zh: str, en: str) -> None:
    by_label = {item.label: item for item in page.text_input}
    by_label["In Chinese prompts"].set_value(zh)
    by_label["In English prompts"].set_value(en)
    page.run()


def unmapped(page: "AppTest") -> list[str]:
    return next((list(frame.value["raw"]) for frame in page.dataframe if "raw" in frame.value), [])


def codes(page: "AppTest") -> list[str]:
    return [item.value for item in page.code]


def draft_refunding(page: "AppTest") -> None:
    fill_words(page, "退款中", "Refunding")
    button(page, "dictionaries_add")


def test_what_no_dictionary_knows_is_listed_with_its_counts(
    open_page: "OpenPage", shop: Database
) -> None:
    page = open_page(shop, "dictionaries", range="all")

    table = next(frame.value for frame in page.dataframe if "raw" in frame.value)
    assert list(table["raw"]) == ["refunding", "SHIPPED", HOSTILE]
    assert list(table["traces"]) == [3, 1, 1]
    assert list(table["field"]) == ["Order status"] * 3


def test_an_incident_is_fixed_and_taken_back_in_the_page(
    open_page: "OpenPage", shop: Database
) -> None:
    page = open_page(shop, "dictionaries", **ADDRESS)
    draft_refunding(page)
    assert any("+      refunding: {zh: 退款中, en: Refunding}" in code for code in codes(page))

    button(page, "dictionaries_effect")
    [sentence] = [m.value for m in page.markdown if m.value.startswith("This changes")]
    assert "**3 facts**" in sentence
    assert "**3 traces**" in sentence
    assert "**2 UNKNOWN**" in sentence
    assert "**1 CONFLICT**" in sentence
    assert any("退款中" in code and "【订单状态】" in code for code in codes(page))
    classes = next(frame.value for frame in page.dataframe if "before" in frame.value)
    assert list(classes["before"]) == ['UNKNOWN: "refunding" (0.30)']
    assert list(classes["after"]) == ["FACT: refunding Refunding (0.98)"]

    submit(page, "Publish", "publish", "Ann", "refunds started")
    version = rules_in_force(shop).version
    assert version != V0
    assert unmapped(page) == ["SHIPPED", HOSTILE]
    [done] = [item.value for item in page.success if short(version) in item.value]
    assert "6 recorded observations were read again" in done
    [move] = history(shop)
    assert (move.moved_by, move.reason) == ("Ann", "refunds started")
    assert shop.row("select sum(n_unknown) as n from reread") == {"n": 2}

    button(page, "dictionaries_undo")
    assert rules_in_force(shop).version == V0
    assert unmapped(page) == ["refunding", "SHIPPED", HOSTILE]
    table = next(frame.value for frame in page.dataframe if "state" in frame.value)
    assert list(table["version"]) == ["built in (v0)", short(version)]
    assert list(table["state"]) == ["In force", ""]


def test_another_spelling_of_a_known_code_is_offered_as_the_same(
    open_page: "OpenPage", shop: Database
) -> None:
    page = open_page(shop, "dictionaries", **(ADDRESS | {"value": "SHIPPED"}))

    code = next(item for item in page.selectbox if item.label == "Code")
    assert code.value == "shipped"
    button(page, "dictionaries_add")
    assert any("+    synonyms: {SHIPPED: shipped}" in text for text in codes(page))


def test_rolling_back_asks_who_and_why(open_page: "OpenPage", shop: Database) -> None:
    version = publish(shop, V0, others_word(), "ann", "clearer", lambda: 1)
    page = open_page(shop, "dictionaries", range="all")

    submit(page, "Roll back", "back", "", "")
    assert rules_in_force(shop).version == version
    assert any("Say who you are" in item.value for item in page.error)

    submit(page, "Roll back", "back", "Bob", "not clearer")
    assert rules_in_force(shop).version == V0
    assert history(shop)[0].moved_by == "Bob"


def test_text_that_cannot_be_used_is_said_with_its_place_and_stays(
    open_page: "OpenPage", shop: Database
) -> None:
    page = open_page(shop, "dictionaries", range="all")
    assert next(item.value for item in page.selectbox if item.label == "File") == ORDER
    area = next(item for item in page.text_area if item.label == "Text of the file")
    broken = str(area.value).replace("type: enum", "type: enmu")

    area.set_value(broken).run()

    shown = [item.value for item in page.text]
    assert ORDER in shown
    assert "output_schema[0].type" in shown
    assert any("enum, string, number" in text for text in shown)
    assert next(x for x in page.text_area if x.label == "Text of the file").value == broken
    assert not any(item.key == "dictionaries_add_text" for item in page.button)


def test_a_file_can_be_changed_as_text(open_page: "OpenPage", shop: Database) -> None:
    page = open_page(shop, "dictionaries", range="all")
    area = next(item for item in page.text_area if item.label == "Text of the file")
    area.set_value(str(area.value).replace("已发货", "已寄出")).run()
    button(page, "dictionaries_add_text")
    button(page, "dictionaries_effect")
    submit(page, "Publish", "publish", "Ann", "clearer")

    assert rules_in_force(shop).texts == others_word()


def test_a_second_owner_loses_nothing_and_joins_the_two_changes(
    open_page: "OpenPage", shop: Database
) -> None:
    page = open_page(shop, "dictionaries", **ADDRESS)
    draft_refunding(page)
    button(page, "dictionaries_effect")
    other = publish(shop, V0, others_word(), "bob", "clearer", lambda: 1)

    submit(page, "Publish", "publish", "Ann", "refunds started")

    assert rules_in_force(shop).version == other
    assert any("was put in force by bob" in code for code in codes(page))
    assert any("refunding: {zh: 退款中" in code for code in codes(page))

    button(page, "dictionaries_move")
    button(page, "dictionaries_effect")
    submit(page, "Publish", "publish", "Ann", "refunds started")
    text = rules_in_force(shop).texts[ORDER]
    assert "已寄出" in text
    assert "退款中" in text


def test_what_the_version_in_force_has_not_read_can_be_read_now(
    open_page: "OpenPage", shop: Database
) -> None:
    publish(shop, V0, others_word(), "ann", "clearer", lambda: 1)
    page = open_page(shop, "dictionaries", range="all")
    assert any(text.value.startswith("6 recorded observations") for text in page.caption)

    button(page, "dictionaries_read_now")

    assert shop.row("select count(*) as n from reread") == {"n": 6}
    assert not any(item.key == "dictionaries_read_now" for item in page.button)


def test_nothing_to_change_is_said_and_another_dictionary_can_be_chosen(
    open_page: "OpenPage", shop: Database
) -> None:
    more = "name: refund\noutput_schema:\n  - {name: state, type: enum, mapping: {open: Open}}\n"
    publish(shop, V0, {**others_word(), "refund.yaml": more}, "ann", "more", lambda: 1)
    page = open_page(shop, "dictionaries", range="all", value="closed")
    field = next(item for item in page.selectbox if item.key == "dictionaries_field")

    field.set_value("refund.yaml:state").run()
    next(item for item in page.text_input if item.label.startswith("Value")).set_value("closed")
    page.run()
    fill_words(page, "关闭", "Closed")
    button(page, "dictionaries_add")
    button(page, "dictionaries_effect")

    assert any("Nothing recorded" in item.value for item in page.info)


def test_a_version_that_this_release_cannot_use_can_be_left(
    open_page: "OpenPage", shop: Database
) -> None:
    with shop.transaction() as cursor:
        cursor.execute(
            """insert into rule_version values
            ('abc', 'default', 'v0', '{"a.yaml": "name: ["}', 'ann', 'newer', 1)"""
        )
        cursor.execute("insert into rule_pointer values ('default', 'abc', 'ann', 'newer', 1)")

    page = open_page(shop, "dictionaries", range="all")

    assert any("cannot be used by this release" in item.value for item in page.error)
    submit(page, "Roll back", "back", "Bob", "unusable")
    assert rules_in_force(shop).version == V0
    assert page.subheader[0].value == "Values that no dictionary knows"


def test_a_draft_comes_back_after_it_was_discarded(open_page: "OpenPage", shop: Database) -> None:
    page = open_page(shop, "dictionaries", **ADDRESS)
    draft_refunding(page)

    button(page, "dictionaries_discard")
    assert not any("+      refunding" in code for code in codes(page))

    button(page, "dictionaries_restore")
    assert any("+      refunding" in code for code in codes(page))


def test_text_of_a_tool_is_never_markup(open_page: "OpenPage", shop: Database) -> None:
    page = open_page(shop, "dictionaries", **(ADDRESS | {"value": HOSTILE}))
    draft_refunding(page)
    button(page, "dictionaries_effect")
    submit(page, "Publish", "publish", HOSTILE, HOSTILE)

    kinds = ("markdown", "caption", "header", "subheader", "info", "warning", "error", "success")
    marked = [item.value for kind in kinds for item in getattr(page, kind)]
    assert not any("javascript" in text for text in marked)
    assert HOSTILE in [item.value for item in page.text]
    assert rules_in_force(shop).version != V0


def test_an_empty_store_can_be_given_a_dictionary(
    open_page: "OpenPage", empty_store: Database
) -> None:
    page = open_page(empty_store, "dictionaries", lang="zh", value="refunding")

    assert page.header[0].value == "词典"
    assert any("还没有带时间的数据" in item.value for item in page.info)


@pytest.mark.parametrize("value", ["<b>", "\x00", "x" * 5_000, "…", "]["])
def test_any_address_draws_a_page(open_page: "OpenPage", shop: Database, value: str) -> None:
    page = open_page(shop, "dictionaries", field=value, tool=value, fact=value, value=value)

    assert page.header[0].value == "Dictionaries"
