"""Days move out of the store and back; each row is in one place at any time, and late spans find theirs."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import replay_store.tier.move as moving
from ingest.mapping import map_batch
from ingest.rebuild import rebuild
from replay_store import Batch, Database, TraceFilter, Writer, derive, seal
from replay_store.doctor import Check, examine
from replay_store.doctor_repair import repair
from replay_store.errors import StoreWriteError
from replay_store.reader import (
    find_traces,
    get_span,
    get_trace,
    trace_logs,
    trace_spans,
    trace_spans_whole,
)
from replay_store.records import Span
from replay_store.retention import DAY_NS, expired, remove_expired, removed_trace
from replay_store.salvage import salvage
from replay_store.story import trace_steps
from replay_store.tier.back import bring_back, take_in
from replay_store.tier.move import move
from replay_store.trace_counts import count_traces
from tests.stores import memory_store

MakeSpan = Callable[..., Span]
NOW = 1_796_000_000_000_000_000 // DAY_NS * DAY_NS
EVER = 1 << 62
OLD, OTHER, NEW = "a" * 32, "b" * 32, "c" * 32
DERIVED = (
    "trace",
    "tool_call",
    "attempt",
    "decision",
    "guard_evaluation",
    "model_call",
    "call_retry",
    "observed",
)
READ = (
    "span",
    "span_role",
    "call_evidence",
    "llm_call",
    "raw_occurrence",
    "raw_output",
    "noise_log",
)
ROLLED = (
    "rollup_call",
    "rollup_count",
    "rollup_tool_count",
    "rollup_seen",
    "rollup_alike",
    "rollup_tool_time",
    "rollup_time",
    "rollup_time_day",
    "rollup_share",
    "rollup_share_day",
    "rollup_crossing",
    "rollup_task",
    "task_part",
)


def agent(make_span: MakeSpan, trace_id: str, start_ns: int, answer: str = "x") -> list[Span]:
    """A root and a tool it called, as they came when they ended."""
    call = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "look_up",
        "gen_ai.tool.call.result": answer,
    }
    root = make_span(trace_id=trace_id, start_time_ns=start_ns, received_time_ns=start_ns)
    tool = make_span(
        trace_id=trace_id,
        parent_span_id=root.span_id,
        start_time_ns=start_ns + 1,
        received_time_ns=start_ns,
        attributes=call,
    )
    return [root, tool]


def write(database: Database, spans: list[Span], *, is_sealed: bool = True) -> None:
    batch = Batch(spans=spans)
    map_batch(batch)
    Writer(database).write(batch)
    derive(database)
    if is_sealed:
        seal(database, quiet_before_ns=EVER)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "it's [old] *days"


@pytest.fixture(scope="module")
def sealed_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the old traces of `store` lie once the first test that wants them has written them."""
    return tmp_path_factory.mktemp("tier") / "sealed.duckdb"


@pytest.fixture
def store(make_span: MakeSpan, sealed_once: Path) -> Iterator[Database]:
    """Two traces of 40 and 39 days ago with one answer between them, and one of yesterday."""
    old = agent(make_span, OLD, NOW - 40 * DAY_NS)
    other = agent(make_span, OTHER, NOW - 39 * DAY_NS)
    if not sealed_once.exists():
        with Database.open(sealed_once) as database:
            write(database, old)
            write(database, other)
    with memory_store(sealed_once) as database:
        write(database, agent(make_span, NEW, NOW - DAY_NS))
        yield database


def move_old(database: Database, folder: Path, days: int = 30) -> list[moving.MovedFile]:
    return move(database, folder, before_ns=NOW - days * DAY_NS, now_ns=NOW)


def here(database: Database, table: str) -> int:
    [row] = database.rows(f"select count(*) as n from main.{table}")
    return int(row["n"])


def content(database: Database, tables: tuple[str, ...] = READ + DERIVED) -> dict[str, Any]:
    """How many rows each table has, wherever they are, and a hash of them in no order."""
    return {
        table: database.rows(f"select count(*) as n, bit_xor(hash(held)) as h from {table} as held")
        for table in tables
    }


