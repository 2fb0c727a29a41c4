"""Drafts are kept at every change, and people who change the same one are told of each other."""

import itertools

import pytest

from pipeline.observation import package_rule_texts
from replay_store.database import Database
from replay_store.errors import RuleDraftMovedError, RuleStoreError, SelfApprovalError
from replay_store.rule_drafts import close_draft, kept_draft, open_drafts, save_draft
from replay_store.rule_reviews import acknowledge, approve, is_same_person, reviewed
from replay_store.rule_store import V0, version_of

BASE = package_rule_texts()
ORDER = "order_status.yaml"


def texts(word: str) -> dict[str, str]:
    return {**BASE, ORDER: BASE[ORDER].replace("已发货", word)}


def clock() -> int:
    return next(_TIMES)


_TIMES = itertools.count(1_000)


def save(database: Database, word: str, author: str | None = "ann", **more: str | None) -> str:
    return save_draft(database, V0, texts(word), [{"raw": word}], author, clock, **more)


def test_a_draft_is_kept_as_it_was_left_last(database: Database) -> None:
    draft_id = save(database, "已寄出", None)
    before = kept_draft(database, draft_id)
    assert before is not None
    assert (before.author, before.authors) == (None, ())

    save(database, "寄出", "bob", draft_id=draft_id, expected_version=before.version)

    found = kept_draft(database, draft_id)
    assert found is not None
    assert found.texts == texts("寄出")
    assert found.version == version_of(texts("寄出"))
    assert (found.base_version, found.edits, found.authors) == (V0, [{"raw": "寄出"}], ("bob",))
    assert found.begun_time_ns < found.saved_time_ns
    assert [item.draft_id for item in open_drafts(database)] == [draft_id]


def test_two_who_change_one_draft_are_told_and_nothing_is_overwritten(database: Database) -> None:
    draft_id = save(database, "已寄出")
    seen = version_of(texts("已寄出"))
    save(database, "寄出", "bob", draft_id=draft_id, expected_version=seen)

    with pytest.raises(RuleDraftMovedError, match="changed by bob meanwhile"):
        save(database, "发出", "ann", draft_id=draft_id, expected_version=seen)

    found = kept_draft(database, draft_id)
    assert found is not None
    assert found.texts == texts("寄出")


def test_texts_that_cannot_be_used_are_kept_too(database: Database) -> None:
    draft_id = save_draft(database, V0, {ORDER: "name: ["}, [], "ann", clock)

    found = kept_draft(database, draft_id)
    assert found is not None
    assert found.texts == {ORDER: "name: ["}


@pytest.mark.parametrize("state", ["discarded", "published"])
def test_a_closed_draft_is_not_listed_and_can_be_opened_again(
    database: Database, state: str
) -> None:
    draft_id = save(database, "已寄出")

    close_draft(database, draft_id, state, None, clock)  # type: ignore[arg-type]
    assert open_drafts(database) == []
    close_draft(database, draft_id, "open", "bob", clock)

    [found] = open_drafts(database)
    assert found.texts == texts("已寄出")


@pytest.mark.parametrize("draft_id", ["", "x", "00000000-0000-0000-0000-000000000000"])
def test_an_unknown_draft_is_none(database: Database, draft_id: str) -> None:
    assert kept_draft(database, draft_id) is None
    with pytest.raises(RuleStoreError, match="none of that id"):
        close_draft(database, draft_id, "discarded", None, clock)


def test_what_is_said_of_a_version_holds_until_it_is_withdrawn(database: Database) -> None:
    acknowledge(database, V0, "x", ["k1", "k2"], "ann", clock)
    acknowledge(database, V0, "x", ["k1"], "bob", clock)
    acknowledge(database, V0, "x", ["k2"], "ann", clock, is_withdrawn=True)
    approve(database, V0, "x", "bob", " fine ", ["ann"], clock)

    said = reviewed(database, V0, "x")
    assert said.acknowledged == {"k1": "ann"}
    assert [(item.author, item.note) for item in said.approvals] == [("bob", "fine")]

    approve(database, V0, "x", "bob", "", ["ann"], clock, is_withdrawn=True)
    assert reviewed(database, V0, "x").approvals == ()


def test_what_is_said_of_one_version_says_nothing_of_another(database: Database) -> None:
    approve(database, V0, "x", "bob", "", [], clock)
    acknowledge(database, V0, "x", ["k"], "bob", clock)

    for base, version in ((V0, "y"), ("b", "x")):
        said = reviewed(database, base, version)
        assert (said.acknowledged, said.approvals) == ({}, ())


def test_who_changed_a_draft_cannot_approve_it(database: Database) -> None:
    with pytest.raises(SelfApprovalError, match="approval by ANN: they changed this draft"):
        approve(database, V0, "x", " ANN ", "", ["ann"], clock)

    assert reviewed(database, V0, "x").approvals == ()


@pytest.mark.parametrize(
    ("approver", "authors", "publisher", "expected"),
    [
        ("bob", ["ann"], "ann", "bob"),
        ("bob", ["ann"], "bob", "bob"),
        ("bob", ["Bob "], "ann", None),
        ("bob", [], "ann", "bob"),
        ("bob", [], "BOB", None),
        ("bob", [], None, "bob"),
    ],
)
def test_a_second_owner_is_somebody_else(
    database: Database,
    approver: str,
    authors: list[str],
    publisher: str | None,
    expected: str | None,
) -> None:
    approve(database, V0, "x", approver, "", [], clock)

    assert reviewed(database, V0, "x").second_owner(authors, publisher) == expected


@pytest.mark.parametrize("author", ["", "  ", "x" * 101])
def test_nobody_says_nothing(database: Database, author: str) -> None:
    with pytest.raises(RuleStoreError, match="expected 1 to 100 characters"):
        acknowledge(database, V0, "x", ["k"], author, clock)


def test_names_are_compared_as_people_read_them() -> None:
    assert is_same_person("Ａｎｎ  Lee", "ann lee ")
    assert not is_same_person("ann", "anna")
