"""A bound on memory holds for the common batch, and never costs a record."""

from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from replay_store import Database
from replay_store.records import Span
from replay_store.writer import Batch, Writer


def _limit(database: Database) -> str:
    [row] = database.rows("select current_setting('memory_limit') as it")
    return str(row["it"])


def test_a_bound_ends_with_its_block(tmp_path: Path) -> None:
    with Database.open(tmp_path / "store.duckdb") as database:
        before = _limit(database)
        with database.bounded("64MB"):
            assert _limit(database) == "61.0 MiB"
        assert _limit(database) == before


def test_a_batch_beyond_the_bound_is_given_room(
    make_span: Callable[..., Span], tmp_path: Path
) -> None:
    spans = [make_span(attributes={"a": f"{index}" * 200_000}) for index in range(60)]
    with Database.open(tmp_path / "store.duckdb") as database, database.bounded("8MB"):
        written = Writer(database).write(Batch(spans=spans))
        assert (written.n_stored, written.n_merged) == (60, 0)
        [row] = database.rows("select count(*) as n from span")
        assert row["n"] == 60
        assert _limit(database) == "7.6 MiB"


def test_work_that_exceeds_the_bound_is_done_again_with_room(tmp_path: Path) -> None:
    whole = "select len(list(range)) as n from range(4_000_000)"
    with Database.open(tmp_path / "store.duckdb") as database, database.bounded("8MB"):
        with pytest.raises(duckdb.OutOfMemoryException):
            database.rows(whole)

        assert database.with_room(lambda: database.rows(whole)) == [{"n": 4_000_000}]
        assert _limit(database) == "7.6 MiB"
