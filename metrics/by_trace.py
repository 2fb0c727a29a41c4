"""What each trace did, in the few numbers that its spans show."""

from collections import defaultdict
from dataclasses import dataclass

from metrics.statements import Store, answer
from metrics.values import Scope


@dataclass(frozen=True, slots=True)
class TraceReport:
    """One trace. None where its spans do not show the number."""

    llm_calls: int | None
    """Model calls that were answered."""
    tools: tuple[str, ...] | None
    """Names of the calls in their order, pseudo tools left out."""
    tool_errors: int | None
    retries: int | None
    input_tokens: int | None
    """Cached ones included."""
    output_tokens: int | None
    cached_tokens: int | None
    run_failed: bool | None
    identical_calls_in_a_row: int | None
    """Longest run of equal calls; 0 when none repeats."""


def by_trace(database: Store, scope: Scope | None = None) -> dict[str, TraceReport]:
    """A report for each trace id (32 lower hex), oldest first; of the whole store without a scope.

    The scope places traces by their own start; untimed ones are in no scope.
    """
    tools: dict[str, list[str]] = defaultdict(list)
    for row in trace_tools(database, scope):
        tools[row["trace_id"]].append(row["tool_name"])
    return {
        row["trace_id"]: TraceReport(
            llm_calls=row["n_llm_calls"],
            tools=None if row["n_tool_calls"] is None else tuple(tools[row["trace_id"]]),
            tool_errors=row["n_tool_errors"],
            retries=row["n_retries"],
            input_tokens=row["input_tokens"],
            output_tokens=row["output_tokens"],
            cached_tokens=row["cached_input_tokens"],
            run_failed=row["is_run_failed"],
            identical_calls_in_a_row=row["longest_identical_run"],
        )
        for row in answer(database, "by_trace", scope)
    }


def trace_tools(database: Store, scope: Scope | None = None) -> list[dict[str, str]]:
    """One row for each call (`trace_id`, `tool_name`), by trace and order of call."""
    return answer(database, "trace_tools", scope)
