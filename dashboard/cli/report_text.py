"""A metric in words: value with its unit, interval, limit, what was left out."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import orjson

from dashboard.cli.tables import plain, table
from metrics import (
    ContainerReport,
    Metric,
    Scope,
    ScoreSum,
    ThresholdKind,
    TraceReport,
    Unit,
    definition,
)

__all__ = [
    "amount",
    "containers_table",
    "json_text",
    "metrics_table",
    "range_sentence",
    "traces_table",
]

_HEADERS = ("metric", "value", "n", "interval", "limit", "before", "state", "left out")
_KINDS = {
    ThresholdKind.AT_LEAST: "at least {}",
    ThresholdKind.AT_MOST: "at most {}",
    ThresholdKind.TIMES_BASELINE: "{:g} x before",
    ThresholdKind.NOT_SUDDENLY_ZERO: "not suddenly 0",
}


def metrics_table(metrics: Iterable[Metric]) -> str:
    """One line a metric; `no data` where there is none, never 0."""
    return table(_HEADERS, [_row(metric) for metric in metrics])


def range_sentence(scope: Scope, zone: ZoneInfo) -> str:
    """Which period the numbers are about, and where it ends."""
    start, end = (_minute(time_ns, zone) for time_ns in (scope.start_time_ns, scope.end_time_ns))
    about = f" for tool {plain(scope.tool_name)}" if scope.tool_name else ""
    return f"{start} to {end} ({zone.key}){about}; the range ends at the newest data, not now."


def traces_table(reports: Mapping[str, TraceReport]) -> str:
    """One line a trace, oldest first; `-` for what its spans do not show."""
    headers = ("trace", "llm", "in", "out", "cached", "errors", "retries", "failed", "tools")
    return table(
        headers,
        (
            (
                trace_id,
                found.llm_calls,
                found.input_tokens,
                found.output_tokens,
                found.cached_tokens,
                found.tool_errors,
                found.retries,
                {True: "yes", False: "no", None: None}[found.run_failed],
                None if found.tools is None else " ".join(found.tools),
            )
            for trace_id, found in reports.items()
        ),
    )


def containers_table(reports: Mapping[str, ContainerReport]) -> str:
    """One line a kind of file; `-` for what its data do not show."""
    headers = (
        "container", "traces", "calls", "hand-offs", "tools", "errors", "blocked", "retries",
        "next call", "turns", "expected", "made", "with arguments", "judged", "right tool",
        "right call", "scores",
    )  # fmt: skip
    return table(
        headers,
        (
            (
                name,
                found.n_traces,
                found.n_calls,
                found.n_pseudo_calls,
                found.n_tools,
                found.n_errors,
                found.n_blocked,
                found.n_retries,
                f"{found.n_next_retries} ({found.n_next_retries_ok} ok)",
                None if found.mean_turns is None else f"{found.mean_turns:.2f}",
                found.n_expected,
                found.n_found,
                found.n_found_with_arguments,
                found.n_judged,
                found.n_right_tool,
                found.n_right_call,
                ", ".join(_score(score) for score in found.scores),
            )
            for name, found in reports.items()
        ),
    )


def _score(score: ScoreSum) -> str:
    total = "" if score.total is None else f" {score.total:g}"
    return f"{score.name}{total} of {score.n}"


def json_text(value: object) -> str:
    """Indented JSON; None is null."""
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


def _row(metric: Metric) -> Sequence[object]:
    interval = metric.interval
    return (
        definition(metric.key).name_en,
        _value(metric),
        f"{metric.n:,} {metric.counted.replace('_', ' ')}",
        f"{amount(interval.low, metric.unit)} to {amount(interval.high, metric.unit)}"
        if interval
        else "",
        _limit(metric),
        f"{amount(metric.baseline.value, metric.unit)} (n {metric.baseline.n:,})"
        if metric.baseline
        else "",
        f"{metric.state.replace('_', ' ')}: {metric.note.replace('_', ' ')}",
        ", ".join(f"{x.n:,} {x.reason.replace('_', ' ')}" for x in metric.exclusions),
    )


def _value(metric: Metric) -> str:
    """With `~` where it is approximate, within 1 %."""
    if metric.value is None:
        return "no data"
    return ("~" if metric.is_approximate else "") + amount(metric.value, metric.unit)


def amount(value: float, unit: Unit) -> str:
    """A value with its unit, as short as it can be told apart."""
    if unit is Unit.RATE:
        return f"{value * 100:.1f} %"
    if unit is Unit.MS:
        return f"{value / 1000:.2f} s" if value >= 1000 else f"{value:.0f} ms"
    if unit is Unit.STEPS:
        return f"{value:.2f} steps"
    if unit is Unit.SCORE:
        return f"{value:.2f}"
    return f"{value:,.0f} {unit}"


def _limit(metric: Metric) -> str:
    threshold = metric.threshold
    if threshold is None:
        return ""
    form = _KINDS[threshold.kind]
    if threshold.kind is ThresholdKind.TIMES_BASELINE:
        return form.format(threshold.limit)
    return form.format(amount(threshold.limit, metric.unit))


def _minute(time_ns: int, zone: ZoneInfo) -> str:
    moment = datetime.fromtimestamp(time_ns // 1_000_000_000, UTC)
    return moment.astimezone(zone).strftime("%Y-%m-%d %H:%M")
