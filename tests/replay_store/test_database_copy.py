"""A copy is the store as it was at one moment, whole, and nobody waits for it."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from ingest.mapping import map_batch
from replay_store import Batch, Database, StoreError, Writer, derive
from replay_store.reader import TraceFilter
from replay_store.records import Span
from replay_store.trace_counts import count_traces

MakeSpan = Callable[..., Span]


def _write(database: Database, spans: list[Span]) -> None:
    batch = Batch(spans=spans)
    map_batch(batch)
    Writer(database).write(batch)
    derive(database)


def test_a_copy_holds_what_the_store_held_and_opens_as_one(
    tmp_path: Path, make_span: MakeSpan
) -> None:
    copy = tmp_path / "a copy's.duckdb"
    with Database.open(tmp_path / "store.duckdb") as database:
        _write(database, [make_span(trace_id=f"{n:032x}") for n in range(1, 6)])
        database.copy_to(copy)
        _write(database, [make_span(trace_id="f" * 32)])

    with Database.open(copy) as copied:
        assert count_traces(copied, TraceFilter()) == 5
        _write(copied, [make_span(trace_id="e" * 32)])
        assert count_traces(copied, TraceFilter()) == 6
    assert not list(tmp_path.glob("*.part*"))


def test_writing_goes_on_while_a_copy_is_made(tmp_path: Path, make_span: MakeSpan) -> None:
    with Database.open(tmp_path / "store.duckdb") as database:
        _write(database, [make_span(trace_id=f"{n:032x}") for n in range(1, 200)])
        done = threading.Event()

        def copy() -> None:
            for number in range(3):
                database.copy_to(tmp_path / f"{number}.duckdb")
            done.set()

        thread = threading.Thread(target=copy)
        thread.start()
        n_written = 0
        while not done.is_set():
            n_written += 1
            _write(database, [make_span(trace_id=f"f{n_written:031x}")])
        thread.join()

        assert n_written >= 1
        assert count_traces(database, TraceFilter()) == 199 + n_written
    for number in range(3):
        with Database.open(tmp_path / f"{number}.duckdb") as copied:
            n = copied.rows("select count(*) as n from span")[0]["n"]
            assert 199 <= n <= 199 + n_written


def test_a_file_that_is_there_is_not_touched(tmp_path: Path) -> None:
    there = tmp_path / "there"
    there.write_text("mine")
    with Database.open() as database, pytest.raises(StoreError, match="is there already"):
        database.copy_to(there)

    assert there.read_text() == "mine"


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    with Database.open() as database, pytest.raises(StoreError, match="no_folder"):
        database.copy_to(tmp_path / "no_folder" / "copy.duckdb")
