"""A store from before there were rollups: what it had sealed is in them after the next start."""

from pathlib import Path

import duckdb
import pytest

from replay_store import Database, migrate
from replay_store.derive import catch_up
from replay_store.reader import TraceFilter
from replay_store.statements import run
from replay_store.trace_counts import trace_counts

TRACE = "0af76519-16cd-43dd-8448-eb211c80319c"
HOUR_NS = 3_600 * 10**9
SEALED = (
    """
    insert into trace_sealed by name
    select
        $trace_id::uuid as trace_id, replace($trace_id, '-', '') as task_id, 'ok' as status, true as is_finished,
        $time as start_time_ns, []::varchar[] as dialects, []::varchar[] as models,
        1 as n_spans, 1 as n_root_spans, 0 as n_orphan_spans, 0 as n_error_spans, 0 as n_logs,
        0 as n_noise, 0 as n_llm_calls, 0 as n_llm_errors, 1 as n_tool_calls, 0 as n_tool_errors,
        0 as n_retries, 0 as n_guard_evaluations, 0 as n_guard_hits, 0 as longest_identical_run,
        $time as last_received_time_ns, $time as first_received_time_ns
    """,
    """
    insert into tool_call_sealed by name
    select
        $trace_id::uuid as trace_id, $trace_id::uuid as head_trace_id, 0 as call_index,
        'get' as tool_name, false as is_pseudo, true as is_executed, $time as start_time_ns,
        $time + 5000 as end_time_ns, 5000 as duration_ns, 'ok' as status, 1 as n_attempts,
        0 as retry_root
    """,
)
MODEL = (
    """
    insert into span by name
    select
        $trace_id::uuid as trace_id, 1 as span_id, hash(done) as record_hash, 'chat' as name,
        0 as otel_kind, $time as start_time_ns, case when done then $time + 7000 end as end_time_ns,
        case when done then 7000 end as duration_ns, 0 as status_code, 0 as n_dropped,
        uuid() as file_id, 0 as record_index, $time as received_time_ns
    from (values (true), (false)) as versions(done)
    """,
    """
    insert into span_role by name
    select trace_id, span_id, record_hash, 'model' as role, [] as dialects, false as is_error
    from span
    where $trace_id = $trace_id and $time = $time
    """,
    """
    insert into llm_call by name
    select
        trace_id, span_id, record_hash, 'model-a' as request_model, 0 as n_requested_calls,
        true as is_output_visible
    from span
    where $trace_id = $trace_id and $time = $time
    """,
)

OF_ONE_TOOL = (
    """
    insert into attempt_sealed by name
    select
        $trace_id::uuid as trace_id, 0 as call_index, 0 as attempt_index, 1 as span_id,
        'get' as tool_name, $time as start_time_ns, $time + 5000 as end_time_ns,
        5000 as duration_ns, 'ok' as status
    """,
    """
    insert into guard_evaluation_sealed by name
    select
        trace_id, 0 as evaluation_index, $time + hour * 3600000000000 as time_ns, 'danger' as rule,
        'block' as decision, true as is_hit, false as is_synthetic, 'get' as tool_name,
        'attribute' as evidence
    from (values ($trace_id::uuid, 0), ($trace_id::uuid, 20), (uuid(), 1)) as seen(trace_id, hour)
    """,
    """
    insert into trace_sealed by name
    select trace_sealed.* replace (guard_evaluation_sealed.trace_id as trace_id)
    from trace_sealed
    inner join guard_evaluation_sealed
        on guard_evaluation_sealed.trace_id <> trace_sealed.trace_id
    where trace_sealed.trace_id = $trace_id::uuid and $time > 0
    """,
)


