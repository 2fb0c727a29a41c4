"""What is taken for new is new, whatever came before, and what was known is found again."""

from collections.abc import Callable
from pathlib import Path
from random import Random

import numpy as np
import pytest

from ingest.mapping import map_batch
from replay_store import Batch, Database, Writer, derive, known_rows, raw_ids, seal, seen_ids
from replay_store.known_rows import RecentSpans
from replay_store.records import RawOutput, Span
from replay_store.retention import DAY_NS, remove_expired
from replay_store.seen_ids import SeenIds
from replay_store.tier.move import move

MakeSpan = Callable[..., Span]
NOW = 1_796_000_000_000_000_000 // DAY_NS * DAY_NS
EVER = 1 << 62
TRACE = "a" * 32


def _ids(n: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 2**64, (n, 2), dtype=np.uint64)


def test_no_id_is_forgotten_and_few_others_are_perhaps() -> None:
    seen = SeenIds(20_000)
    for part in np.array_split(_ids(seen.n_more, seed=1), 7):
        seen.add(part)
    assert seen.n_more == 0
    assert seen.may_hold(_ids(32_768, seed=1)).all()
    assert seen.may_hold(_ids(100_000, seed=2)).mean() < 1 / 10_000


def test_with_more_than_there_is_room_for_none_is_forgotten() -> None:
    seen = SeenIds(1)
    seen.add(_ids(50_000, seed=1))
    assert seen.n_more == 0
    assert seen.may_hold(_ids(50_000, seed=1)).all()


@pytest.fixture
def few_recent(monkeypatch: pytest.MonkeyPatch) -> None:
    """Generations of sixteen spans."""
    monkeypatch.setattr(seen_ids, "_LEAST_WORDS", 8)
    monkeypatch.setattr(known_rows, "_RECENT", 16)


