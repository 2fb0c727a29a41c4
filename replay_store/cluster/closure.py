"""Which traces a question needs, as conditions that ClickHouse and DuckDB both understand.

A trace belongs to a period when it starts in it or has no start, when a row that the question reads has
its own time in it, or when it is part of a task of such a trace; to every period belong those that people
labelled, where labels are read. What the texts count in a period lies in these traces, whole. Values are numbers, or texts written as literals.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from replay_store.cluster.needs import Period

__all__ = ["OWN_TIME", "having", "in_period", "placed_outside"]

OWN_TIME: Final[Mapping[str, str]] = {
    "trace": "start_time_ns",
    "tool_call": "start_time_ns",
    "attempt": "start_time_ns",
    "model_call": "start_time_ns",
    "decision": "time_ns",
    "guard_evaluation": "time_ns",
    "span": "start_time_ns",
    "span_log": "time_ns",
    "noise_log": "time_ns",
    "guard_event": "time_ns",
    "observation": "time_ns",
    "observed": "time_ns",
    "observed_noise": "time_ns",
}
"""Tables of traces whose rows have a time, and the column that says it."""


def in_period(period: Period, tables: Iterable[str], *, is_cluster: bool) -> str:
    """The condition on rows of `trace` that belong to a period.

    Args:
        period: The period.
        tables: What the question reads.
        is_cluster: Whether the tables lie on several shards.
    """
    among = "global in" if is_cluster else "in"
    bounds = {name: _within(column, period) for name, column in OWN_TIME.items()}
    started = f"(start_time_ns is null or ({bounds['trace']}))"
    placed = [
        f"trace_id {among} (select trace_id from {table} where {bounds[table]})"  # noqa: S608 - names of our own
        for table in sorted({*tables} & OWN_TIME.keys() - {"trace"})
    ]
    if "label" in tables:
        placed.append(f"trace_id {among} (select trace_id from label)")  # noqa: S608 - names of our own
    seeds = " or ".join([started, *placed])
    return f"task_id {among} (select task_id from trace where {seeds})"  # noqa: S608 - names of our own


def having(named: Iterable[tuple[str, str]], *, is_cluster: bool) -> str:
    """The condition on rows of `trace` that have these values of these columns."""
    return " and ".join(f"{name} = {_literal(value, is_cluster)}" for name, value in named)


def placed_outside(table: str, first_ns: int, last_ns: int) -> str:
    """The condition on rows of a table whose time lies before one moment or after another."""
    column = OWN_TIME[table]
    return f"{column} < {first_ns:d} or {column} > {last_ns:d}"


def _literal(value: str, is_cluster: bool) -> str:
    """A text as each of the two writes it: only ClickHouse gives the backslash a meaning."""
    text = value.replace("\\", "\\\\") if is_cluster else value
    quote = "\\'" if is_cluster else "''"
    return "'" + text.replace("'", quote) + "'"


def _within(column: str, period: Period) -> str:
    parts = [f"{column} is not null"]
    if period.start_ns is not None:
        parts.append(f"{column} >= {period.start_ns:d}")
    if period.end_ns is not None:
        parts.append(f"{column} < {period.end_ns:d}")
    return " and ".join(parts)