def wrong(database: Database) -> dict[Check, int]:
    return {finding.check: finding.n for finding in examine(database) if not finding.is_sound}


def lost(database: Database) -> tuple[int, ...]:
    """The days that cannot be read now."""
    return database.missing_days


def whole_trace(database: Database, trace_id: str) -> tuple[Any, ...]:
    """What the page of a trace shows of it."""
    trace = get_trace(database, trace_id)
    if trace is None:
        return (None,)
    spans = trace_spans(database, trace_id)
    details = [get_span(database, trace_id, span.span_id) for span in spans]
    return trace, spans, details, trace_steps(database, trace_id), trace_logs(database, trace_id)


def files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_a_store_without_moved_days_asks_its_tables(store: Database) -> None:
    assert store._places.schema == "store"
    assert lost(store) == ()
    assert store.rows("select schema_name from duckdb_schemas() where schema_name = 'whole'") == []


def test_rows_leave_the_store_and_all_is_found_as_before(store: Database, folder: Path) -> None:
    before, traces = content(store), find_traces(store, TraceFilter(), limit=9)

    moved = move_old(store, folder)

    assert {(file.table, file.day) for file in moved} >= {
        ("span", (NOW - 40 * DAY_NS) // DAY_NS),
        ("span", (NOW - 39 * DAY_NS) // DAY_NS),
    }
    assert sum(file.n_rows for file in moved if file.table == "span") == 4
    assert all(file.n_bytes > 0 for file in moved)
    assert (here(store, "span"), here(store, "trace")) == (2, 1)
    assert content(store) == before
    assert find_traces(store, TraceFilter(), limit=9) == traces
    assert [span.span_id for span in trace_spans(store, OLD)]
    assert wrong(store) == {}
    assert move_old(store, folder) == []


def test_of_a_trace_only_its_own_files_are_read(store: Database, folder: Path) -> None:
    ids = (OLD, OTHER, NEW, "f" * 32)
    before = {trace_id: whole_trace(store, trace_id) for trace_id in ids}
    move_old(store, folder)

    assert {trace_id: whole_trace(store, trace_id) for trace_id in ids} == before
    for path in (path for path in files(folder) if path.name.endswith("-000002.parquet")):
        path.rename(path.with_suffix(".away"))
    assert whole_trace(store, OLD) == before[OLD]
    assert whole_trace(store, NEW) == before[NEW]
    assert not store._places.missing
    assert whole_trace(store, OTHER)[0] is None
    assert store._places.missing


def test_open_traces_and_such_as_wait_stay(
    store: Database, folder: Path, make_span: MakeSpan
) -> None:
    write(store, agent(make_span, "d" * 32, NOW - 50 * DAY_NS), is_sealed=False)
    Writer(store).write(Batch(spans=agent(make_span, OLD, NOW - 40 * DAY_NS)))

    move_old(store, folder)

    assert {str(row["trace_id"].hex) for row in store.rows("from main.tiered_trace")} == {OTHER}


def test_days_lie_apart_and_in_order_of_hour_and_trace(
    store: Database, folder: Path, make_span: MakeSpan
) -> None:
    write(store, agent(make_span, "1" * 32, NOW - 40 * DAY_NS))

    move_old(store, folder)

    day = NOW // DAY_NS - 40
    sql = "select path from main.tier_file where table_name = 'span' and day = $day"
    [path] = [Path(row["path"]) for row in store.rows(sql, {"day": day})]
    assert path.parent.name.startswith("day=20")
    listed = str(path).replace("'", "''")
    held = store.rows(f"select hex_trace(trace_id) as trace_id from read_parquet(['{listed}'])")
    assert [row["trace_id"] for row in held] == ["1" * 32] * 2 + [OLD] * 2
    codecs = store.rows(f"select distinct compression as it from parquet_metadata('{listed}')")
    assert codecs == [{"it": "ZSTD"}]


def test_an_answer_that_a_trace_in_the_store_holds_stays_until_that_goes(
    store: Database, folder: Path
) -> None:
    assert here(store, "raw_output") == 1
    move(store, folder, before_ns=NOW - 2 * DAY_NS, now_ns=NOW)
    assert here(store, "raw_output") == 1

    move(store, folder, before_ns=NOW, now_ns=NOW)

    assert here(store, "raw_output") == 0
    assert store.rows("select count(*) as n from raw_output") == [{"n": 1}]


def test_an_answer_that_comes_again_is_there_once(
    store: Database, folder: Path, make_span: MakeSpan
) -> None:
    move(store, folder, before_ns=NOW, now_ns=NOW)

    write(store, agent(make_span, "d" * 32, NOW - DAY_NS))
    assert here(store, "raw_output") == 1
    assert store.rows("select count(*) as n from raw_output") == [{"n": 1}]

    move(store, folder, before_ns=NOW, now_ns=NOW)
    assert here(store, "raw_output") == 0
    assert store.rows("select count(*) as n from raw_output") == [{"n": 1}]


def test_a_late_span_brings_its_trace_back(
    store: Database, folder: Path, make_span: MakeSpan
) -> None:
    move_old(store, folder)
    late = make_span(trace_id=OLD, start_time_ns=NOW - 40 * DAY_NS, received_time_ns=NOW)

    write(store, [late])

    trace = get_trace(store, OLD)
    assert trace is not None
    assert (trace.n_spans, trace.n_tool_calls) == (3, 1)
    assert count_traces(store, TraceFilter()) == 3
    assert (here(store, "span"), here(store, "trace")) == (5, 2)
    assert wrong(store) == {}
    move_old(store, folder)
    assert here(store, "trace") == 1
    assert get_trace(store, OLD) == trace


def test_what_is_sent_again_is_there_once(
    store: Database, folder: Path, make_span: MakeSpan
) -> None:
    spans = trace_spans_whole(store, OLD, limit=9)
    before = get_trace(store, OLD)
    move_old(store, folder)

    write(store, [replace(span, received_time_ns=NOW) for span in spans])

    assert wrong(store) == {}
    assert len(trace_spans(store, OLD)) == 2
    after = get_trace(store, OLD)
    assert before is not None
    assert after is not None
    assert (after.n_spans, after.n_tool_calls) == (before.n_spans, before.n_tool_calls)


@pytest.mark.slow
def test_what_comes_late_is_derived_as_if_nothing_had_moved(
    sample_copy: Callable[[Path], Path], tmp_path: Path, folder: Path
) -> None:
    """Law: move, then late spans = late spans. Rollups are compared too."""
    results = []
    for name in ("moved", "plain"):
        with Database.open(sample_copy(tmp_path / f"{name}.duckdb")) as database:
            seal(database, quiet_before_ns=EVER)
            late = _late_spans(database)
            if name == "moved":
                move(database, folder, before_ns=EVER, now_ns=NOW)
                assert here(database, "trace") == 0
            write(database, late)
            assert wrong(database) == {}
            results.append(content(database, READ + DERIVED) | _rolled(database))

    moved, plain = results
    assert [table for table in plain if moved[table] != plain[table]] == []


def _late_spans(database: Database) -> list[Span]:
    """A new span for each fortieth trace, beside one that is there."""
    late = []
    for number, trace in enumerate(find_traces(database, TraceFilter(), limit=3_000)[::40]):
        span = trace_spans_whole(database, trace.trace_id, limit=1)[0]
        mark = 7_000_000 + number
        late.append(
            replace(span, span_id=f"{mark:016x}", record_hash=mark, received_time_ns=NOW + number)
        )
    return late


def _rolled(database: Database) -> dict[str, Any]:
    """The sums of the rollups: rows that add nothing may be there or not."""
    found: dict[str, Any] = {}
    for table in ROLLED:
        [columns] = database.rows(
            "select list(column_name) filter (where column_name in ('n', 'numerator')) as sums "
            "from duckdb_columns() where schema_name = 'main' and table_name = $table",
            {"table": table},
        )
        sums = (
            ", ".join(f"sum({name}) as {name}" for name in columns["sums"] or []) or "count(*) as n"
        )
        found[table] = database.rows(f"select {sums} from {table}")
    return found


def test_a_change_while_a_part_is_written_is_not_lost(
    store: Database, folder: Path, make_span: MakeSpan, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = moving._stage
    late: list[Span] = []

    def stage_and_be_late(database: Database, *more: Any) -> Any:
        staged = plain(database, *more)
        if not late:
            late.append(make_span(trace_id=OLD, start_time_ns=NOW - 40 * DAY_NS))
            write(database, [replace(late[0], received_time_ns=NOW - 39 * DAY_NS)])
        return staged

    monkeypatch.setattr(moving, "_stage", stage_and_be_late)

    move_old(store, folder)

    assert here(store, "trace") == 1
    trace = get_trace(store, OLD)
    assert trace is not None
    assert trace.n_spans == 3
    assert len(files(folder)) == here(store, "tier_file")


def test_rows_that_are_made_anew_again_and_again_are_left(
    store: Database, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moving, "_is_unchanged", lambda *_: False)
    before = content(store)

    with pytest.raises(StoreWriteError, match="run it again later"):
        move_old(store, folder)

    assert content(store) == before
    assert files(folder) == []


@pytest.mark.parametrize("step", ["_written", "_ledger_row", "compose"])
def test_a_stop_at_any_step_leaves_each_row_in_one_place(
    store: Database, folder: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    plain, before = getattr(moving, step), content(store)
    n_calls = 0

    def stops(*arguments: Any) -> Any:
        nonlocal n_calls
        n_calls += 1
        if n_calls == 3 or step == "compose":
            raise KeyboardInterrupt
        return plain(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(moving, step, stops)
        with pytest.raises(KeyboardInterrupt):
            move_old(store, folder)
    assert content(store) == before
    assert here(store, "tier_file") == 0

    move_old(store, folder)

    assert content(store) == before
    assert len(files(folder)) == here(store, "tier_file")
    assert wrong(store) == {}


def test_a_folder_that_is_gone_hides_its_days_and_brings_them_again(
    store: Database, folder: Path
) -> None:
    before = content(store)
    move_old(store, folder)
    away = folder.with_name("away")

    folder.rename(away)

    assert count_traces(store, TraceFilter()) == 1
    assert lost(store) == (NOW // DAY_NS - 40, NOW // DAY_NS - 39)
    assert wrong(store) == {Check.MOVED_DAYS: here(store, "tier_file")}
    with pytest.raises(StoreWriteError, match="put their folder back"):
        repair(store, Check.ROLLUPS, now_ns=NOW)
    away.rename(folder)
    assert lost(store) == ()
    assert content(store) == before


def test_late_spans_of_a_trace_whose_file_is_gone_join_it_when_it_is_back(
    store: Database, folder: Path, make_span: MakeSpan
) -> None:
    move_old(store, folder)
    away = folder.with_name("away")
    folder.rename(away)

    write(store, [make_span(trace_id=OLD, start_time_ns=NOW - 40 * DAY_NS, received_time_ns=NOW)])
    alone = get_trace(store, OLD)
    assert alone is not None
    assert alone.n_spans == 1

    away.rename(folder)
    assert lost(store) == ()
    derive(store)
    seal(store, quiet_before_ns=EVER)
    whole = get_trace(store, OLD)
    assert whole is not None
    assert (whole.n_spans, whole.n_tool_calls) == (3, 1)
    assert wrong(store) == {}


def test_days_come_back_and_their_files_go(store: Database, folder: Path) -> None:
    before = content(store)
    move_old(store, folder)

    assert bring_back(store, day=NOW // DAY_NS - 40) == 1
    assert (here(store, "trace"), here(store, "tier_file") > 0) == (2, True)
    assert content(store) == before
    assert bring_back(store) == 1

    assert here(store, "tier_file") == 0
    assert files(folder) == []
    assert content(store) == before
    assert wrong(store) == {}


def test_what_was_moved_is_removed_in_its_time(store: Database, folder: Path) -> None:
    move_old(store, folder)
    before_ns = NOW - 30 * DAY_NS
    said = {line.table: 0 for line in expired(store, before_ns=before_ns)}
    for line in expired(store, before_ns=before_ns):
        said[line.table] += line.n

    removed = remove_expired(store, before_ns=before_ns, now_ns=NOW)

    assert removed == said
    assert removed["trace"] == 2
    assert files(folder) == []
    assert removed_trace(store, OLD) is not None
    assert count_traces(store, TraceFilter()) == 1
    assert wrong(store) == {}


def test_an_answer_that_a_moved_trace_holds_is_not_removed_with_another(
    store: Database, folder: Path, make_span: MakeSpan
) -> None:
    write(store, agent(make_span, "d" * 32, NOW - 60 * DAY_NS, answer="x"))
    # Only what is younger moves: the oldest is removed while the moved ones hold its answer.
    move_old(store, folder)
    remove_expired(store, before_ns=NOW - 50 * DAY_NS, now_ns=NOW)

    assert store.rows("select count(*) as n from raw_output") == [{"n": 1}]
    assert wrong(store) == {}


def test_a_copy_of_the_store_finds_the_days_where_they_are(
    make_span: MakeSpan, tmp_path: Path, folder: Path
) -> None:
    with Database.open(tmp_path / "store.duckdb") as database:
        write(database, agent(make_span, OLD, NOW - 40 * DAY_NS))
        before = content(database)
        move_old(database, folder)
        database.copy_to(tmp_path / "copy.duckdb")
    with Database.open(tmp_path / "copy.duckdb") as copy:
        assert here(copy, "trace") == 0
        assert content(copy) == before
    shutil.rmtree(folder)
    with Database.open(tmp_path / "copy.duckdb") as copy:
        assert count_traces(copy, TraceFilter()) == 0
        assert lost(copy) == (NOW // DAY_NS - 40,)


def test_a_column_that_is_newer_than_a_file_is_null_there(
    make_span: MakeSpan, tmp_path: Path, folder: Path
) -> None:
    path = tmp_path / "store.duckdb"
    with Database.open(path) as database:
        write(database, agent(make_span, OLD, NOW - 40 * DAY_NS))
        move_old(database, folder)
        with database.transaction() as cursor:
            cursor.execute(
                "update tier_file set column_names = list_filter(column_names, lambda it: it <> 'name') "
                "where table_name = 'span'"
            )
            cursor.execute("update tier_store set signature = ''")
    with Database.open(path) as database:
        assert database.rows("select distinct name from span") == [{"name": None}]


def test_reading_spans_again_leaves_moved_days_as_they_are(store: Database, folder: Path) -> None:
    before = content(store)
    move_old(store, folder)

    assert rebuild(store) == 2

    assert content(store) == before
    assert wrong(store) == {}


def test_a_store_made_of_what_could_be_read_takes_moved_days_in(
    make_span: MakeSpan, tmp_path: Path, folder: Path
) -> None:
    path, saved = tmp_path / "store.duckdb", tmp_path / "saved.duckdb"
    with Database.open(path) as database:
        write(database, agent(make_span, OLD, NOW - 40 * DAY_NS))
        write(database, agent(make_span, NEW, NOW - DAY_NS))
        before, rolled = content(database), _rolled(database)
        move_old(database, folder)
        salvage(database, saved)
    with Database.open(saved) as fresh:
        assert take_in(fresh) == 1
        assert rebuild(fresh) == 4
        seal(fresh, quiet_before_ns=EVER)
        assert content(fresh) == before
        assert _rolled(fresh) == rolled
        assert wrong(fresh) == {}
    assert files(folder)
    with Database.open(path) as database:
        assert content(database) == before


def test_repairing_rollups_brings_moved_days_back(store: Database, folder: Path) -> None:
    before = _rolled(store)
    move_old(store, folder)
    with store.transaction() as cursor:
        cursor.execute("delete from rollup_call")

    repair(store, Check.ROLLUPS, now_ns=EVER)

    assert wrong(store) == {}
    assert _rolled(store) == before
