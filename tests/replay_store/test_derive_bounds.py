"""Derive takes as long in a large store as in a small one: it reads what arrived with its traces."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest

from replay_store import Database
from replay_store.derive.order import NAMED, STEPS
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
