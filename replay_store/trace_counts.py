"""How many traces pass a filter, and what they are made of: how they ended, what failed, in which layer."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from replay_store.database import Database
from replay_store.reader import TraceFilter, filtered
from replay_store.statements import statement

__all__ = ["TraceCounts", "count_traces", "trace_counts"]

_HOUR_NS: Final = 3_600_000_000_000
_ALIKE: Final = "/* alike */"


@dataclass(frozen=True, slots=True)
class TraceCounts:
    """How many of the traces have each value, most frequent first. A trace may hold several errors."""

    statuses: Mapping[str, int]
    errors: Mapping[str, int]
    """By the class of a failed call or of the run."""
    layers: Mapping[str, int]
    """By the layer of a sign of a fault that was not recovered from."""


def count_traces(database: Database, trace_filter: TraceFilter) -> int:
    """How many traces pass a filter."""
    if _is_of_hours(trace_filter) and _are_rolled(database):
        sql, parameters = statement("sql/count_alike"), _bounds(trace_filter)
    else:
        sql, parameters = filtered("sql/count_traces", trace_filter)
    row = database.row(sql, parameters)
    return int(row["n"]) if row else 0


def trace_counts(
    database: Database, trace_filter: TraceFilter, layers: Mapping[str, str]
) -> TraceCounts:
    """Count the traces that pass a filter; empty where none does.

    Args:
        database: The store.
        trace_filter: Which traces.
        layers: The layer of each sign of a fault.
    """
    sql, parameters = (
        _rolled(trace_filter)
        if _is_of_hours(trace_filter) and _are_rolled(database)
        else filtered("sql/trace_counts", trace_filter)
    )
    named = {"signs": list(layers), "layers": list(layers.values())}
    counted: dict[str, dict[str, int]] = {"status": {}, "error": {}, "layer": {}}
    for row in database.rows(sql, parameters | named):
        counted[row["kind"]][row["value"]] = int(row["n"])
    return TraceCounts(counted["status"], counted["error"], counted["layer"])


def _is_of_hours(wanted: TraceFilter) -> bool:
    """Whether nothing is asked but whole hours, as rollups hold them."""
    bounds = (wanted.start_time_ns, wanted.end_time_ns)
    is_whole = all(time_ns is None or time_ns % _HOUR_NS == 0 for time_ns in bounds)
    return is_whole and replace(wanted, start_time_ns=None, end_time_ns=None) == TraceFilter()


def _are_rolled(database: Database) -> bool:
    if database.is_engine:
        return False
    row = database.row(statement("sql/alike_whole"))
    return row is not None and bool(row["is_whole"])


def _rolled(wanted: TraceFilter) -> tuple[str, dict[str, Any]]:
    before, _, after = statement("sql/trace_counts").split(_ALIKE)
    sql = f"{before}{statement('sql/alike_rolled')}{after}"
    return sql, _bounds(wanted)


def _bounds(wanted: TraceFilter) -> dict[str, Any]:
    return {"start_time_ns": wanted.start_time_ns, "end_time_ns": wanted.end_time_ns}
