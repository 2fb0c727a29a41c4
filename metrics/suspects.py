"""Which tools are out of limits by themselves, also where the figure over all tools hides it?"""

import math
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Final

from metrics.judge import judge, limit_level
from metrics.latency_p95 import p95_of_tool
from metrics.retry_rate import Retries
from metrics.selection_accuracy import Accuracy
from metrics.severity import severity
from metrics.statements import Store
from metrics.thresholds import Thresholds
from metrics.tool_table import ToolRow
from metrics.trend import tool_trend
from metrics.values import Metric, OfTool, Point, Scope, State, Threshold, ThresholdKind

MOST: Final = 6
"""Tools looked at more closely; each costs a question or two."""
_LATENCY: Final = "latency_p95_call"


@dataclass(frozen=True, slots=True)
class Suspect:
    """One tool whose own figure is out of limits."""

    tool_name: str
    metric: Metric
    limit: float
    """In the unit of the figure."""
    trend: tuple[Point, ...]


def suspects(
    database: Store,
    scope: Scope,
    accuracy: Accuracy,
    retries: Retries,
    tools: Iterable[ToolRow],
    thresholds: Thresholds,
) -> tuple[Suspect, ...]:
    """The tools with selection accuracy, retry rate or P95 out of limits, most severe first.

    A P95 is measured against the tool's SLA, without one against the limit of all calls, and
    against the tool's own past. At most `MOST`
    are given; none in a scope of one tool, where the figures are the tool's already.
    """
    if scope.tool_name is not None:
        return ()
    slow = _slow(database, scope, tools, thresholds)
    bad = [item for item in (*accuracy.by_tool, *retries.by_tool, *slow) if _is_bad(item)]
    bad.sort(key=lambda item: -severity(item.metric))
    with ThreadPoolExecutor() as pool:
        return tuple(pool.map(lambda item: _suspect(database, scope, item), bad[:MOST]))


def _is_bad(item: OfTool) -> bool:
    return item.metric.state is State.BAD


def _slow(
    database: Store, scope: Scope, tools: Iterable[ToolRow], thresholds: Thresholds
) -> list[OfTool]:
    slow = [tool for tool in tools if _looks_slow(tool, thresholds)]
    return [
        OfTool(
            tool.tool_name,
            _against_own_past(
                p95_of_tool(database, scope, tool.tool_name, thresholds),
                thresholds,
            ),
        )
        for tool in slow[:MOST]
    ]


def _looks_slow(tool: ToolRow, thresholds: Thresholds) -> bool:
    """Whether the P95 alone, without its interval, is out of limits."""
    if tool.p95_ms is None:
        return False
    fixed = thresholds.of(_LATENCY, tool.tool_name)
    limit = fixed.limit if fixed else math.inf
    if tool.p95_before_ms is not None:
        limit = min(limit, thresholds.max_tool_p95_factor * tool.p95_before_ms)
    return tool.p95_ms > limit


def _against_own_past(metric: Metric, thresholds: Thresholds) -> Metric:
    """The figure judged by its past, unless it passes its SLA or the limit of all calls."""
    if metric.state is State.BAD or metric.baseline is None:
        return metric
    own = Threshold(
        thresholds.max_tool_p95_factor,
        ThresholdKind.TIMES_BASELINE,
        thresholds.min_tool_p95_rise_ms,
    )
    state, note = judge(
        metric.value, metric.interval, own, metric.baseline, thresholds.min_baseline_n
    )
    return replace(metric, threshold=own, state=state, note=note)


def _suspect(database: Store, scope: Scope, item: OfTool) -> Suspect:
    metric = item.metric
    limit = limit_level(metric.threshold, metric.baseline) if metric.threshold else None
    points = tool_trend(database, metric.key, scope, item.tool_name)
    return Suspect(item.tool_name, metric, limit or 0.0, points)
