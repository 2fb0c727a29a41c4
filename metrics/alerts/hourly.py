"""Hourly series out of the store, one for each figure and part of the system that is watched."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from metrics.alerts.alert import AlertKey
from metrics.buckets import HOUR_NS
from metrics.detect import Counts, GuardHour, Judged, Values
from metrics.standouts import Subject, SubjectKind
from metrics.statements import Row, Store, answer
from metrics.values import Scope

__all__ = [
    "accuracy_hours",
    "duration_hours",
    "guard_hours",
    "health_hours",
    "model_hours",
    "parse_hours",
    "retry_hours",
    "step_hours",
]

Hours = dict[AlertKey, dict[int, Any]]
"""What each hour (since the epoch) of each series held."""


def retry_hours(database: Store, scope: Scope) -> Hours:
    """Retried calls, and retried calls that ended ok, of each tool."""
    found: Hours = defaultdict(dict)
    for row in _bucketed(database, "retry_rate", scope):
        if row["tool_name"] is None:
            continue
        hour = _hour(row)
        tool = _tool(row["tool_name"])
        found[AlertKey("retry_rate", tool)][hour] = _counts(row)
        settled = _counts(row, "success_")
        if settled.n:
            found[AlertKey("retry_success_rate", tool)][hour] = settled
    return found


def duration_hours(database: Store, scope: Scope) -> Hours:
    """Durations of the calls of each tool, by bucket."""
    return _values(
        answer(database, "series/durations", scope),
        lambda name: AlertKey("latency_p95_call", _tool(name)),
    )


def model_hours(database: Store, scope: Scope) -> Hours:
    """Durations of the calls of each model, by bucket."""
    return _values(
        answer(database, "series/model_durations", scope),
        lambda name: AlertKey("latency_p95_model", _model(name)),
    )


def step_hours(database: Store, scope: Scope) -> Hours:
    """Steps of all tasks."""
    return _values(
        answer(database, "series/steps", scope), lambda _: AlertKey("steps_per_task", None)
    )


def health_hours(database: Store, scope: Scope) -> Hours:
    """Unknown cells, cells in conflict, and observations whose noise hit."""
    found: Hours = defaultdict(dict)
    rows = _bucketed(database, "observation_health", scope, reading="current")
    for row in rows:
        for metric, prefix in _HEALTH.items():
            counts = _counts(row, prefix)
            if counts.n:
                found[AlertKey(metric, None)][_hour(row)] = counts
    return found


def parse_hours(database: Store, scope: Scope, limit_ms: float) -> Hours:
    """Observations whose parsers took longer than the limit."""
    rows = answer(database, "series/parse_time", scope, limit_ms=limit_ms)
    slots = {int(row["hour"]): Counts(int(row["n"]), int(row["k"])) for row in rows}
    return {AlertKey("parse_p95", None): slots} if slots else {}


def guard_hours(database: Store, scope: Scope) -> Hours:
    """Calls, evaluations and hits of each rule, over the tools that it watches."""
    calls: dict[str, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for row in answer(database, "call_count", scope, bucket_ns=HOUR_NS):
        calls[row["tool_name"]][_hour(row)] += int(row["n_calls"])
    rules: dict[str, dict[str, dict[int, Counts]]] = defaultdict(lambda: defaultdict(dict))
    for row in _bucketed(database, "guard_hits", scope):
        if row["rule"] is not None:
            rules[row["rule"]][row["tool_name"]][_hour(row)] = _counts(row)
    return {_rule_key(rule, tools): _rule_hours(tools, calls) for rule, tools in rules.items()}


def accuracy_hours(database: Store, scope: Scope) -> Hours:
    """Judged decisions, one at random of each trace: in all, by tool, by version, by model."""
    groups: dict[AlertKey, dict[str, Row]] = defaultdict(dict)
    for row in answer(database, "series/judged", scope):
        for key in _accuracy_keys(row):
            held = groups[key].get(row["trace_id"])
            if held is None or row["decision_id"] < held["decision_id"]:
                groups[key][row["trace_id"]] = row
    return {key: _judged_hours(rows.values()) for key, rows in groups.items()}


_HEALTH: Final = {
    "unknown_share": "unknown_",
    "conflict_share": "conflict_",
    "noise_exposure": "noise_",
}


def _accuracy_keys(row: Row) -> Iterator[AlertKey]:
    metric, tool = "selection_accuracy", row["tool_name"]
    yield AlertKey(metric, None)
    yield AlertKey(metric, _tool(tool))
    if row["contract_version"] is not None:
        yield AlertKey(metric, Subject(SubjectKind.VERSION, row["contract_version"], tool))
    if row["model"] is not None:
        yield AlertKey(metric, _model(row["model"]))


def _judged_hours(rows: Iterable[Row]) -> dict[int, list[Judged]]:
    """Weights are the smallest inclusion probability over each one's own."""
    held = sorted(rows, key=lambda row: (row["time_ns"], row["decision_id"]))
    least = min(float(row["inclusion_probability"]) for row in held)
    found: dict[int, list[Judged]] = defaultdict(list)
    for row in held:
        weight = least / float(row["inclusion_probability"])
        time_ns = int(row["time_ns"])
        found[time_ns // HOUR_NS].append(Judged(time_ns, float(row["is_ok"]), weight))
    return found


def _bucketed(database: Store, name: str, scope: Scope, **extra: object) -> list[Row]:
    """The hourly rows of a statement that also tells the period before, of the whole scope."""
    middle = scope.start_time_ns + (scope.end_time_ns - scope.start_time_ns) // 2
    later = Scope(middle, scope.end_time_ns, scope.tool_name, scope.agent_name)
    rows = answer(database, name, later, bucket_ns=HOUR_NS, **extra)
    return [row for row in rows if row["bucket_time_ns"] is not None]


def _values(rows: Iterable[Row], key: Callable[[str], AlertKey]) -> Hours:
    found: dict[AlertKey, dict[int, dict[int, int]]] = defaultdict(lambda: defaultdict(dict))
    for row in rows:
        found[key(row["name"])][int(row["hour"])][int(row["value"])] = int(row["n"])
    return {
        name: {hour: Values(counts) for hour, counts in hours.items()}
        for name, hours in found.items()
    }


def _rule_key(rule: str, tools: Iterable[str]) -> AlertKey:
    named = [tool for tool in tools if tool]
    only = named[0] if len(named) == 1 else None
    return AlertKey("guard_hits", Subject(SubjectKind.RULE, rule or "?", only))


def _rule_hours(
    tools: Mapping[str, Mapping[int, Counts]], calls: Mapping[str, Mapping[int, int]]
) -> dict[int, GuardHour]:
    """A rule that names no tool watches them all."""
    watched = list(calls) if "" in tools else [tool for tool in tools if tool in calls]
    hours = {hour for slots in tools.values() for hour in slots}
    hours |= {hour for tool in watched for hour in calls[tool]}
    return {
        hour: GuardHour(
            hour * HOUR_NS,
            sum(calls[tool].get(hour, 0) for tool in watched),
            sum(slots[hour].n for slots in tools.values() if hour in slots),
            sum(slots[hour].k for slots in tools.values() if hour in slots),
        )
        for hour in hours
    }


def _counts(row: Row, prefix: str = "") -> Counts:
    return Counts(int(row[f"{prefix}n"] or 0), int(row[f"{prefix}numerator"] or 0))


def _hour(row: Row) -> int:
    return int(row["bucket_time_ns"]) // HOUR_NS


def _tool(name: str) -> Subject:
    return Subject(SubjectKind.TOOL, name, name)


def _model(name: str) -> Subject:
    return Subject(SubjectKind.MODEL, name or "?", None)
