"""What was said of an item a moment ago, taken back."""

from collections.abc import Iterator
from uuid import UUID

import pytest

from pipeline.vocabulary import SelectionLabel
from replay_store import Database
from replay_store.audit import draw_batch, items
from replay_store.audit_labels import LabelDraft, batch_labels, record_labels
from replay_store.audit_progress import SkipDraft, SkipReason, progress, record_skips
from replay_store.audit_take_back import take_back
from tests.replay_store.test_audit import emptied, store, world
from tests.stores import memory_store

RIGHT, UNSURE = SelectionLabel.RIGHT, SelectionLabel.CANT_TELL


@pytest.fixture
def database() -> Iterator[Database]:
    """Three decisions of three traces."""
    with memory_store() as opened:
        store(emptied(opened), world([1, 1, 1]))
        yield opened


@pytest.fixture
def batch_id(database: Database) -> UUID:
    batch = draw_batch(
        database,
        name="d",
        start_time_ns=0,
        end_time_ns=2**62,
        n=3,
        seed=1,
        created_by="Ada",
        clock=lambda: 1,
    )
    assert len(items(database, batch.batch_id)) == 3
    return batch.batch_id


def label(
    database: Database, batch_id: UUID, said: SelectionLabel, now: int, who: str = "Ada"
) -> None:
    record_labels(database, batch_id, [LabelDraft(0, said)], who, lambda: now)


def holding(database: Database, batch_id: UUID, who: str = "Ada") -> list[SelectionLabel]:
    return [label.label for label in batch_labels(database, batch_id, who)]


def test_a_label_is_as_if_it_had_not_been_given(database: Database, batch_id: UUID) -> None:
    label(database, batch_id, RIGHT, 10)

    assert take_back(database, batch_id, 0, "Ada", "audit", since_ns=10) == 1

    assert holding(database, batch_id) == []
    assert progress(database, batch_id, "Ada").is_open(0)
    assert database.rows("select * from vote") == []


def test_what_was_said_before_holds_again_and_is_never_taken_back(
    database: Database, batch_id: UUID
) -> None:
    label(database, batch_id, RIGHT, 10)
    label(database, batch_id, UNSURE, 20)
    assert holding(database, batch_id) == [UNSURE]

    take_back(database, batch_id, 0, "Ada", "audit", since_ns=15)
    assert holding(database, batch_id) == [RIGHT]

    assert take_back(database, batch_id, 0, "Ada", "audit", since_ns=15) == 0
    assert holding(database, batch_id) == [RIGHT]


def test_others_other_items_and_other_sources_are_left_alone(
    database: Database, batch_id: UUID
) -> None:
    label(database, batch_id, RIGHT, 10)
    label(database, batch_id, UNSURE, 10, "Bo")

    for position, who, source in (
        (1, "Ada", "audit"),
        (0, "Ada", "adjudication"),
        (0, "C", "audit"),
    ):
        assert take_back(database, batch_id, position, who, source, since_ns=0) == 0

    assert (holding(database, batch_id), holding(database, batch_id, "Bo")) == ([RIGHT], [UNSURE])


def test_what_was_passed_over_is_open_again(database: Database, batch_id: UUID) -> None:
    skip = [SkipDraft(0, SkipReason.INVOLVED)]
    record_skips(database, batch_id, skip, "Ada", lambda: 10)
    assert not progress(database, batch_id, "Ada").is_open(0)

    assert take_back(database, batch_id, 0, "Ada", "audit", since_ns=10) == 1

    assert progress(database, batch_id, "Ada").is_open(0)


def test_pages_learn_of_it(database: Database, batch_id: UUID) -> None:
    def version() -> object:
        return database.row("select version from store_state")

    label(database, batch_id, RIGHT, 10)
    before = version()
    take_back(database, batch_id, 1, "Ada", "audit", since_ns=0)
    assert version() == before, "nothing was said of it"
    take_back(database, batch_id, 0, "Ada", "audit", since_ns=0)
    assert version() != before
