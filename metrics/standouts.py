"""What should a person look at first? Every bad figure, with the part of the system that explains it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from metrics.behind import Part
from metrics.guard_rules import GuardRule
from metrics.judge import limit_level
from metrics.severity import severity, silence_severity
from metrics.values import Baseline, Metric, Note, Point, State, ThresholdKind, Unit

if TYPE_CHECKING:
    from metrics.report import Report
    from metrics.suspects import Suspect

_BESIDE: Final = {"guard_hit_rate": "guard_hits", "latency_p95_attempt": "latency_p95_call"}
"""Figures that say again what another one says: left out when that one is bad too."""
_ALONE: Final = 1.7
"""A tool out of limits while the figure of all tools is not: 3.3 standard errors, p < .001."""
_LEAST_RISE: Final = 0.25
"""Of the rise in steps: the share of it that the calls of one tool must make up to be named."""
_LEAST_NOISE: Final = 0.05
"""A rise of noise exposure by less is not told."""


class SubjectKind(StrEnum):
    """What a finding is about, when not about everything."""

    TOOL = "tool"
    RULE = "rule"
    VALUE = "value"
    MODEL = "model"
    VERSION = "version"
    """One version of a tool's contract."""


@dataclass(frozen=True, slots=True)
class Subject:
    """The part of the system that explains a finding. Its texts come from traces."""

    kind: SubjectKind
    name: str
    tool_name: str | None
    """The tool to narrow the traces to."""
    fact_type: str | None = None
    """Of an unmapped value."""


@dataclass(frozen=True, slots=True)
class Standout:
    """One finding."""

    metric: str
    """Key of its definition."""
    subject: Subject | None
    """None when no single part explains it."""
    value: float | None
    unit: Unit
    n: int
    limit: float | None
    """In the unit of the value; None where the limit is no level."""
    is_below: bool
    """Whether the value is under its limit rather than over it."""
    baseline: Baseline | None
    """The period before; of a silent rule its hits and evaluations until it fell silent."""
    state: State
    """BAD, or NOT_JUDGED for what has no limit and still changed suddenly."""
    note: Note
    since_ns: int | None
    """Start of the time bucket from which on it stays past the limit; None where that is unclear."""
    part: Part | None
    """Which traces show it; None for those that call the tool."""
    severity: float
    """1 is just certain, 10 the most; 0 where no limit measures it."""


def standouts(report: "Report") -> tuple[Standout, ...]:
    """The findings of a report, most severe first; empty when nothing is out of limits."""
    bad = {key: metric for key, metric in report.metrics().items() if metric.state is State.BAD}
    found = [*_of_tools(report, bad), *_of_rules(report, bad)]
    explained = {item.metric for item in found}
    found += [
        _of_all(report, metric)
        for key, metric in bad.items()
        if key not in explained and _BESIDE.get(key) not in {*bad, *explained}
    ]
    found.sort(key=lambda item: -item.severity)
    return (*found, *_noise(report))


def _noise(report: "Report") -> Iterator[Standout]:
    """More noise than before is no fault, but it explains what nothing else does."""
    noise = report.observation.noise
    if noise.baseline is None or noise.interval is None:
        return
    if noise.interval.low > noise.baseline.value + _LEAST_NOISE:
        yield _standout(noise, None, report.trends[noise.key])


def _of_tools(report: "Report", bad: dict[str, Metric]) -> Iterator[Standout]:
    for suspect in report.suspects:
        is_alone = suspect.metric.key not in bad
        if not is_alone or severity(suspect.metric) >= _ALONE:
            yield _of_tool(suspect)


def _of_tool(suspect: "Suspect") -> Standout:
    subject = Subject(SubjectKind.TOOL, suspect.tool_name, suspect.tool_name)
    return _standout(suspect.metric, subject, suspect.trend)


def _of_rules(report: "Report", bad: dict[str, Metric]) -> Iterator[Standout]:
    if "guard_hits" in bad:
        for rule in report.guard.silent:
            yield _of_rule(report, rule)


def _of_rule(report: "Report", rule: GuardRule) -> Standout:
    limit = report.guard.hits.threshold.limit if report.guard.hits.threshold else 0.001
    tool = rule.tool_names[0] if len(rule.tool_names) == 1 else None
    return Standout(
        metric="guard_hits",
        subject=Subject(SubjectKind.RULE, rule.name, tool),
        value=rule.n_hits if rule.n_evaluations else None,
        unit=Unit.HITS,
        n=rule.n_silent,
        limit=None,
        is_below=True,
        baseline=Baseline(rule.n_hits_until, rule.n_evaluations_until),
        state=State.BAD,
        note=rule.note,
        since_ns=rule.silent_since_ns,
        part=None if rule.note is Note.EVALUATIONS_STOPPED else Part.DENOMINATOR,
        severity=silence_severity(rule.silence_probability or 0.0, limit),
    )


def _of_all(report: "Report", metric: Metric) -> Standout:
    subject: Subject | None = None
    if metric.key == "steps_per_task":
        subject = _busier_tool(report, metric)
    if metric.key == "unknown_share":
        subject = _unmapped(report)
    return _standout(metric, subject, report.trends[metric.key])


def _busier_tool(report: "Report", steps: Metric) -> Subject | None:
    """The tool whose calls per task rose most, if that explains a good part of the steps."""
    if steps.baseline is None or steps.value is None:
        return None
    n_before = steps.baseline.n
    rises = {
        tool.tool_name: tool.n_calls / steps.n - tool.n_calls_before / n_before
        for tool in report.tools
    }
    name = max(rises, key=lambda tool: rises[tool], default=None)
    least = _LEAST_RISE * (steps.value - steps.baseline.value)
    if name is None or rises[name] < least:
        return None
    return Subject(SubjectKind.TOOL, name, name)


def _unmapped(report: "Report") -> Subject | None:
    if not report.unmapped:
        return None
    value = report.unmapped[0]
    return Subject(SubjectKind.VALUE, value.raw or "?", value.tool_name, value.fact_type)


def _standout(metric: Metric, subject: Subject | None, trend: Sequence[Point]) -> Standout:
    threshold = metric.threshold
    limit = limit_level(threshold, metric.baseline) if threshold else None
    is_below = threshold is not None and threshold.kind is ThresholdKind.AT_LEAST
    return Standout(
        metric=metric.key,
        subject=subject,
        value=metric.value,
        unit=metric.unit,
        n=metric.n,
        limit=limit,
        is_below=is_below,
        baseline=metric.baseline,
        state=metric.state,
        note=metric.note,
        since_ns=None if limit is None else since(trend, limit, is_below=is_below),
        part=Part.WORST,
        severity=severity(metric),
    )


def since(trend: Sequence[Point], limit: float, *, is_below: bool) -> int | None:
    """Start of the stretch that passes the limit by most in all, each bucket by its n.

    A bucket within the limit does not end the stretch when more comes after it. None where no
    bucket passes the limit, or where the first one starts the stretch: it began before.
    """
    measured = [point for point in trend if point.value is not None]
    best, total, start, chosen = 0.0, 0.0, 0, None
    for place, point in enumerate(measured):
        excess = ((point.value or 0.0) - limit) * (-1 if is_below else 1) * point.n
        if total <= 0:
            total, start = 0.0, place
        total += excess
        if total > best:
            best, chosen = total, start
    return measured[chosen].time_ns if chosen else None
