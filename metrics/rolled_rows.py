"""Rows over rollups in the words of the statements over rows: same columns, same cuts.

But of the period before no time bucket over all tools and rules is told, because none is drawn.

A statement over rows groups by period, by part and by time bucket; here a few questions, asked once for a
whole report, hold what all of them need, and each is cut from those.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from metrics.buckets import HOUR_NS
from metrics.rolled_latency import latency
from metrics.rolled_observations import OF_OBSERVATIONS
from metrics.rolled_table import Ask, Given, Key, Table, counted_rows
from metrics.rolled_tools import ROLLED_TOOLS
from metrics.statements import Row

__all__ = ["ROLLED"]

_CHAIN_KINDS: Final = {
    "retry": "n_retries",
    "explicit": "n_explicit",
    "no_start_time": "no_start_time",
    "pseudo_tool": "pseudo_tool",
    "blocked": "blocked",
    "never_executed": "never_executed",
}
_CHAIN_SHARES: Final = {"retry": "", "retry_success": "success_"}
_GUARD_KINDS: Final = {name: name for name in ("no_start_time", "synthetic", "no_verdict")}
_MOMENTS: Final = ("n", "numerator", "n_clusters", "yy", "ym", "mm")


def retry_rate(ask: Ask, given: Given) -> list[Row]:
    """`retry_rate.sql`, but for each tool in each bucket; a tool by itself is cut from all tools.

    With `is_by_tool` each tool in each bucket is told, and only that, without moments and exclusions.
    """
    if given.get("is_by_tool"):
        return _retries_by_tool(ask)
    only = given["tool_name"]
    names = [f"{prefix}{name}" for prefix in _CHAIN_SHARES.values() for name in _MOMENTS]
    found = Table(("is_now", "tool_name", "bucket_time_ns"), [*names, *_CHAIN_KINDS.values()])
    for share in ask("shares"):
        if (prefix := _CHAIN_SHARES.get(share["share"])) is not None:
            for row in _rows_of_chains(found, share, only):
                row.update({f"{prefix}{name}": share[name] for name in _MOMENTS})
    for count in counted_rows(ask, "chain"):
        for row in _rows_of_chains(found, count, only):
            row[_CHAIN_KINDS[count["kind"]]] = count["n"]
    return [
        row
        | {
            "denominator": row["n"],
            "success_denominator": row["success_n"],
            "unknown_outcome": row["numerator"] - row["success_n"],
        }
        for row in found.rows()
    ]


def _retries_by_tool(ask: Ask) -> list[Row]:
    counts = [f"{prefix}{name}" for prefix in _CHAIN_SHARES.values() for name in ("n", "numerator")]
    found = Table(("is_now", "tool_name", "bucket_time_ns"), counts)
    for told in ask("retries_by_tool"):
        prefix = _CHAIN_SHARES[told["share"]]
        row = found.row(1, told["tool_name"], told["bucket_time_ns"])
        row.update({f"{prefix}n": told["n"], f"{prefix}numerator": told["numerator"]})
    return [
        row | {"denominator": row["n"], "success_denominator": row["success_n"]}
        for row in found.rows()
    ]


def _rows_of_chains(found: Table, told: Row, only: str | None) -> Iterator[Row]:
    """Where a row belongs; of one tool alone, its rows are those of all tools as well."""
    is_now, tool, bucket = told["is_now"], told["tool_name"], told["bucket_time_ns"]
    if only is None:
        yield found.row(is_now, tool, bucket)
    elif tool == only:
        yield found.row(is_now, None, bucket)
        if bucket is None:
            yield found.row(is_now, tool, None)


def guard_hits(ask: Ask, given: Given) -> list[Row]:
    """`guard_hits.sql`; but of one tool, in time buckets a rule stands for all its tools, without moments."""
    whole = "guard" if given["tool_name"] is None else "guard_of_tool"
    keys = ("is_now", "rule", "tool_name", "bucket_time_ns")
    found = Table(keys, [*_MOMENTS, *_GUARD_KINDS])
    for share in ask("shares"):
        is_whole = share["is_whole"] or share["share"] == "guard_of_tool"
        if share["share"] == (whole if is_whole else "guard"):
            rule, tool = (None, None) if is_whole else (share["name"], share["tool_name"])
            row = found.row(share["is_now"], rule, tool, share["bucket_time_ns"])
            row.update({name: share[name] for name in _MOMENTS})
    for count in counted_rows(ask, "evaluation"):
        part = (count["name"], count["tool_name"], count["bucket_time_ns"])
        found.row(count["is_now"], *part)[count["kind"]] = count["n"]
    return [row | {"denominator": row["n"]} for row in found.rows()]


def guard_silence(ask: Ask, _given: Given) -> list[Row]:
    """`guard_silence.sql`."""
    return [
        {"n_silent": row["n_silent"], "since_ns": row["since_hour"] * HOUR_NS}
        for row in ask("guard_silence")
    ]


def error_classes(ask: Ask, _given: Given) -> list[Row]:
    """`error_classes.sql`."""
    found = [
        {
            "tool_name": share["tool_name"],
            "error_type": share["name"],
            "n_calls": share["n"],
            "n_traces": share["n_clusters"],
        }
        for share in ask("shares")
        if share["share"] == "error"
        and share["is_now"]
        and not share["is_whole"]
        and share["bucket_time_ns"] is None
    ]
    return sorted(found, key=lambda row: (-row["n_calls"], row["tool_name"]))


def futile_retries(ask: Ask, _given: Given) -> list[Row]:
    """`futile_retries.sql`."""
    whole = (
        row["n"]
        for row in counted_rows(ask, "call")
        if row["is_now"] and row["tool_name"] is None and row["bucket_time_ns"] is None
    )
    return [{"n_futile": sum(whole)}]


def call_count(ask: Ask, given: Given) -> list[Row]:
    """`call_count.sql`."""
    only = given["tool_name"]
    found = [
        {
            "tool_name": call["tool_name"],
            "is_now": call["is_now"],
            "bucket_time_ns": call["bucket_time_ns"],
            "n_calls": call["n"],
        }
        for call in ask("calls")
        if call["tool_name"] is not None
        and call["bucket_time_ns"] is not None
        and only in (None, call["tool_name"])
    ]
    return sorted(found, key=lambda row: (row["tool_name"], row["is_now"], row["bucket_time_ns"]))


def tool_table(ask: Ask, _given: Given) -> list[Row]:
    """`tool_table.sql`."""
    outcomes = {"ok": "n_ok", "error": "n_errors", "unknown": "n_unknown"}
    left = {"blocked": "n_blocked", "never_executed": "n_never_executed"}
    names = ("n_calls", *outcomes.values(), *left.values(), "n_heads", "n_retried")
    found = Table(("tool_name", "is_now"), names)
    for call in ask("calls"):
        is_real = call["is_placed"] and call["reason"] != "pseudo_tool"
        if call["bucket_time_ns"] is not None or not is_real:
            continue
        row, outcome = found.row(call["tool_name"], call["is_now"]), call["outcome"]
        row[(outcomes | left)[outcome]] += call["n"]
        row["n_calls"] += call["n"] if outcome in outcomes else 0
    for share in ask("shares"):
        is_part = not share["is_whole"] and share["bucket_time_ns"] is None
        if share["share"] == "retry" and is_part:
            heads = {"n_heads": share["n"], "n_retried": share["numerator"]}
            found.row(share["tool_name"], share["is_now"]).update(heads)
    return sorted(found.rows(), key=lambda row: -int(row["n_calls"]))


def deploys(ask: Ask, _given: Given) -> list[Row]:
    """`series/deploys.sql`; of rows those are read that lie in the hours of a first or a last sight."""
    versions = ask("versions")
    hours = {row[name] for row in versions for name in ("first_hour", "last_hour")}
    if not hours:
        return []
    times = {
        (row["kind"], row["name"], row["version"], row["hour"]): row
        for row in ask("version_times", seen_hours=tuple(sorted(hours)))
    }
    found = []
    for version in versions:
        named = {key: version[key] for key in ("kind", "name", "version")}
        edges = [
            times.get((*named.values(), version[f"{edge}_hour"])) for edge in ("first", "last")
        ]
        if seen := [edge for edge in edges if edge is not None]:
            found.append(
                named
                | {
                    "first_time_ns": min(edge["first_time_ns"] for edge in seen),
                    "last_time_ns": max(edge["last_time_ns"] for edge in seen),
                    "n": version["n"],
                }
            )
    return sorted(found, key=lambda row: row["first_time_ns"])


def steps_histogram(ask: Ask, _given: Given) -> list[Row]:
    """`steps_histogram.sql`."""
    found = Table(("n_steps",), ("n_tasks",))
    for task in ask("tasks"):
        if task["is_now"] and task["reason"] == "counted":
            found.row(task["n_steps"])["n_tasks"] += task["n"]
    return found.rows()


def steps_per_task(ask: Ask, _given: Given) -> list[Row]:
    """`steps_per_task.sql`; its percentile is exact, as steps are few whole numbers."""
    reasons = ("no_start_time", "unfinished", "steps_unknown")
    names = ("n", "numerator", "sum_of_squares", "n_repeating", *reasons)
    found = Table(("is_now", "bucket_time_ns"), names)
    histograms: dict[Key, dict[int, int]] = {}
    for task in ask("tasks"):
        for bucket in (None, task["bucket_time_ns"]):
            row, n, steps = found.row(task["is_now"], bucket), task["n"], task["n_steps"]
            if task["reason"] != "counted":
                row[task["reason"]] += n
                continue
            row["n"] += n
            row["numerator"] += n * steps
            row["sum_of_squares"] += n * steps**2
            row["n_repeating"] += n if task["is_repeating"] else 0
            histogram = histograms.setdefault((task["is_now"], bucket), {})
            histogram[steps] = histogram.get(steps, 0) + n
    return [
        row
        | {
            "denominator": row["n"],
            "p90": _p90(histograms.get((row["is_now"], row["bucket_time_ns"]), {})),
        }
        for row in found.rows()
    ]


def _p90(histogram: Mapping[int, int]) -> float | None:
    """The 90th percentile, interpolated between neighbours; None without tasks."""
    rank = 0.9 * (sum(histogram.values()) - 1)
    if rank < 0:
        return None
    low, high = (_at_rank(histogram, place) for place in (int(rank), -int(-rank // 1)))
    return low + (rank - int(rank)) * (high - low)


def _at_rank(histogram: Mapping[int, int], rank: int) -> int:
    n_upto = 0
    for value in sorted(histogram):
        n_upto += histogram[value]
        if n_upto > rank:
            return value
    raise IndexError(rank)


ROLLED: Final[Mapping[str, Callable[[Ask, Given], list[Row]]]] = {
    "call_count": call_count,
    "error_classes": error_classes,
    "futile_retries": futile_retries,
    "guard_hits": guard_hits,
    "guard_silence": guard_silence,
    "latency_p95_attempt": latency("attempt"),
    "latency_p95_call": latency("call"),
    "latency_p95_model": latency("model"),
    "retry_rate": retry_rate,
    "steps_histogram": steps_histogram,
    "steps_per_task": steps_per_task,
    "series/deploys": deploys,
    "tool_table": tool_table,
    **ROLLED_TOOLS,
    **OF_OBSERVATIONS,
}
"""By the statement over rows that each stands for."""
