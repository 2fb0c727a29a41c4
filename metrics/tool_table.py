"""Each tool on one line: calls, errors, P95, retries."""

from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from metrics.error_classes import ErrorClass, error_classes
from metrics.latency_p95 import latency_by_tool, p95_ms
from metrics.periods import Pair
from metrics.statements import Row, Store, answer
from metrics.values import Scope


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
    p95_before_ms: float | None
    """Of the period before; None below 72 durations."""
    n_calls_before: int


def tool_table(database: Store, scope: Scope) -> tuple[ToolRow, ...]:
    """One row for each tool asked for in the scope, most calls first; empty without calls."""
    with ThreadPoolExecutor() as pool:
        timed = pool.submit(latency_by_tool, database, scope)
        asked = pool.submit(answer, database, "tool_table", scope)
        failed = pool.submit(error_classes, database, scope)
    errors: dict[str, list[ErrorClass]] = defaultdict(list)
    for item in failed.result():
        errors[item.tool_name].append(item)
    rows = asked.result()
    before = {row["tool_name"]: row for row in rows if not row["is_now"]}
    times = timed.result()
    return tuple(
        _tool(
            row,
            tuple(errors[row["tool_name"]]),
            before.get(row["tool_name"]),
            times.get(row["tool_name"], Pair(None, None)),
        )
        for row in rows
        if row["is_now"]
    )


def _tool(row: Row, errors: tuple[ErrorClass, ...], before: Row | None, times: Pair) -> ToolRow:
    counts = {name: int(row[name]) for name in row if name.startswith("n_")}
    n_known = counts["n_ok"] + counts["n_errors"]
    return ToolRow(
        tool_name=row["tool_name"],
        error_rate=counts["n_errors"] / n_known if n_known else None,
        errors=errors,
        p95_ms=p95_ms(times.now) if times.now else None,
        n_timed=int(times.now["n"]) if times.now else 0,
        p95_before_ms=p95_ms(times.before) if times.before else None,
        n_calls_before=int(before["n_calls"]) if before else 0,
        retry_rate=counts["n_retried"] / counts["n_heads"] if counts["n_heads"] else None,
        **counts,
    )