def _made_before(name: str, path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A store of the schema before a migration."""
    every = migrate.migrations()
    with monkeypatch.context() as patched, duckdb.connect() as connection:
        patched.setattr(migrate, "migrations", lambda: [m for m in every if m.name < name])
        connection.execute(f"attach '{path}' as store")
        connection.execute("use store")
        migrate.apply_migrations(connection)
    return path


@pytest.fixture
def old_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One sealed trace with a tool call and a model call, in the schema before the rollups."""
    path = _made_before("0017", tmp_path / "old.duckdb", monkeypatch)
    with duckdb.connect(path) as connection:
        for sql in (*SEALED, *MODEL):
            connection.execute(sql, {"trace_id": TRACE, "time": 7 * HOUR_NS})
    return path


def test_what_was_sealed_is_sealed_again_with_its_rollups(old_store: Path) -> None:
    with Database.open(old_store) as database:
        catch_up(database, now_ns=2**62)
        assert database.row("select count(*) as n from trace_open") == {"n": 0}
        assert database.row("select count(*) as n from trace_sealed") == {"n": 1}
        assert database.row("select hour, tool_name, n from rollup_call") == {
            "hour": 7,
            "tool_name": "get",
            "n": 1,
        }
        assert database.rows("select model, duration_ns from model_call") == [
            {"model": "model-a", "duration_ns": 7000}
        ]
        assert database.row("from rollup_task") == {
            "hour": 7,
            "reason": "steps_unknown",
            "n_steps": None,
            "is_repeating": False,
            "n": 1,
        }


def test_durations_told_by_tool_are_carried_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store of the schema before 0027: hours and days of both tools, one of them over two weeks."""
    path = _made_before("0027", tmp_path / "old.duckdb", monkeypatch)
    times = [
        (hour, counted, tool, bucket, n, n * 100)
        for hour, counted, tool, bucket, n in (
            (490_000, "call", "get", 7, 2),
            (490_001, "call", "get", 7, 3),
            (490_001, "call", "put", 7, 5),
            (490_200, "call", "get", 8, 7),
            (490_000, "model", "", 9, 11),
        )
    ]
    with duckdb.connect(path) as connection:
        connection.executemany("insert into rollup_time values (?, ?, ?, ?, ?, ?)", times)
        connection.execute(
            """
            insert into rollup_time_day
            select hour // 24, counted, tool_name, lat_bucket, sum(n), sum(total_ns)
            from rollup_time
            group by all
            """
        )
    with Database.open(path) as database:
        tools = database.rows(
            "select n_hours, hour, tool_name, lat_bucket, n from rollup_tool_time "
            "where counted = 'call' order by all"
        )
        hours = database.rows("from rollup_time order by all")
        days = database.rows("from rollup_time_day order by all")
    expected = {
        (length, hour - hour % length, tool, bucket): 0
        for length in (1, 6, 24, 168)
        for hour, counted, tool, bucket, *_ in times
        if counted == "call"
    }
    for length, start, tool, bucket in expected:
        expected[length, start, tool, bucket] = sum(
            time[4]
            for time in times
            if (time[0] - time[0] % length, time[1], time[2], time[3])
            == (start, "call", tool, bucket)
        )
    assert {tuple(row.values())[:4]: row["n"] for row in tools} == expected
    assert [tuple(row.values()) for row in hours] == [
        (490_000, "call", 7, 2, 200),
        (490_000, "model", 9, 11, 1100),
        (490_001, "call", 7, 8, 800),
        (490_200, "call", 8, 7, 700),
    ]
    assert [tuple(row.values()) for row in days] == [
        (490_000 // 24, "call", 7, 10, 1000),
        (490_000 // 24, "model", 9, 11, 1100),
        (490_200 // 24, "call", 8, 7, 700),
    ]


def test_what_is_asked_of_one_tool_is_filled_from_what_is_sealed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store of the schema before 0034 says after its next start what it would say, were it sealed anew."""
    path = _made_before("0034", tmp_path / "old.duckdb", monkeypatch)
    with duckdb.connect(path) as connection:
        for sql in SEALED:
            connection.execute(sql, {"trace_id": TRACE, "time": 7 * HOUR_NS})
        connection.execute("update tool_call_sealed set caller = 'shop', degradation = 'L1'")
        for sql in OF_ONE_TOOL:
            connection.execute(sql, {"trace_id": TRACE, "time": 7 * HOUR_NS})
    tables = (
        *("rollup_tool_count", "rollup_tool_time"),
        *("rollup_share", "rollup_share_day", "rollup_crossing"),
    )
    with Database.open(path) as database:
        filled = {name: database.rows(f"from {name} order by all") for name in tables}
        with database.transaction() as cursor:
            for name in tables:
                cursor.execute(f"delete from {name}")
            cursor.execute(
                "create or replace temp table rolled as select trace_id from trace_sealed"
            )
            run(cursor, "derive/rollup/open")
            run(cursor, "derive/rollup/forget")
        catch_up(database, now_ns=2**62)
        anew = {name: database.rows(f"from {name} order by all") for name in tables}
    assert {row["counted"] for row in filled["rollup_tool_count"]} == {"caller", "degraded"}
    assert filled["rollup_tool_count"] == anew["rollup_tool_count"]
    for name, column, value in (
        ("rollup_tool_time", "counted", "attempt"),
        ("rollup_share", "share", "guard_of_tool"),
        ("rollup_share_day", "share", "guard_of_tool"),
        ("rollup_crossing", "share", "guard_of_tool"),
    ):
        new = [row for row in anew[name] if row[column] == value]
        assert [row for row in filled[name] if row[column] == value] == new != [], name


OBSERVED = (
    """
    insert into trace_sealed by name
    select trace_sealed.* replace (uuid() as trace_id)
    from trace_sealed
    cross join (values (1), (2)) as more(number)
    where $trace_id = $trace_id and $time > 0
    """,
    """
    insert into observation by name
    select
        trace_id, 5 as span_id, version as record_hash,
        case when number > 0 then $time + number * 20 * 3600000000000 end as time_ns,
        [] as tool_names, 'hash' as snapshot_hash, 1 as n_outputs, 1 as n_fragments, 4 as n_cells,
        2 as n_multi_source_cells, number as n_conflicts, version as n_unknown, 0 as n_unparsed,
        0 as n_failed, 0 as n_empty, 0 as n_degraded, 0.75 as mean_confidence, [] as signals,
        case when number = 0 then 0.5 end as parse_ms, number as n_noise_hit
    from trace_sealed
    cross join (values (0, 1), (0, 2), (1, 1)) as told(number, version)
    where $trace_id = $trace_id
    """,
    "update observation set span_id = 6 where time_ns is not null and $trace_id = $trace_id and $time > 0",
    """
    insert into span by name
    select
        trace_id, span_id, record_hash, 'observe' as name, 0 as otel_kind, $time as start_time_ns,
        0 as status_code, 0 as n_dropped, uuid() as file_id, 0 as record_index,
        $time + record_hash as received_time_ns
    from observation
    where $trace_id = $trace_id
    """,
)


def test_observations_are_filled_from_what_is_sealed_and_derived_of_what_is_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store of the schema before 0037: one sealed trace over two days, one of an hour, and an open one."""
    path = _made_before("0037", tmp_path / "old.duckdb", monkeypatch)
    with duckdb.connect(path) as connection:
        for sql in (*SEALED, *OBSERVED):
            connection.execute(sql, {"trace_id": TRACE, "time": 7 * HOUR_NS})
        for sql in (
            "insert into trace_open from trace_sealed where trace_id <> ? order by trace_id limit 1",
            "delete from trace_sealed where trace_id in (select trace_id from trace_open) and ? <> ''",
            "delete from observation where time_ns is not null and trace_id in "
            "(select trace_id from trace_sealed where trace_id <> ?)",
        ):
            connection.execute(sql, [TRACE])
    kinds = {
        "rollup_count": "counted in ('observation', 'parse')",
        "rollup_time": "counted = 'parse'",
        "rollup_time_day": "counted = 'parse'",
        "rollup_share": "share in ('conflict', 'unknown', 'confidence', 'noise')",
        "rollup_share_day": "share in ('conflict', 'unknown', 'confidence', 'noise')",
        "rollup_crossing": "share in ('conflict', 'unknown', 'confidence', 'noise')",
        "observed_sealed": "true",
    }
    with Database.open(path) as database:
        filled = {
            name: database.rows(f"from {name} where {kind} order by all")
            for name, kind in kinds.items()
        }
        assert database.rows("select n_unknown from observed_sealed order by all") == [
            {"n_unknown": 1},
            {"n_unknown": 2},
            {"n_unknown": 2},
        ]
        waiting = database.rows("select distinct trace_id from dirty_trace")
        assert waiting == database.rows("select trace_id from trace_open")
        with database.transaction() as cursor:
            cursor.execute("delete from dirty_trace")
            cursor.execute("delete from trace_open")
            cursor.execute(
                "create or replace temp table rolled as select trace_id from trace_sealed"
            )
            for name, kind in kinds.items():
                if name != "observed_sealed":
                    cursor.execute(f"delete from {name} where {kind}")
            run(cursor, "derive/rollup/open")
            run(cursor, "derive/rollup/forget")
        catch_up(database, now_ns=2**62)
        for name, kind in kinds.items():
            anew = database.rows(f"from {name} where {kind} order by all")
            assert anew == filled[name], name
    assert [len(filled[name]) for name in ("rollup_share", "rollup_share_day")] == [4, 4]
    assert filled["rollup_count"] != []
    assert len(filled["rollup_crossing"]) == 8


SEEN = (
    """
    update tool_call_sealed
    set contract_version = '1.0', start_time_ns = $time, hour = $time // 3600000000000
    where $trace_id = $trace_id
    """,
    """
    insert into decision_sealed by name
    select
        trace_id, 0 as turn_index, uuid() as decision_id, $time + 5 as time_ns,
        $time // 3600000000000 as hour, 'search' as tool_name, false as is_pseudo,
        7 as catalogue_hash, 'large' as model
    from trace_sealed
    where $trace_id = $trace_id
    """,
    """
    update trace_sealed
    set agent_name = 'clerk', call_error_types = ['TIMEOUT', 'AUTH']
    where $trace_id = $trace_id and $time > 0
    """,
)


def test_what_was_seen_is_filled_from_what_is_sealed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store of the schema before 0039 knows after its next start what its sealed traces showed."""
    path = _made_before("0039", tmp_path / "old.duckdb", monkeypatch)
    with duckdb.connect(path) as connection:
        for sql in (*SEALED, *SEEN):
            connection.execute(sql, {"trace_id": TRACE, "time": 7 * HOUR_NS})
    with Database.open(path) as database:
        filled = database.rows("from rollup_seen order by all")
        with database.transaction() as cursor:
            cursor.execute("delete from rollup_seen")
            cursor.execute(
                "create or replace temp table rolled as select trace_id from trace_sealed"
            )
            run(cursor, "derive/rollup/open")
            run(cursor, "derive/rollup/forget")
        catch_up(database, now_ns=2**62)
        anew = database.rows("from rollup_seen order by all")
    assert filled == anew
    assert {row["kind"] for row in filled} == {
        *("agent", "catalogue", "contract", "error", "model", "status", "tool")
    }


def test_traces_that_are_alike_are_filled_from_what_is_sealed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store of the schema before 0041 counts its sealed traces after its next start; lists are kept."""
    path = _made_before("0041", tmp_path / "old.duckdb", monkeypatch)
    with duckdb.connect(path) as connection:
        for sql in (*SEALED, SEEN[-1]):
            connection.execute(sql, {"trace_id": TRACE, "time": 7 * HOUR_NS})
    with Database.open(path) as database:
        [alike] = database.rows("from rollup_alike")
        assert alike["call_error_types"] == ["TIMEOUT", "AUTH"]
        assert alike["n"] == 1
        assert trace_counts(database, TraceFilter(), {}).errors == {"AUTH": 1, "TIMEOUT": 1}
        change = "delete from rollup_alike"
        with database.transaction() as cursor:
            cursor.execute(change)
        assert trace_counts(database, TraceFilter(), {}).errors == {"AUTH": 1, "TIMEOUT": 1}
