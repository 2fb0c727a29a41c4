"""Figures of one tool over rollups, in the words of the statements over rows: same columns, same order."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from metrics.rolled_table import Ask, Given, Table
from metrics.statements import Row

__all__ = ["ROLLED_TOOLS"]

_RAN: Final = {"ok", "error", "unknown"}
_LEVELS: Final = {"L1": "n_l1", "L2": "n_l2", "L3": "n_l3"}
_KEYS: Final = {
    "with_key": "n_with_key",
    "deterministic": "n_deterministic",
    "step": "n_steps",
    "step_with_several": "n_steps_with_several",
}
_STEPS: Final = {
    "none": "n_none",
    "repeated": "n_repeated",
    "corrected": "n_corrected",
    "other_tool": "n_other_tool",
}
_CORRECTED_OK: Final = "corrected_ok"
_RETRIED: Final = {
    "chain": "n_chains",
    "retry": "n_retries",
    "explicit": "n_explicit",
    "futile": "n_futile",
    "over_budget": "n_over_budget",
    "ok": "n_ok",
    "error": "n_failed",
}


def degradation_share(ask: Ask, given: Given) -> list[Row]:
    """`degradation_share.sql`."""
    found = _tools(ask, given, (*_LEVELS.values(), "n_other"))
    for count in _counted(ask, "degraded"):
        found[count["tool_name"]][_LEVELS.get(count["kind"], "n_other")] += count["n"]
    return _most_calls_first(found)


def idempotency_honesty(ask: Ask, given: Given) -> list[Row]:
    """`idempotency_honesty.sql`."""
    found = _tools(ask, given, _KEYS.values())
    for count in _counted(ask, "key"):
        found[count["tool_name"]][_KEYS[count["kind"]]] = count["n"]
    return _most_calls_first(found)


def after_error(ask: Ask, _given: Given) -> list[Row]:
    """`after_error.sql`."""
    found = Table(("error_type", "tool_name"), ("n", *_STEPS.values(), "n_corrected_ok"))
    for count in _counted(ask, "after_error"):
        row = found.row(count["name"], count["tool_name"])
        if count["kind"] == _CORRECTED_OK:
            row["n_corrected_ok"] = count["n"]
        else:
            row[_STEPS[count["kind"]]] = count["n"]
            row["n"] += count["n"]
    return sorted(found.rows(), key=lambda row: (row["error_type"], -row["n"]))


def retry_kinds(ask: Ask, _given: Given) -> list[Row]:
    """`retry_kinds.sql`."""
    found = Table(("tool_name", "error_type"), _RETRIED.values())
    for count in _counted(ask, "retried"):
        found.row(count["tool_name"], count["name"])[_RETRIED[count["kind"]]] = count["n"]
    return sorted(found.rows(), key=lambda row: -int(row["n_chains"]))


def quota_used(ask: Ask, _given: Given) -> list[Row]:
    """`quota_used.sql`."""
    return list(ask("caller_days"))


def _counted(ask: Ask, counted: str) -> Iterator[Row]:
    """What is counted of one kind in the scope."""
    return (row for row in ask("tool_counts") if row["is_now"] and row["counted"] == counted)


def _tools(ask: Ask, given: Given, zeros: Iterable[str]) -> dict[str, Row]:
    """The tools that were called in the scope, with their calls."""
    n_calls: dict[str, int] = defaultdict(int)
    for call in ask("calls"):
        is_real = call["is_placed"] and call["reason"] != "pseudo_tool"
        is_counted = is_real and call["outcome"] in _RAN and call["bucket_time_ns"] is None
        if is_counted and call["is_now"] and given["tool_name"] in (None, call["tool_name"]):
            n_calls[call["tool_name"]] += call["n"]
    names = tuple(zeros)
    return {
        tool: {"tool_name": tool, "n_calls": n} | dict.fromkeys(names, 0)
        for tool, n in sorted(n_calls.items())
    }


def _most_calls_first(found: Mapping[str, Row]) -> list[Row]:
    return sorted(found.values(), key=lambda row: -int(row["n_calls"]))


ROLLED_TOOLS: Final[Mapping[str, Callable[[Ask, Given], list[Row]]]] = {
    "after_error": after_error,
    "degradation_share": degradation_share,
    "idempotency_honesty": idempotency_honesty,
    "quota_used": quota_used,
    "retry_kinds": retry_kinds,
}
"""By the statement over rows that each stands for."""
