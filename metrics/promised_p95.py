"""Do tools keep their SLA? The P95 of each tool whose contract promises one, judged by it."""

from metrics.latency_p95 import p95_of_tool
from metrics.statements import Store
from metrics.thresholds import DEFAULT_THRESHOLDS, Thresholds
from metrics.values import OfTool, Scope


def promised_p95(
    database: Store, scope: Scope, thresholds: Thresholds = DEFAULT_THRESHOLDS
) -> tuple[OfTool, ...]:
    """The P95 of calls of each tool with an SLA, by name; none for tools without a call.

    It is met when the whole interval lies within it, broken when the whole interval lies above; below
    72 durations there is no P95 to judge.

    Source: S4 §4.3, a contract says the P95 that was agreed.
    """
    found = [
        OfTool(
            promise.tool_name,
            p95_of_tool(database, scope, promise.tool_name, thresholds),
        )
        for promise in thresholds.promises
        if promise.p95_ms is not None and scope.tool_name in {None, promise.tool_name}
    ]
    return tuple(sorted((item for item in found if item.metric.n), key=lambda item: item.tool_name))
