"""Derive takes as long in a large store as in a small one: it reads what arrived with its traces."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ingest.mapping import map_batch
from replay_store import Batch, Database, Writer, derive, seal
from replay_store.derive import derive_some
from replay_store.derive.order import NAMED, STEPS
from replay_store.records import Span
from replay_store.retention import DAY_NS
from replay_store.statements import statement
from tests.stores import memory_store

ARRIVING = (
    "span",
    "span_log",
    "noise_log",
    "span_role",
    "llm_call",
    "call_evidence",
    "guard_event",
    "observed_noise",
)
READ = re.compile(rf"\b(?:from|join)\s+({'|'.join(ARRIVING)})\b(?!\s*\.)")
QUOTED = re.compile(r"'(\w+)'")
LINKED = "linked_by_"
"""Followed by what links the traces."""
ROW_GROUP = 10_240
NOW = 1_796_000_000_000_000_000 // DAY_NS * DAY_NS
NAMES = [name for step in STEPS for name in (*step.names, *filter(None, [step.look]))]


def test_a_step_waits_for_facts_that_a_look_before_it_tells() -> None:
    told: set[str] = set()
    for step in (*STEPS, NAMED):
        own = {fact for fact in step.when if not fact.startswith(LINKED)}
        assert own <= told, step.names
        assert own == step.when or LINKED in told, step.names
        if step.look:
            told.update(QUOTED.findall(statement(f"derive/{step.look}")))


@pytest.mark.parametrize("name", [*NAMES, "link"])
def test_a_step_bounds_every_received_or_mapped_table_by_arrival(name: str) -> None:
    sql = statement(f"derive/{name}")
    assert len(READ.findall(sql)) <= sql.count("between $first_ns and $last_ns")
    assert sql.count("$first_ns and $last_ns") == sql.count("$known_first_ns and $known_last_ns")


def test_the_row_groups_of_other_times_are_not_read(tmp_path: Path) -> None:
    n_rows = 5 * ROW_GROUP
    with Database.open(tmp_path / "store.duckdb") as database, database.transaction() as cursor:
        cursor.execute(
            """
            insert into span by name
            select
                uuid() as trace_id, range as span_id, range as record_hash, 'span' as name,
                0 as otel_kind, 0 as status_code, 0 as n_dropped, uuid() as file_id,
                range as record_index, range as received_time_ns
            from range($n_rows)
            """,
            {"n_rows": n_rows},
        )
        cursor.execute(
            """
            create or replace temp table chosen as
            select trace_id, trace_id as head_id
            from span
            where received_time_ns in (10, $newest)
            """,
            {"newest": n_rows - 1},
        )
        arrival = {
            "first_ns": n_rows - 1,
            "last_ns": n_rows - 1,
            "known_first_ns": 10,
            "known_last_ns": 10,
        }
        assert n_rows_read(cursor, "derive/steps/span", arrival) <= 3 * ROW_GROUP


def test_late_spans_of_traces_sealed_long_ago_are_derived_by_the_day_these_came_in(
    make_span: Callable[..., Span], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One chunk of all of them read whatever came between the first and the last."""
    days = [0, 10, 10, 20, 30]
    module = import_module("replay_store.derive")
    ids = [f"{number:032x}" for number in range(1, 7)]
    windows: list[Mapping[str, int]] = []
    real_steps: Callable[..., set[str]] = module._run_steps

    def run_steps(cursor: duckdb.DuckDBPyConnection, arrival: Mapping[str, int]) -> set[str]:
        windows.append(arrival)
        return real_steps(cursor, arrival)

    def send(database: Database, trace_id: str, number: int, time_ns: int) -> None:
        span = make_span(
            trace_id=trace_id,
            span_id=f"{number:016x}",
            start_time_ns=time_ns,
            end_time_ns=time_ns + 1,
            received_time_ns=time_ns + 2,
        )
        batch = Batch(spans=[span])
        map_batch(batch)
        Writer(database).write(batch)

    with memory_store() as database:
        for number, (trace_id, day) in enumerate(zip(ids, days, strict=False), start=1):
            send(database, trace_id, number, NOW + day * DAY_NS)
        derive(database)
        seal(database, quiet_before_ns=NOW * 2)
        database.sealed_ids.watch()
        for number, trace_id in enumerate(ids, start=11):
            send(database, trace_id, number, NOW + 30 * DAY_NS + number)
        monkeypatch.setattr(module, "_run_steps", run_steps)
        assert derive_some(database, 100) == len(ids)
        counts = database.rows(
            "select hex_trace(trace_id) as id, n_spans as n from trace order by id"
        )
        assert [(row["id"], row["n"]) for row in counts] == [
            *((each, 2) for each in ids[:5]),
            (ids[5], 1),
        ]
        assert derive_some(database, 100) == 0
    assert len(windows) == len(set(days))
    for window in windows:
        assert window["last_ns"] - window["first_ns"] < DAY_NS
        assert window["known_last_ns"] - window["known_first_ns"] < DAY_NS


