"""P95s over rollups, in the words of `latency_p95_*.sql`; quantiles are within 1 %."""

from collections.abc import Callable, Iterator
from typing import Final

from metrics.latency_buckets import quantile_ns, slow_count
from metrics.rolled_table import Ask, Given, Table, counted_rows, is_told
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
_PARSE_REASONS: Final = ("no_start_time", "no_parse_time")


def latency(counted: str) -> Callable[[Ask, Given], list[Row]]:
    """`latency_p95_<counted>.sql`, or `parse_p95.sql`; quantiles are within 1 %, and the rows say so.

    Once it is known what is slow, only whole periods are told, that of one tool cut from what is asked of
    all. Before that one tool is asked for by itself, with its time buckets, which do not tell what they
    leave out. With `is_by_tool` only the tools are told, each over whole periods.
    """
    reasons = _PARSE_REASONS if counted == "parse" else _CALL_REASONS

    def rows(ask: Ask, given: Given) -> list[Row]:
        only = given["tool_name"]
        found = Table(
            ("is_now", "tool_name", "bucket_time_ns"), ("n", "total_ns", "n_slow", *reasons)
        )
        for time in _times(ask, counted, given):
            row = found.row(time["is_now"], time["tool_name"], time["bucket_time_ns"])
            row.update(n=time["n"], total_ns=time["total_ns"], **_quantiles(time, given))
            if only is not None and time["bucket_time_ns"] is not None:
                row.update(dict.fromkeys(reasons))
        for left in _left_out(ask, counted, only):
            if _is_part(left) and only is None and given.get("slow_ns") is not None:
                continue
            if given.get("is_by_tool") and left["tool_name"] is None:
                continue
            row = found.row(left["is_now"], left["tool_name"], left["bucket_time_ns"])
            row[left["reason"]] += left["n"]
        return [{"value_ns": None} | row | {"is_approximate": 1} for row in found.rows()]

    return rows


def _times(ask: Ask, counted: str, given: Given) -> Iterator[Row]:
    """What was timed, of all tools or of one."""
    only, is_whole = given["tool_name"], given.get("slow_ns") is not None
    if only is not None:
        yield from _times_of_tool(ask, counted, only, is_whole=is_whole)
        return
    if not given.get("is_by_tool"):
        for time in ask("times"):
            if time["counted"] == counted and not (is_whole and _is_part(time)):
                yield time | {"tool_name": None}
    if counted == "call" and not is_whole:
        yield from _by_tool(ask)


def _times_of_tool(ask: Ask, counted: str, only: str, *, is_whole: bool) -> Iterator[Row]:
    """What was timed of one tool, whose rows are those of all tools as well."""
    if is_whole and counted == "call":
        found = [time for time in _by_tool(ask) if time["tool_name"] == only]
    else:
        timed = ask("tool_times", counted=counted)
        found = [time | {"total_ns": None} for time in timed if not (is_whole and _is_part(time))]
    for time in found:
        yield time | {"tool_name": None}
        if time["bucket_time_ns"] is None:
            yield time | {"tool_name": only}


def _by_tool(ask: Ask) -> Iterator[Row]:
    for time in ask("times_by_tool"):
        yield time | {"bucket_time_ns": None, "total_ns": None}


def _is_part(row: Row) -> bool:
    """Whether it is of one tool or one time bucket."""
    return row.get("tool_name") is not None or row["bucket_time_ns"] is not None


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


def _left_out(ask: Ask, counted: str, only: str | None) -> Iterator[Row]:
    """What was not timed, by reason; of one tool over whole periods alone."""
    if counted != "call" and only is not None:
        for count in ask("tool_counts"):
            if count["counted"] == counted:
                row = count | {"reason": count["kind"], "bucket_time_ns": None}
                yield row
                yield row | {"tool_name": None}
        return
    if counted != "call":
        counts = (row for row in counted_rows(ask, counted) if row["tool_name"] is None)
        yield from (row | {"reason": row["kind"]} for row in counts)
        return
    for call in ask("calls"):
        is_left_out = call["reason"] not in (None, "counted") and is_told(call)
        if not is_left_out or only not in (None, call["tool_name"]):
            continue
        yield call
        if call["bucket_time_ns"] is None:
            yield call | {"tool_name": None}
