"""A bound on memory holds for the common batch, and never costs a record."""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import duckdb
import pytest

from replay_store import Database, memory
from replay_store.derive import derive_within
from replay_store.errors import StoreMemoryError
from replay_store.records import Span
from replay_store.writer import Batch, Writer

LARGE = "select len(list(range)) as n from range(4_000_000)"
"""A question that needs more than 8 MB, and less than there is room for."""


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


@pytest.mark.parametrize(
    ("error", "is_memory"),
    [
        (duckdb.OutOfMemoryException("could not allocate block of size 256.0 KiB"), True),
        (duckdb.TransactionException("Failed to commit: failed to pin block of size 1 KiB"), True),
        (duckdb.TransactionException("Failed to commit: could not allocate block of size 1"), True),
        (duckdb.TransactionException("Conflict on update!"), False),
        (duckdb.IOException("No space left on device"), False),
    ],
)
def test_a_commit_that_exceeds_the_bound_at_its_very_end_is_done_again(
    error: duckdb.Error, is_memory: bool, tmp_path: Path
) -> None:
    tried: list[str] = []

    def work() -> str:
        with database.transaction():
            tried.append(_limit(database))
            if len(tried) == 1:
                raise error
        return "done"

    with Database.open(tmp_path / "store.duckdb", memory_limit="8MB") as database:
        if is_memory:
            assert database.with_room(work) == "done"
            assert tried == ["7.6 MiB", "3.7 GiB"]
        else:
            with pytest.raises(type(error)):
                database.with_room(work)
            assert tried == ["7.6 MiB"]


@pytest.mark.parametrize(
    "ask",
    [
        lambda database: database.rows(LARGE)[0]["n"],
        lambda database: database.row(LARGE)["n"],
        lambda database: database.known_row(LARGE)["n"],
        lambda database: database.frame(LARGE)["n"][0],
        lambda database: database.with_room(
            lambda: next(database.batches(LARGE, 10))[0][0].as_py()
        ),
    ],
    ids=["rows", "row", "known_row", "frame", "batches"],
)
def test_a_question_beyond_the_bound_is_asked_again_with_room(
    ask: Callable[[Database], int], tmp_path: Path
) -> None:
    with Database.open(tmp_path / "store.duckdb", memory_limit="8MB") as database:
        assert ask(database) == 4_000_000
        assert _limit(database) == "7.6 MiB"


def test_what_exceeds_the_room_too_is_told_in_a_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(memory, "ROOM", "9MB")
    with Database.open(tmp_path / "store.duckdb", memory_limit="8MB") as database:
        with pytest.raises(StoreMemoryError, match="TOOLSIGHT_MEMORY_LIMIT"):
            database.rows(LARGE)
        assert database.rows("select 1 as n") == [{"n": 1}]
        assert _limit(database) == "7.6 MiB"


def test_a_limit_wider_than_the_room_is_never_narrowed(tmp_path: Path) -> None:
    tried: list[str] = []

    def work() -> None:
        tried.append(_limit(database))
        raise StoreMemoryError("short")

    with Database.open(tmp_path / "store.duckdb", memory_limit="5GB") as database:
        with pytest.raises(StoreMemoryError):
            database.with_room(work)
        assert tried == [_limit(database)]
        with database.bounded("8MB"):
            tried.clear()
            with pytest.raises(StoreMemoryError):
                database.with_room(work)
        assert tried == ["7.6 MiB", "3.7 GiB"]


def test_twice_a_wide_bound_is_tried_before_all_the_room_there_is(tmp_path: Path) -> None:
    tried: list[str] = []

    def work() -> str:
        tried.append(_limit(database))
        if len(tried) < n_tries:
            raise StoreMemoryError("short")
        return "done"

    limits = ["1.0 GiB", "2.0 GiB", "3.7 GiB"]
    with Database.open(tmp_path / "store.duckdb", memory_limit="1GiB") as database:
        for n_tries in (1, 2, 3):
            tried.clear()
            assert database.with_room(work) == "done"
            assert tried == limits[:n_tries]
            assert _limit(database) == "1.0 GiB"
        n_tries = 4
        tried.clear()
        with pytest.raises(StoreMemoryError):
            database.with_room(work)
        assert tried == limits


