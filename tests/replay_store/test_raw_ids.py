"""A look for an answer finds it wherever it is, and looks only where it may be."""

import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from replay_store import Database, raw_ids, seen_ids, watched_ids

_LOOKED_FOR = raw_ids._looked_for


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """Parts of sixteen ids."""
    monkeypatch.setattr(seen_ids, "_LEAST_WORDS", 8)
    monkeypatch.setattr(seen_ids, "_PART", 16)
    monkeypatch.setattr(raw_ids, "_READ_AT_ONCE", 8)
    with Database.open(tmp_path / "store.duckdb") as database:
        yield database


@pytest.fixture
def looks(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """Between which rows the table was asked."""
    asked: list[tuple[int, int]] = []

    def noted(
        cursor: duckdb.DuckDBPyConnection,
        ids: pa.Array,
        first_row: int = 0,
        last_row: int = raw_ids._LAST_ROW,
    ) -> Sequence[tuple[int, int]]:
        asked.append((first_row, last_row))
        return _LOOKED_FOR(cursor, ids, first_row, last_row)

    monkeypatch.setattr(raw_ids, "_looked_for", noted)
    return asked


def _id(number: int) -> bytes:
    return np.random.default_rng(number).bytes(16)


def _write(database: Database, numbers: Sequence[int], *, fails: bool = False) -> set[int]:
    """As a writer does; which of them the store was said to hold."""
    ids = pa.array([_id(number) for number in numbers], pa.uuid())
    with database.transaction() as cursor:
        known = set(database.raw_ids.known(cursor, ids).tolist())
        new = [number for place, number in enumerate(numbers) if place not in known]
        if new:
            table = pa.table({"raw_id": pa.array([_id(number) for number in new], pa.uuid())})
            database.raw_ids.add(table["raw_id"].combine_chunks())
            cursor.register("batch", table)
            cursor.execute(
                "insert into raw_output (raw_id, tool_name, n_bytes) select raw_id, '', 0 from batch"
            )
        if fails:
            cursor.rollback()
            cursor.begin()
    return {numbers[place] for place in known}


def _remove(database: Database, numbers: Sequence[int]) -> None:
    with database.transaction() as cursor:
        cursor.register("gone", pa.table({"raw_id": pa.array(map(_id, numbers), pa.uuid())}))
        cursor.execute("delete from raw_output where raw_id in (select raw_id from gone)")
        database.raw_ids.forget_found()


@pytest.mark.parametrize("seed", range(4))
def test_what_is_known_is_what_is_there(store: Database, seed: int) -> None:
    """Against a set: new and old ones, commits that fail, some removed and sent again."""
    source = Random(seed)  # noqa: S311 - an order, no secret
    there: set[int] = set()
    next_number = 0
    _write(store, range(next_number := 40))
    there.update(range(next_number))
    store.raw_ids.watch()
    for _ in range(80):
        n_new = source.randrange(1, 12)
        numbers = [*range(next_number, next_number + n_new)]
        next_number += n_new
        numbers += source.sample(range(next_number - n_new), k=source.randrange(4))
        source.shuffle(numbers)
        fails = source.random() < 0.15
        assert _write(store, numbers, fails=fails) == there & set(numbers)
        if not fails:
            there |= set(numbers)
        if source.random() < 0.1:
            gone = source.sample(sorted(there), k=source.randrange(1, 30))
            _remove(store, gone)
            there -= set(gone)
            store.checkpoint()
    assert store.row("select count(*) as n, count(distinct raw_id) as ids from raw_output") == {
        "n": len(there),
        "ids": len(there),
    }


def test_a_look_stays_within_a_part(store: Database, looks: list[tuple[int, int]]) -> None:
    _write(store, range(160))
    store.raw_ids.watch()
    looks.clear()
    assert _write(store, [20, *range(160, 165)]) == {20}
    assert looks == [(16, 32)]
    _write(store, range(165, 181))
    looks.clear()
    assert _write(store, [166]) == {166}
    assert looks == [(0, raw_ids._LAST_ROW), (165, raw_ids._LAST_ROW)]


def test_rows_whose_numbers_moved_are_found(
    store: Database, looks: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seen_ids, "_PART", 1_024)
    monkeypatch.setattr(raw_ids, "_READ_AT_ONCE", 512)
    n_a_group, n = 10_240, 51_200
    for first in range(0, n, n_a_group):
        ids = pa.array([_id(number) for number in range(first, first + n_a_group)], pa.uuid())
        with store.transaction() as cursor:
            cursor.register("batch", pa.table({"raw_id": ids}))
            cursor.execute(
                "insert into raw_output (raw_id, tool_name, n_bytes) select raw_id, '', 0 from batch"
            )
    store.checkpoint()
    store.raw_ids.watch()
    _remove(store, [number for number in range(n) if number % 32])
    store.checkpoint()
    last = store.row("select max(rowid) as row from raw_output")
    assert last is not None
    assert last["row"] < n // 2
    looks.clear()
    for number in (32, n_a_group, 25_600, n - 32):
        assert _write(store, [number]) == {number}
    assert looks.count((0, raw_ids._LAST_ROW)) == 1


def test_answers_that_come_while_the_ids_are_read_are_known(
    store: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_go_on = threading.Event()
    watched = store.raw_ids._watched
    read = watched._read

    def slow(*arguments: object) -> object:
        assert may_go_on.wait(10)
        return read(*arguments)  # type: ignore[arg-type]

    _write(store, range(30))
    monkeypatch.setattr(watched, "_read", slow)
    monkeypatch.setattr(watched_ids, "_SOON_SECONDS", 0)
    store.raw_ids.watch_beside()
    for first in range(20, 120, 10):
        assert _write(store, range(first, first + 10)) == (
            {*range(20, 30)} if first == 20 else set()
        )
    reader = watched._reader
    assert reader is not None
    assert reader.is_alive()
    may_go_on.set()
    reader.join(10)
    assert watched.kept is not None
    assert _write(store, [*range(0, 130, 7)]) == {*range(0, 120, 7)}


def test_a_store_that_is_closed_waits_for_no_reading(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(raw_ids, "_READ_AT_ONCE", 8)
    monkeypatch.setattr(watched_ids, "_SOON_SECONDS", 0)
    with Database.open(tmp_path / "store.duckdb") as database:
        _write(database, range(30))
        database.raw_ids.watch_beside()
    assert database.raw_ids._watched._reader is not None
    assert not database.raw_ids._watched._reader.is_alive()
    with Database.open(tmp_path / "store.duckdb") as database:
        assert database.row("select count(*) as n from raw_output") == {"n": 30}