@pytest.mark.parametrize("name", ["derive/linkable", "derive/link_edge"])
def test_linking_reads_the_keys_that_arrived_near_the_traces(name: str, tmp_path: Path) -> None:
    n_rows = 20 * ROW_GROUP
    with Database.open(tmp_path / "store.duckdb") as database, database.transaction() as cursor:
        cursor.execute(
            """
            insert into trace_key by name
            select
                uuid() as trace_id, 1 as span_id, range as record_hash, 'root' as kind,
                range as key_hash, true as is_origin, uuid() as other_trace_id,
                range as received_time_ns
            from range($n_rows)
            """,
            {"n_rows": n_rows},
        )
        cursor.execute(
            "create or replace temp table chosen as "
            "select unnest([$first, $last])::uuid as trace_id",
            {"first": "0" * 32, "last": "f" * 32},
        )
        near = {"from_ns": 3 * ROW_GROUP + 10, "to_ns": 3 * ROW_GROUP + 20}
        assert 0 < n_rows_read(cursor, name, near) < n_rows // 2


def test_only_the_spans_that_decided_are_put_in_order_of_their_versions() -> None:
    batch_id = "0" * 32
    with memory_store() as database, database.transaction() as cursor:
        cursor.execute(
            """
            insert into span by name
            select
                $batch_id::uuid as trace_id, range as span_id, range as record_hash,
                'span' as name, 0 as otel_kind, 0 as status_code, 0 as n_dropped,
                uuid() as file_id, range as record_index, range as received_time_ns
            from range(1000)
            """,
            {"batch_id": batch_id},
        )
        cursor.execute(
            """
            insert into decision_open by name
            select
                trace_id, span_id as turn_index, uuid() as decision_id, span_id as llm_span_id,
                'look_up' as tool_name, 0 as call_index, false as is_pseudo
            from span
            """
        )
        cursor.execute(
            """
            insert into audit_item by name
            select
                $batch_id::uuid as batch_id, turn_index as position, trace_id, turn_index,
                call_index, 1 as inclusion_probability
            from decision_open
            where turn_index < 3
            """,
            {"batch_id": batch_id},
        )
        wanted = {"batch_id": batch_id, "first": 0, "end": 2}
        plan = analyzed(cursor, "sql/audit_decisions", wanted)
    in_order = [
        node["intermediate_rows"]
        for node in nodes(plan["operator"])
        if "WINDOW" in node["name"] or "GROUP_BY" in node["name"]
    ]
    assert in_order
    assert max(in_order) == 2


def nodes(operators: Sequence[Any]) -> Iterator[Any]:
    for operator in operators:
        yield operator
        yield from nodes(operator.get("children", ()))


def n_rows_read(cursor: duckdb.DuckDBPyConnection, name: str, parameters: Mapping[str, Any]) -> int:
    return int(analyzed(cursor, name, parameters)["query"]["total_rows_scanned"])


def analyzed(cursor: duckdb.DuckDBPyConnection, name: str, parameters: Mapping[str, Any]) -> Any:
    explained = f"explain (analyze, format json) {statement(name)}"
    return json.loads(cursor.execute(explained, parameters).fetchall()[0][1])
