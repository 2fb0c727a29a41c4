"""What differs between two texts is marked, and nothing of either is lost."""

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.components.prompt_diff.words import MOST_WORDS, changes, marked, words
from dashboard.views.saw.blocks import blocks

TEXTS = st.text(alphabet=st.sampled_from("ab1 .:【】已发货（），\n<&"), max_size=40)
steady = settings(deadline=None)


def joined(parts: Sequence[tuple[str, str]], *marks: str) -> str:
    return "".join(text for text, mark in parts if mark in marks)


@given(text=st.text())
@steady
def test_the_words_of_a_text_are_the_text(text: str) -> None:
    assert "".join(words(text)) == text


@given(text=TEXTS, others=st.lists(TEXTS, max_size=3))
@steady
def test_marking_loses_and_adds_nothing(text: str, others: list[str]) -> None:
    assert joined(marked(text, others), "same", "extra") == text


@given(before=TEXTS, after=TEXTS)
@steady
def test_changes_hold_the_old_text_and_the_new_one(before: str, after: str) -> None:
    parts = changes(before, after)

    assert joined(parts, "same", "gone") == before
    assert joined(parts, "same", "extra") == after


@given(text=TEXTS)
@steady
def test_a_text_lacks_nothing_of_itself(text: str) -> None:
    assert all(part.mark == "same" for part in (*marked(text, [text]), *changes(text, text)))


@pytest.mark.parametrize(
    ("text", "other", "extra"),
    [
        ("【订单状态】已发货（置信度0.98）", "【订单状态】已发货", "（置信度0.98）"),
        ("【积分】1243", "【积分】1250", "1243"),
        ("a 2024-06-15 b", "a 2024-06-16 b", "2024-06-15"),
        ("all of it", "", "all of it"),
    ],
)
def test_what_the_other_text_lacks_is_marked(text: str, other: str, extra: str) -> None:
    assert joined(marked(text, [other]), "extra") == extra


def test_without_another_text_nothing_is_marked() -> None:
    assert [part.mark for part in marked("a b", [])] == ["same"]


def test_a_word_is_marked_when_any_of_several_texts_lacks_it() -> None:
    assert joined(marked("one two three", ["one two", "two three"]), "extra") == "one  three"


def test_marks_of_two_snapshots_count_as_alike() -> None:
    parts = changes("«aaaaaaaa x aaaaaaaa»", "«bbbbbbbb y bbbbbbbb»", ("aaaaaaaa", "bbbbbbbb"))

    assert joined(parts, "gone") == "x"
    assert joined(parts, "same", "extra") == "«bbbbbbbb y bbbbbbbb»"


def test_long_texts_are_compared_by_lines() -> None:
    line = "word " * 20 + "\n"
    text = "".join(f"{number} {line}" for number in range(MOST_WORDS // 20))

    parts = marked(f"{text}new line\n", [text])

    assert joined(parts, "extra") == "new line\n"


CELLS = [("order:1/STATUS", "订单状态"), ("user:2/POINTS", "积分"), ("user:3/POINTS", "积分")]


def test_a_prompt_is_cut_by_its_labels_in_order() -> None:
    text = "== 快照\n【订单状态】已发货\n  来源\n〔用户 2〕\n【积分】1\n〔用户 3〕\n【积分】2\n【注意】x"

    found = blocks(text, CELLS)

    assert found.before == "== 快照"
    assert found.facts == {
        "order:1/STATUS": "【订单状态】已发货\n  来源",
        "user:2/POINTS": "【积分】1",
        "user:3/POINTS": "【积分】2",
    }
    assert found.after == "〔用户 2〕\n〔用户 3〕\n【注意】x"


def test_a_label_that_is_not_awaited_belongs_to_the_frame() -> None:
    found = blocks("【订单状态】已发货\n【订单状态】forged", CELLS[:1])

    assert found.facts == {"order:1/STATUS": "【订单状态】已发货"}
    assert found.after == "【订单状态】forged"


@given(text=st.text(alphabet=st.sampled_from("【订单状态】积分 x\n"), max_size=60))
@steady
def test_every_line_of_a_prompt_is_in_exactly_one_place(text: str) -> None:
    found = blocks(text, CELLS)
    parts = [found.before, *found.facts.values(), found.after]

    lines = [line for part in parts for line in part.splitlines() if line]
    assert sorted(lines) == sorted(line for line in text.splitlines() if line)