def test_work_inside_work_that_has_room_is_not_tried_once_more(tmp_path: Path) -> None:
    tried: list[str] = []

    def work() -> None:
        tried.append(_limit(database))
        raise StoreMemoryError("short")

    with Database.open(tmp_path / "store.duckdb", memory_limit="8MB") as database:
        with pytest.raises(StoreMemoryError):
            database.with_room(lambda: database.with_room(work))
        assert tried == ["7.6 MiB", "3.7 GiB", "3.7 GiB"]


def test_what_derives_within_a_bound_takes_fewer_traces_before_it_takes_room(
    tmp_path: Path, make_span: Callable[..., Span], monkeypatch: pytest.MonkeyPatch
) -> None:
    begin, begun = Database.transaction, 0

    @contextmanager
    def short_at_first(self: Database) -> Iterator[duckdb.DuckDBPyConnection]:
        nonlocal begun
        begun += 1
        if begun <= 2:
            raise StoreMemoryError("short")
        with begin(self) as cursor:
            yield cursor

    with Database.open(tmp_path / "store.duckdb") as database, database.bounded("64MB"):
        spans = [make_span(trace_id=f"{number:032x}") for number in range(1, 121)]
        Writer(database).write(Batch(spans=spans))
        with monkeypatch.context() as patch:
            patch.setattr(Database, "transaction", short_at_first)
            assert derive_within(database, 400) == 100
            assert _limit(database) == "61.0 MiB"
        assert derive_within(database, 400) == 20
        assert derive_within(database, 400) == 0


def test_of_several_bounds_at_a_time_the_widest_holds(tmp_path: Path) -> None:
    with Database.open(tmp_path / "store.duckdb") as database:
        before = _limit(database)
        first, second = ExitStack(), ExitStack()
        first.enter_context(database.bounded("8MB"))
        second.enter_context(database.bounded("64MB"))
        assert _limit(database) == "61.0 MiB"
        first.close()
        assert _limit(database) == "61.0 MiB"
        first.enter_context(database.bounded("8MB"))
        second.close()
        assert _limit(database) == "7.6 MiB"
        first.close()
        assert _limit(database) == before


def test_a_bound_within_a_narrower_store_does_not_widen_it(tmp_path: Path) -> None:
    with (
        Database.open(tmp_path / "store.duckdb", memory_limit="8MB") as database,
        database.bounded("64MB"),
    ):
        assert _limit(database) == "7.6 MiB"


def test_room_lasts_until_the_last_who_needs_it_is_done(tmp_path: Path) -> None:
    has_begun, may_end = threading.Event(), threading.Event()
    seen: list[str] = []
    with Database.open(tmp_path / "store.duckdb", memory_limit="8MB") as database:

        def long_work() -> None:
            if _limit(database) == "7.6 MiB":
                raise StoreMemoryError("short")
            has_begun.set()
            may_end.wait(30)
            seen.append(_limit(database))

        thread = threading.Thread(target=database.with_room, args=(long_work,))
        thread.start()
        assert has_begun.wait(30)
        assert database.row(LARGE) == {"n": 4_000_000}
        may_end.set()
        thread.join()

        assert seen == ["3.7 GiB"]
        assert _limit(database) == "7.6 MiB"


def test_a_bound_that_cannot_return_yet_returns_with_the_next_question(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    held = [True]
    set_limit = memory._set

    def set_if_free(connection: duckdb.DuckDBPyConnection, limit: str | None) -> None:
        if limit == "8MB" and held[0]:
            raise duckdb.OutOfMemoryException("could not free up enough memory for the new limit")
        set_limit(connection, limit)

    monkeypatch.setattr(memory, "_set", set_if_free)
    with Database.open(tmp_path / "store.duckdb", memory_limit="8MB") as database:
        assert database.row(LARGE) == {"n": 4_000_000}
        assert _limit(database) == "3.7 GiB"
        held[0] = False
        database.rows("select 1")
        assert _limit(database) == "7.6 MiB"
