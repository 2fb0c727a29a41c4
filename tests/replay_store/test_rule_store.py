"""Dictionaries are immutable, named by content, and one pointer says which is in force."""

import hashlib
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.observation import RuleFileError, load_rules, package_rule_texts
from replay_store import Database
from replay_store.errors import RulesMovedError, RuleStoreError
from replay_store.reader import store_version
from replay_store.rule_store import (
    V0,
    body_of,
    history,
    publish,
    roll_back,
    rules_in_force,
    short,
    stored_rules,
    texts_of,
    version_of,
)
from tests.stores import memory_store

ORDER = "order_status.yaml"


class Clock:
    """Seven nanoseconds pass with every look; `now` may be set back."""

    def __init__(self) -> None:
        self.now = 1_000

    def __call__(self) -> int:
        self.now += 7
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def database() -> Iterator[Database]:
    with memory_store() as opened:
        yield opened


def with_word(word: str) -> dict[str, str]:
    """The package's files with another word for `shipped`."""
    texts = package_rule_texts()
    return {**texts, ORDER: texts[ORDER].replace("已发货", word)}


def words(rules: object, code: str) -> dict[str, str]:
    fields = [f for tool in rules.tools for f in tool.fields if f.name == "status"]  # type: ignore[attr-defined]
    return dict(fields[0].enum.words[code])


def test_without_a_pointer_the_package_s_own_files_are_in_force(database: Database) -> None:
    stored = rules_in_force(database)

    assert stored.version == V0
    assert stored.texts == package_rule_texts()
    assert history(database) == []


def test_what_is_published_is_in_force_and_named_by_its_content(
    database: Database, clock: Clock
) -> None:
    texts = with_word("已寄出")
    before = store_version(database)

    version = publish(database, V0, texts, " ann ", "clearer", clock)

    stored = rules_in_force(database)
    assert version == hashlib.sha256(body_of(texts).encode()).hexdigest() == stored.version
    assert stored.texts == texts
    assert words(stored.rule_set, "shipped")["zh"] == "已寄出"
    assert stored.rule_set.version == short(version)
    assert store_version(database) > before
    [move] = history(database)
    assert (move.version, move.moved_by, move.reason) == (version, "ann", "clearer")
    assert (move.base_version, move.author, move.is_return) == (V0, "ann", False)


def test_rolling_back_restores_and_forgets_nothing(database: Database, clock: Clock) -> None:
    first = publish(database, V0, with_word("甲"), "ann", "one", clock)
    second = publish(database, first, with_word("乙"), "bob", "two", clock)

    roll_back(database, first, "cyd", "two was wrong", clock)

    assert rules_in_force(database).texts == with_word("甲")
    assert texts_of(database, second) == with_word("乙")
    moves = history(database)
    assert [move.version for move in moves] == [first, second, first]
    assert (moves[0].moved_by, moves[0].author, moves[0].is_return) == ("cyd", "ann", True)

    roll_back(database, V0, "cyd", "all of it", clock)
    assert rules_in_force(database).version == V0
    assert history(database)[0].is_return


def test_publishing_again_what_was_taken_back_keeps_one_row(
    database: Database, clock: Clock
) -> None:
    first = publish(database, V0, with_word("甲"), "ann", "one", clock)
    roll_back(database, V0, "ann", "no", clock)

    again = publish(database, V0, with_word("甲"), "bob", "yes after all", clock)

    assert again == first
    assert database.rows("select author from rule_version") == [{"author": "ann"}]
    assert history(database)[0].moved_by == "bob"


def test_publishing_the_package_s_own_files_is_a_return_to_them(
    database: Database, clock: Clock
) -> None:
    first = publish(database, V0, with_word("甲"), "ann", "one", clock)

    assert publish(database, first, package_rule_texts(), "ann", "back", clock) == V0
    assert rules_in_force(database).version == V0


def test_a_second_owner_is_told_who_was_first_and_nothing_is_stored(
    database: Database, clock: Clock
) -> None:
    first = publish(database, V0, with_word("甲"), "ann", "one", clock)

    with pytest.raises(RulesMovedError, match=rf"{short(first)} was put in force by ann \(one\)"):
        publish(database, V0, with_word("乙"), "bob", "two", clock)

    assert rules_in_force(database).version == first
    assert len(database.rows("from rule_version")) == 1


@pytest.mark.parametrize(
    ("change", "author", "reason", "says"),
    [
        ({}, "ann", "why", "changes nothing"),
        ({ORDER: "name: [", "x": "y"}, "ann", "why", f"{ORDER}: line 1"),
        ({ORDER: "name: t\noutput_schema: [{name: s, type: enmu}]"}, "ann", "why", "allowed: enum"),
        ({ORDER: "name: t\noutput_schema: []"}, "", "why", "author"),
        ({"domain.yaml": "domain: shop\n"}, "ann", "  ", "reason"),
        ({"domain.yaml": "domain: shop\n"}, "ann", "x" * 1_001, "reason"),
    ],
)
def test_what_cannot_be_published_is_refused_in_a_sentence(
    database: Database,
    clock: Clock,
    change: dict[str, str],
    author: str,
    reason: str,
    says: str,
) -> None:
    with pytest.raises((RuleStoreError, RuleFileError), match=says):
        publish(database, V0, package_rule_texts() | change, author, reason, clock)

    assert history(database) == []


@pytest.mark.parametrize(
    ("version", "says"), [("f" * 64, "no such version"), (V0, "in force already")]
)
def test_a_roll_back_to_nowhere_is_refused(
    database: Database, clock: Clock, version: str, says: str
) -> None:
    with pytest.raises(RuleStoreError, match=says):
        roll_back(database, version, "ann", "why", clock)


def test_the_newest_move_counts_although_a_clock_was_set_back(
    database: Database, clock: Clock
) -> None:
    first = publish(database, V0, with_word("甲"), "ann", "one", clock)
    clock.now = 0

    second = publish(database, first, with_word("乙"), "ann", "two", clock)

    assert rules_in_force(database).version == second


def test_two_readings_of_one_version_are_equal(database: Database, clock: Clock) -> None:
    version = publish(database, V0, with_word("甲"), "ann", "one", clock)

    assert stored_rules(database, version) == stored_rules(database, version)
    assert stored_rules(database, version).rule_set.sha256 == load_rules(with_word("甲")).sha256


@given(st.dictionaries(st.text(max_size=5), st.text(max_size=20), max_size=4))
def test_a_version_is_its_content_whatever_the_order(texts: dict[str, str]) -> None:
    backwards = dict(reversed(texts.items()))

    assert version_of(texts) == version_of(backwards)
    assert version_of(texts) != version_of({**texts, "more": "x" * 30})
