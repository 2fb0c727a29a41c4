"""P95s over rollups, in the words of `latency_p95_*.sql`; quantiles are within 1 %."""

from collections.abc import Callable, Iterator
from typing import Final

from metrics.latency_buckets import quantile_ns, slow_count
from metrics.rolled_table import Ask, Given, Table, counted_rows
from metrics.statements import Row

__all__ = ["latency"]

_CALL_REASONS: Final = (
    "no_start_time",
    "pseudo_tool",
    "blocked",
    "never_executed",
    "unfinished",
    "negative_duration",
)


def latency(counted: str) -> Callable[[Ask, Given], list[Row]]:
    """`latency_p95_<counted>.sql`; quantiles are within 1 %, and the rows say so.

    With `only_tool` the whole periods of one tool alone, cut from what was asked of all.
    """

    def rows(ask: Ask, given: Given) -> list[Row]:
        only = given.get("only_tool")
        found = Table(
            ("is_now", "tool_name", "bucket_time_ns"), ("n", "total_ns", "n_slow", *_CALL_REASONS)
        )
        for time in ask("times"):
            if time["counted"] == counted and only in (None, time["tool_name"]):
                tool = None if only else time["tool_name"]
                row = found.row(time["is_now"], tool, time["bucket_time_ns"])
                row.update(n=time["n"], total_ns=time["total_ns"], **_quantiles(time, given))
        for left in _left_out(ask, counted, only or given["tool_name"]):
            tools = (None, left["tool_name"]) if counted == "call" else (None,)
            for tool, bucket in ((tool, None) for tool in tools):
                found.row(left["is_now"], tool, bucket)[left["reason"]] += left["n"]
            found.row(left["is_now"], None, left["bucket_time_ns"])[left["reason"]] += left["n"]
        return [{"value_ns": None} | row | {"is_approximate": 1} for row in found.rows()]

    return rows


def _quantiles(time: Row, given: Given) -> Row:
    """The quantile; of whole periods also the interval's and the slow units, once they are asked for."""
    buckets, counts = time["lat_buckets"], time["lat_counts"]
    value = {"value_ns": quantile_ns(buckets, counts, given["q"])}
    if time["bucket_time_ns"] is not None or given.get("slow_ns") is None:
        return value
    return value | {
        "low_ns": quantile_ns(buckets, counts, given["q_low"]),
        "high_ns": quantile_ns(buckets, counts, given["q_high"]),
        "n_slow": slow_count(buckets, counts, given["slow_ns"]),
    }


def _left_out(ask: Ask, counted: str, tool_name: str | None) -> Iterator[Row]:
    if counted != "call":
        yield from (row | {"reason": row["kind"]} for row in counted_rows(ask, counted))
        return
    for call in ask("calls"):
        is_asked = tool_name is None or call["tool_name"] == tool_name
        if call["reason"] != "counted" and is_asked:
            yield call
