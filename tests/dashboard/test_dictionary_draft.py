"""Drafts survive a base that moves, and values find the dictionary that reads them."""

import pytest

from dashboard.tuning.difference import difference
from dashboard.views.dictionaries.draft import Draft, moved_to
from dashboard.views.dictionaries.edit import Place
from dashboard.views.dictionaries.lookup import dictionary_of, raw_value, suggestion
from dashboard.views.dictionaries.yaml_text import Meaning, Synonym
from pipeline.observation import load_rules, package_rule_texts, package_rules

ORDER, COUPON, DOMAIN = "order_status.yaml", "coupon_validity.yaml", "domain.yaml"
STATUS = Place(ORDER, "status")
BASE = package_rule_texts()
RULES = package_rules()
MINE = Draft("v0", BASE, BASE).with_edit(STATUS, Meaning("refunding", {"zh": "退款中", "en": "R"}))


def theirs(file: str, old: str, new: str) -> dict[str, str]:
    assert old in BASE[file]
    return {**BASE, file: BASE[file].replace(old, new)}


def test_changes_of_different_files_are_simply_joined() -> None:
    other = theirs(COUPON, "该用户没有优惠券", "没有优惠券")

    moved = moved_to(MINE, "x", other)

    assert moved.overwriting == ()
    assert moved.draft.texts == {**other, ORDER: MINE.texts[ORDER]}
    assert (moved.draft.base_version, moved.draft.base) == ("x", other)


def test_entries_of_the_form_are_made_again_on_the_other_text() -> None:
    other = theirs(ORDER, "已发货", "已寄出")

    moved = moved_to(MINE, "x", other)

    assert moved.overwriting == ()
    assert "已寄出" in moved.draft.texts[ORDER]
    assert "refunding" in moved.draft.texts[ORDER]


def test_text_that_both_wrote_is_kept_and_said_to_overwrite() -> None:
    mine = MINE.with_text(ORDER, MINE.texts[ORDER].replace("待支付", "等待支付"))

    moved = moved_to(mine, "x", theirs(ORDER, "已发货", "已寄出"))

    assert moved.overwriting == (ORDER,)
    assert moved.draft.texts[ORDER] == mine.texts[ORDER]


def test_a_draft_that_the_other_side_published_changes_nothing_any_more() -> None:
    moved = moved_to(MINE, "x", MINE.texts)

    assert not moved.draft.is_changed


def test_a_difference_names_its_sides_and_is_empty_for_equals() -> None:
    assert difference(BASE, BASE, ("a", "b")) == ""
    text = difference(BASE, MINE.texts, ("v0", "draft"))
    assert text.startswith(f"--- v0/{ORDER}\n+++ draft/{ORDER}\n")


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ('"refunding"', "refunding"),
        ("3", "3"),
        ("true", "true"),
        ('"退款"', "退款"),
        (None, None),
        ('""', None),
        ("null", None),
        ("1.5", None),
        ("[1]", None),
        ("***", None),
        ('"cut…', None),
        ("[" * 9_000, None),
    ],
)
def test_a_raw_value_is_what_a_dictionary_looks_up(raw: str | None, text: str | None) -> None:
    assert raw_value(raw) == text


@pytest.mark.parametrize(
    ("raw", "code", "is_same"),
    [
        ("SHIPPED", "shipped", True),
        ("ｓｈｉｐｐｅｄ", "shipped", True),
        ("ship-ped", "shipped", True),
        ("shiped", "shipped", False),
        ("canceled", "cancelled", False),
        ("refunding", None, False),
        ("", None, False),
    ],
)
def test_a_suggestion_is_what_is_written_alike(raw: str, code: str | None, is_same: bool) -> None:
    rules = package_rules()
    found = dictionary_of(rules, "query_order_status", "STATUS")
    assert found is not None

    hint = suggestion(rules, found, raw)

    assert (hint.code, hint.is_same_word) == (code, is_same)


def test_words_of_another_dictionary_are_offered() -> None:
    more = (
        "name: refund\noutput_schema:\n  - {name: state, type: enum, mapping: {refunding: 退款}}\n"
    )
    rules = load_rules({**BASE, "refund.yaml": more})
    found = dictionary_of(rules, "query_order_status", "STATUS")
    assert found is not None

    assert suggestion(rules, found, "refunding").words == {"": "退款"}


@pytest.mark.parametrize(
    ("tool", "fact_type"), [("nobody", "STATUS"), ("query_order_status", "USER_ID")]
)
def test_a_value_that_no_dictionary_reads_has_none(tool: str, fact_type: str) -> None:
    assert dictionary_of(package_rules(), tool, fact_type) is None


def test_a_value_that_another_version_knew_is_suggested_with_its_meaning() -> None:
    found = dictionary_of(RULES, "query_order_status", "STATUS")
    assert found is not None
    older = load_rules(MINE.texts)
    renamed = load_rules(
        Draft("v0", BASE, BASE).with_edit(STATUS, Synonym("sent", "shipped")).texts
    )

    hint = suggestion(RULES, found, "refunding", {"a": RULES, "b": older})
    assert (hint.code, hint.words, hint.version) == (None, {"zh": "退款中", "en": "R"}, "b")

    hint = suggestion(RULES, found, "sent", {"c": renamed})
    assert (hint.code, hint.is_same_word, hint.version) == ("shipped", True, "c")

    assert suggestion(RULES, found, "new", {"b": older}).version is None
