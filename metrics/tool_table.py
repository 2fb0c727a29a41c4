"""Each tool on one line: calls, errors, P95, retries."""

from collections import defaultdict
from dataclasses import dataclass

from metrics.error_classes import ErrorClass, error_classes
from metrics.intervals import MIN_N_P95
from metrics.statements import Row, answer
from metrics.values import Scope
from replay_store.database import Database


@dataclass(frozen=True, slots=True)
class ToolRow:
    """One tool. Its n are calls unless said otherwise."""

    tool_name: str
    n_calls: int
    """Executed and not blocked: ok + errors + unknown."""
    n_ok: int
    n_errors: int
    n_unknown: int
    """Ran; nothing says how it ended."""
    n_blocked: int
    n_never_executed: int
    error_rate: float | None
    """Errors over calls with a known outcome; None without."""
    errors: tuple[ErrorClass, ...]
    """By class, most first."""
    p95_ms: float | None
    """None below 72 durations."""
    n_timed: int
    """Calls with a real duration."""
    n_heads: int
    """First calls, the denominator of the retry rate."""
    n_retried: int
    retry_rate: float | None


def tool_table(database: Database, scope: Scope) -> tuple[ToolRow, ...]:
    """One row for each tool asked for in the scope, most calls first; empty without calls."""
    errors: dict[str, list[ErrorClass]] = defaultdict(list)
    for item in error_classes(database, scope):
        errors[item.tool_name].append(item)
    rows = answer(database, "tool_table", scope)
    return tuple(_tool(row, tuple(errors[row["tool_name"]])) for row in rows)


def _tool(row: Row, errors: tuple[ErrorClass, ...]) -> ToolRow:
    counts = {name: int(row[name]) for name in row if name.startswith("n_")}
    n_known = counts["n_ok"] + counts["n_errors"]
    return ToolRow(
        tool_name=row["tool_name"],
        error_rate=counts["n_errors"] / n_known if n_known else None,
        errors=errors,
        p95_ms=row["p95_ns"] / 1e6 if counts["n_timed"] >= MIN_N_P95 else None,
        retry_rate=counts["n_retried"] / counts["n_heads"] if counts["n_heads"] else None,
        **counts,
    )
