"""Derive takes as long in a large store as in a small one: it reads what arrived with its traces."""

import json
import re

import pytest

from replay_store import Database
from replay_store.derive.order import STEPS
from replay_store.statements import statement

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
NAMES = [name for step in STEPS for name in step.names]


@pytest.mark.parametrize("name", NAMES)
def test_a_step_bounds_every_received_or_mapped_table_by_arrival(name: str) -> None:
    sql = statement(f"derive/{name}")
    assert len(READ.findall(sql)) <= sql.count("between $first_ns and $last_ns")
    assert sql.count("$first_ns and $last_ns") == sql.count("$known_first_ns and $known_last_ns")


def test_the_row_groups_of_other_times_are_not_read() -> None:
    n_rows = 5 * 10_240
    with Database.open() as database, database.transaction() as cursor:
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
        step = statement("derive/steps/span")
        plan = cursor.execute(f"explain (analyze, format json) {step}", arrival).fetchall()[0][1]
    assert json.loads(plan)["query"]["total_row_groups_scanned"] <= 3
