"""Decisions that somebody labelled are kept apart once they are sealed, whichever comes first."""

from collections.abc import Iterator

import pytest

from replay_store.database import Database
from replay_store.derive import open_retired, seal
from replay_store.derive.labelled import look_for_labelled
from tests.metrics.conftest import Store, trace_id
from tests.stores import memory_store


@pytest.fixture
def store() -> Iterator[Store]:
    with memory_store() as database:
        yield Store(database)


def _seal(store: Store) -> None:
    seal(store.database, quiet_before_ns=2**62)


def _kept(database: Database) -> list[tuple[str, int, int | None]]:
    rows = database.rows(
        """
        select hex_trace(trace_id) as id, turn_index, trace_start_time_ns - 1700000000000000000 as start
        from labelled_decision
        order by all
        """
    )
    return [(row["id"], row["turn_index"], row["start"]) for row in rows]


def _judged(database: Database) -> list[tuple[int, str]]:
    rows = database.rows("select turn_index, reason from judged_decision order by all")
    return [(row["turn_index"], row["reason"]) for row in rows]


def _two_traces(store: Store) -> None:
    for number in (1, 2):
        store.trace(number, start=number)
        for turn in (0, 1):
            store.decision(number, turn, time=None)


def test_labels_before_the_seal_are_kept_with_it(store: Store) -> None:
    _two_traces(store)
    store.label(1, 1)
    _seal(store)
    assert _kept(store.database) == [(trace_id(1), 0, 10**9), (trace_id(1), 1, 10**9)]
    assert _judged(store.database) == [(1, "counted")]


def test_labels_after_the_seal_count_at_once_and_are_kept_at_the_next_look(store: Store) -> None:
    _two_traces(store)
    _seal(store)
    store.label(2, 0)
    store.label(7, 0)
    assert _judged(store.database) == [(0, "counted"), (0, "decision_not_stored")]
    assert _kept(store.database) == []
    _seal(store)
    assert _kept(store.database) == [(trace_id(2), 0, 2 * 10**9), (trace_id(2), 1, 2 * 10**9)]
    assert _judged(store.database) == [(0, "counted"), (0, "decision_not_stored")]
    assert store.database.row("select count(*) as n from labelled_trace") == {"n": 2}


def test_a_second_look_and_a_second_label_keep_nothing_twice(store: Store) -> None:
    _two_traces(store)
    _seal(store)
    for annotator in ("ann", "bea"):
        store.label(2, 0, by=annotator)
        look_for_labelled(store.database)
    assert len(_kept(store.database)) == 2
    assert _judged(store.database) == [(0, "counted")]


def test_a_trace_that_was_labelled_before_it_came_is_kept_when_it_is_sealed(store: Store) -> None:
    store.label(1, 0)
    _seal(store)
    _two_traces(store)
    assert _judged(store.database) == [(0, "counted")]
    _seal(store)
    assert len(_kept(store.database)) == 2
    assert _judged(store.database) == [(0, "counted")]


def test_a_trace_that_opens_again_is_taken_out(store: Store) -> None:
    _two_traces(store)
    store.label(1, 0)
    _seal(store)
    with store.database.transaction() as cursor:
        cursor.execute(
            "create or replace temp table retired as select $id::uuid as trace_id",
            {"id": trace_id(1)},
        )
        open_retired(cursor)
    assert _kept(store.database) == []
    assert _judged(store.database) == [(0, "counted")]
    _seal(store)
    assert len(_kept(store.database)) == 2
