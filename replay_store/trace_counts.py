"""What the traces of a filter are made of: how they ended, what failed in them, and in which layer."""

from collections.abc import Mapping
from dataclasses import dataclass

from replay_store.database import Database
from replay_store.reader import TraceFilter, filtered

__all__ = ["TraceCounts", "trace_counts"]


@dataclass(frozen=True, slots=True)
class TraceCounts:
    """How many of the traces have each value, most frequent first. A trace may hold several errors."""

    statuses: Mapping[str, int]
    errors: Mapping[str, int]
    """By the class of a failed call or of the run."""
    layers: Mapping[str, int]
    """By the layer of a sign of a fault that was not recovered from."""


def trace_counts(
    database: Database, trace_filter: TraceFilter, layers: Mapping[str, str]
) -> TraceCounts:
    """Count the traces that pass a filter; empty where none does.

    Args:
        database: The store.
        trace_filter: Which traces.
        layers: The layer of each sign of a fault.
    """
    sql, parameters = filtered("sql/trace_counts", trace_filter)
    named = {"signs": list(layers), "layers": list(layers.values())}
    counted: dict[str, dict[str, int]] = {"status": {}, "error": {}, "layer": {}}
    for row in database.rows(sql, parameters | named):
        counted[row["kind"]][row["value"]] = int(row["n"])
    return TraceCounts(counted["status"], counted["error"], counted["layer"])
