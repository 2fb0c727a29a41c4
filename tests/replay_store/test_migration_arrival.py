"""A store from before rows said when they arrived: nothing of it is lost, what waited is derived."""

from pathlib import Path

import duckdb
import pytest

from replay_store import Database, derive, migrate
from replay_store.attach import attach

TRACE = "0af76519-16cd-43dd-8448-eb211c80319c"
WAITING = "1af76519-16cd-43dd-8448-eb211c80319c"
SPAN = """
    insert into span by name
    select
        $trace_id::uuid as trace_id, $span_id as span_id, 7 as record_hash, 'invoke' as name,
        0 as otel_kind, 1000 as start_time_ns, $end as end_time_ns, 0 as status_code,
        0 as n_dropped, uuid() as file_id, 0 as record_index, $received as received_time_ns
"""
ROLE = """
    insert into span_role by name
    select
        trace_id, span_id, record_hash, 'agent' as role, ['genai'] as dialects,
        false as is_error
    from span
"""
DERIVED = """
    insert into trace_open by name
    select
        trace_id, 'task' as task_id, 'unfinished' as status, false as is_finished,
        []::varchar[] as dialects, []::varchar[] as models, 1 as n_spans, 1 as n_root_spans,
        0 as n_orphan_spans, 0 as n_error_spans, 0 as n_logs, 0 as n_noise, 0 as n_llm_calls,
        0 as n_llm_errors, 0 as n_tool_calls, 0 as n_tool_errors, 0 as n_retries,
        0 as n_guard_evaluations, 0 as n_guard_hits, 0 as longest_identical_run,
        received_time_ns as last_received_time_ns
    from span
    where trace_id = $trace_id::uuid
"""


@pytest.fixture
def old_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two traces of one span each, the second not derived yet, in the schema of 0006."""
    path = tmp_path / "old.duckdb"
    every = migrate.migrations()
    with monkeypatch.context() as patched:
        patched.setattr(migrate, "migrations", lambda: [m for m in every if m.name < "0007"])
        with duckdb.connect(":memory:") as connection:
            attach(connection, path)
            migrate.apply_migrations(connection)
    with duckdb.connect(path) as connection:
        for trace_id, received in ((TRACE, 50), (WAITING, 60)):
            values = {"trace_id": trace_id, "span_id": 1, "end": 2000, "received": received}
            connection.execute(SPAN, values)
        connection.execute(ROLE)
        connection.execute(DERIVED, {"trace_id": TRACE})
        connection.execute("insert into dirty_trace values ($id::uuid)", {"id": WAITING})
    return path


def test_an_older_store_is_brought_up_to_date_and_derived_on(old_store: Path) -> None:
    with Database.open(old_store) as database:
        roles = database.rows("select received_time_ns as at from span_role order by 1")
        assert roles == [{"at": 50}, {"at": 60}]
        assert derive(database) == 1
        traces = database.rows(
            "select status, first_received_time_ns as first, last_received_time_ns as last "
            "from trace order by first"
        )
    assert traces == [
        {"status": "unfinished", "first": 50, "last": 50},
        {"status": "ok", "first": 60, "last": 60},
    ]


def test_a_late_span_finds_its_rows_from_before(old_store: Path) -> None:
    with Database.open(old_store) as database:
        with database.transaction() as cursor:
            late = {"trace_id": TRACE, "span_id": 2, "end": 3000, "received": 10**9}
            cursor.execute(SPAN, late)
            cursor.execute(f"insert into dirty_trace values ('{TRACE}', {10**9}, {10**9})")
        derive(database)
        found = database.rows(f"select n_spans from trace where trace_id = '{TRACE}'")
    assert found == [{"n_spans": 2}]