@pytest.mark.usefixtures("few_recent")
def test_spans_in_any_order_count_once_each(database: Database, make_span: MakeSpan) -> None:
    """Against a set: late and early ones, some without a start, in batches that overlap."""
    source = Random(3)  # noqa: S311 - an order, no secret
    starts = [None if n % 40 == 0 else n // 2 * 1_000 for n in range(200)]
    spans = [
        make_span(trace_id=TRACE, span_id=f"{n + 1:016x}", start_time_ns=start, end_time_ns=None)
        for n, start in enumerate(starts)
    ]
    known: set[str] = set()
    place = 0
    while place < len(spans):
        n_new = source.randrange(1, 16)
        batch = spans[place : place + n_new]
        place += n_new
        if source.random() < 0.5:
            batch += source.sample(spans[max(place - 150, 0) : place], k=min(place, 3))
        ids = {span.span_id for span in batch}
        assert Writer(database).write(Batch(spans=batch)).n_stored == len(ids - known)
        known |= ids
    assert database.row("select count(*) as n from span") == {"n": len(spans)}


def test_a_busy_stream_asks_the_table_for_nothing(
    database: Database, make_span: MakeSpan, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers: list[bool] = []
    are_new = RecentSpans.are_new

    def noted(*arguments: object) -> bool:
        answers.append(are_new(*arguments))  # type: ignore[arg-type]
        return answers[-1]

    monkeypatch.setattr(RecentSpans, "are_new", noted)
    writer = Writer(database)
    spans = [make_span(span_id=f"{n:016x}", start_time_ns=NOW + n) for n in range(1, 4)]
    for span in [*spans, spans[0]]:
        writer.write(Batch(spans=[span]))
    assert answers == [True, True, True, False]


def test_spans_of_before_the_store_was_opened_are_known(
    tmp_path: Path, make_span: MakeSpan
) -> None:
    spans = [make_span(span_id=f"{n:016x}", start_time_ns=NOW + n) for n in (1, 2)]
    for n_stored in (2, 0):
        with Database.open(tmp_path / "store.duckdb") as database:
            assert Writer(database).write(Batch(spans=spans)).n_stored == n_stored


def test_spans_that_come_back_from_files_are_known(tmp_path: Path, make_span: MakeSpan) -> None:
    """Moved by one process, and brought back, sent again, in the next."""
    path, start = tmp_path / "store.duckdb", NOW - 40 * DAY_NS
    old = make_span(trace_id=TRACE, start_time_ns=start, received_time_ns=start)
    with Database.open(path) as database:
        _write(database, [old])
        assert move(database, tmp_path / "days", before_ns=NOW - 30 * DAY_NS, now_ns=NOW)
    with Database.open(path) as database:
        late = make_span(trace_id=TRACE, start_time_ns=start + 1, received_time_ns=NOW)
        _write(database, [late])
        assert database.row("select count(*) as n from main.span") == {"n": 2}
        assert Writer(database).write(Batch(spans=[old])).n_stored == 0


def test_files_that_go_after_the_store_was_opened_stop_no_commit(
    tmp_path: Path, make_span: MakeSpan, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(raw_ids, "_ASKED_FIRST", 0)
    path, folder, start = tmp_path / "store.duckdb", tmp_path / "days", NOW - 40 * DAY_NS
    tool = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "look_up",
        "gen_ai.tool.call.result": "an answer",
    }
    old = make_span(trace_id=TRACE, start_time_ns=start, received_time_ns=start, attributes=tool)
    with Database.open(path) as database:
        _write(database, [old])
        assert move(database, folder, before_ns=NOW - 30 * DAY_NS, now_ns=NOW)
    with Database.open(path) as database:
        folder.rename(tmp_path / "away")
        database.raw_ids.watch()
        for n in (1, 2):
            _write(database, [make_span(span_id=f"{n:016x}", start_time_ns=NOW, attributes=tool)])
        (tmp_path / "away").rename(folder)
        assert database.missing_days == ()
        assert database.row("select count(*) as n from span") == {"n": 3}
        assert database.row("select count(*) as n from raw_output") == {"n": 1}


@pytest.mark.parametrize("n_asked_first", [0, 2])
def test_raw_outputs_are_kept_once_and_again_when_they_were_removed(
    database: Database,
    make_span: MakeSpan,
    monkeypatch: pytest.MonkeyPatch,
    n_asked_first: int,
) -> None:
    monkeypatch.setattr(raw_ids, "_ASKED_FIRST", n_asked_first)

    def answered(n: int, answer: str, start_ns: int) -> Span:
        return make_span(
            trace_id=f"{n:032x}",
            start_time_ns=start_ns,
            received_time_ns=start_ns,
            attributes={
                "gen_ai.operation.name": "execute_tool",
                "gen_ai.tool.name": "look_up",
                "gen_ai.tool.call.result": answer,
            },
        )

    def n_kept() -> int:
        return len(database.rows("select raw_id from raw_output"))

    old = NOW - 40 * DAY_NS
    writer = Writer(database)
    for n in range(1, 6):
        batch = Batch([answered(n, "the same", old + n), answered(n + 100, f"{n}", old + n)])
        map_batch(batch)
        writer.write(batch)
        assert n_kept() == n + 1
    derive(database)
    remove_expired(database, before_ns=NOW - 30 * DAY_NS, now_ns=NOW)
    assert n_kept() == 0
    for _ in range(2):
        _write(database, [answered(20, "the same", NOW), answered(21, "1", NOW)])
        assert n_kept() == 2


def test_a_raw_output_of_a_commit_that_failed_is_written_by_the_next(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(raw_ids, "_ASKED_FIRST", 0)
    output = RawOutput("7" * 32, "look_up", None, "{}", 2)
    writer = Writer(database)

    def write(*, fails: bool) -> None:
        with database.transaction() as cursor:
            writer._write_by_content(cursor, Batch(raw_outputs=[output]))
            if fails:
                raise RuntimeError

    for _ in range(2):
        with pytest.raises(RuntimeError):
            write(fails=True)
    for _ in range(3):
        write(fails=False)
    assert database.row("select count(*) as n from raw_output") == {"n": 1}


def _write(database: Database, spans: list[Span]) -> None:
    batch = Batch(spans=spans)
    map_batch(batch)
    Writer(database).write(batch)
    derive(database)
    seal(database, quiet_before_ns=EVER)
