"""The month that benchmarks fill: its copies are what the product itself makes of their spans."""

from typing import Any

import pytest

from replay_store import Database, derive
from tests.bench import fleet_month
from tests.stores import memory_store

_PART_TRACES = 40
_DERIVED = (
    "trace",
    "tool_call",
    "attempt",
    "decision",
    "guard_evaluation",
    "model_call",
    "call_retry",
    "observed",
)


def test_copies_hold_what_derive_makes_of_their_spans(monkeypatch: pytest.MonkeyPatch) -> None:
    _copy_parts_of(_PART_TRACES, monkeypatch)
    with memory_store() as database:
        fleet_month.fill(database, round(3 * _PART_TRACES * fleet_month.SPANS_A_TRACE))
        copied = _derived(database)
        with database.transaction() as cursor:
            cursor.execute(
                "insert into dirty_trace select trace_id, min(received_time_ns), "
                "max(received_time_ns) from span group by trace_id"
            )
        assert derive(database) == 3 * _PART_TRACES
        derived = _derived(database)
    assert all(copied.values()), copied
    for table, rows in derived.items():
        assert rows == copied[table], table


def test_the_month_is_filled_from_its_first_day_to_its_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _copy_parts_of(_PART_TRACES, monkeypatch)
    with memory_store() as database:
        fleet_month.fill(database, round(30 * _PART_TRACES * fleet_month.SPANS_A_TRACE))
        row = database.row("select count(distinct hour // 24) as n_days, count(*) as n from trace")
    assert row == {"n_days": fleet_month.DAYS, "n": 30 * _PART_TRACES}


def _copy_parts_of(n_traces: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet_month, "_LEAST_PART_TRACES", n_traces)
    monkeypatch.setattr(fleet_month, "_MOST_PART_TRACES", n_traces)


def _derived(database: Database) -> dict[str, list[dict[str, Any]]]:
    """The rows of each derived table, in an order of their own; a copy names its decisions anew."""
    named = {"decision": "exclude (decision_id)"}
    return {
        table: sorted(
            database.rows(f"select * {named.get(table, '')} from {table}"),
            key=lambda row: str(list(row.values())),
        )
        for table in _DERIVED
    }
