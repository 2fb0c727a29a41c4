"""What is out of the ordinary, now and before: every series watched, every check made."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from metrics.alerts.alert import Alert, AlertKey, Cause, Deploy, Incident, Severity
from metrics.alerts.canary import CanaryState, canary_states
from metrics.alerts.checks import (
    Whitelist,
    canaries,
    degradations,
    ingest_silence,
    whitelisted_noise,
)
from metrics.alerts.grouping import incidents
from metrics.alerts.watch import watched
from metrics.buckets import HOUR_NS
from metrics.data_range import data_range
from metrics.definitions import DEFINITIONS
from metrics.detect import (
    HOURS_A_WEEK,
    Episode,
    GuardDetector,
    SilenceKind,
    Watched,
    scan,
)
from metrics.rollups import best_of
from metrics.standouts import SubjectKind
from metrics.statements import Store, answer
from metrics.thresholds import DEFAULT_THRESHOLDS, Thresholds
from metrics.values import Scope, Unit

__all__ = ["Evaluation", "alert_scope", "deploys", "evaluate_alerts"]

_WEEK_NS: Final = HOURS_A_WEEK * HOUR_NS
_BASELINE_WEEKS: Final = 8
_STEP_WEEKS: Final = 4
"""The history moves on by so much at once: windows by count must not shift from look to look."""
_NEAR_NS: Final = HOUR_NS // 2
"""A deploy within half an hour of the beginning goes with an alert; within half of the time that it
took to be sure, where that was longer: the beginning is known no better."""
_DAY_NS: Final = 24 * HOUR_NS
_UNITS: Final = {item.key: item.unit for item in DEFINITIONS}


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All alerts of a store at one moment."""

    scope: Scope | None
    """The history that was looked at; None without data."""
    n_series: int
    """How many series were watched."""
    alerts: tuple[Alert, ...]
    """Those that go on and those that are over, earliest first."""
    incidents: tuple[Incident, ...]
    """The same, grouped; those that go on first."""

    @property
    def firing(self) -> tuple[Alert, ...]:
        """The alerts that go on."""
        return tuple(alert for alert in self.alerts if alert.is_firing)


def alert_scope(first_time_ns: int, last_time_ns: int) -> Scope:
    """The history to look at: eight to twelve weeks up to the newest data, in whole hours."""
    end = (last_time_ns // HOUR_NS + 1) * HOUR_NS
    step = _STEP_WEEKS * _WEEK_NS
    start = (end - _BASELINE_WEEKS * _WEEK_NS) // step * step
    return Scope(max(start, first_time_ns // HOUR_NS * HOUR_NS), end)


def evaluate_alerts(
    database: Store,
    thresholds: Thresholds = DEFAULT_THRESHOLDS,
    *,
    whitelist: Whitelist | None = None,
    now_ns: int | None = None,
) -> Evaluation:
    """Every alert of the last weeks, from the rows that the store holds.

    A pure function of the rows: looking twice finds the same, however often anyone looked between.

    Args:
        database: The store.
        thresholds: What is worth telling.
        whitelist: What noise must leave alone under an intent; without one only rows that say so
            themselves are told.
        now_ns: The present time, for a store that takes traces live: silence since the newest data
            is an alarm. None for a store of recorded traces.
    """
    data = data_range(database)
    if data is None:
        return Evaluation(None, 0, (), ())
    scope = alert_scope(data.first_time_ns, data.last_time_ns)
    series = watched(database, scope, thresholds)
    found = [
        _alert(item, episode)
        for item, episodes in _paired(series, scan(series))
        for episode in episodes
    ]
    states = canary_states(database, scope)
    found = [_with_canary(alert, states) for alert in found]
    found += canaries(states)
    found += whitelisted_noise(database, scope, whitelist or _nothing)
    found += degradations(database, scope)
    seen = deploys(best_of(database, scope), scope)
    found = [_with_deploys(alert, seen) for alert in found]
    silence = None if now_ns is None else ingest_silence(database, scope, now_ns)
    if silence is not None:
        found = [replace(alert, is_suppressed=alert.cleared_ns is None) for alert in found]
        found.append(silence)
    found.sort(key=lambda alert: (alert.since_ns, alert.key.text))
    return Evaluation(scope, len(series), tuple(found), incidents(found))


def deploys(database: Store, scope: Scope) -> tuple[Deploy, ...]:
    """Versions of contracts, models, dictionaries and templates seen in a scope, by first sight.

    Of one tool only those of its contract.
    """
    rows = answer(database, "series/deploys", scope)
    if scope.tool_name is None:
        rows = [*rows, *answer(database, "series/rule_deploys", scope)]
    return tuple(
        Deploy(
            kind=row["kind"],
            name=row["name"],
            version=row["version"],
            first_time_ns=int(row["first_time_ns"]),
            last_time_ns=int(row["last_time_ns"]),
            n=int(row["n"]),
        )
        for row in sorted(rows, key=lambda row: int(row["first_time_ns"]))
    )


def _with_canary(alert: Alert, states: Iterable[CanaryState]) -> Alert:
    """A rule that hits nothing any more, with the canary that it has stopped meanwhile."""
    if alert.cause is not Cause.HITS_STOPPED or alert.key.subject is None:
        return alert
    rule = alert.key.subject.name
    stopped = (state.last_stopped_ns for state in states if state.rule == rule)
    proven_ns = next((at for at in stopped if at is not None and at >= alert.since_ns), None)
    return replace(alert, proven_ns=proven_ns)


def _nothing(_intent: str | None) -> frozenset[str]:
    return frozenset()


def _paired(
    series: Iterable[Watched[AlertKey]], found: Mapping[AlertKey, tuple[Episode, ...]]
) -> Iterable[tuple[Watched[AlertKey], tuple[Episode, ...]]]:
    return ((item, found[item.key]) for item in series if item.key in found)


def _alert(item: Watched[AlertKey], episode: Episode) -> Alert:
    reading, cause = episode.reading, _cause(item, episode)
    return Alert(
        key=item.key,
        cause=cause,
        severity=_severity(cause, episode),
        since_ns=episode.since_ns,
        fired_ns=episode.fired_ns,
        last_ns=episode.last_ns,
        cleared_ns=episode.cleared_ns,
        n=reading.n,
        value=reading.value,
        unit=_UNITS.get(item.key.metric, Unit.RATE),
        baseline=reading.baseline,
        n_baseline=reading.n_baseline,
        limit=None if isinstance(item.detector, GuardDetector) else reading.limit,
        p_value=reading.p_value,
    )


def _cause(item: Watched[AlertKey], episode: Episode) -> Cause:
    if isinstance(item.detector, GuardDetector):
        stopped = episode.kind == SilenceKind.EVALUATIONS
        return Cause.EVALUATIONS_STOPPED if stopped else Cause.HITS_STOPPED
    if item.key.metric == "selection_accuracy":
        return Cause.BELOW_LIMIT
    if item.key.metric == "retry_success_rate":
        return Cause.FELL
    return Cause.OVER_LIMIT if episode.reading.baseline is None else Cause.ROSE


def _severity(cause: Cause, episode: Episode) -> Severity:
    is_page = cause is Cause.EVALUATIONS_STOPPED or episode.reading.is_urgent
    return Severity.PAGE if is_page else Severity.TICKET


def _with_deploys(alert: Alert, seen: tuple[Deploy, ...]) -> Alert:
    """The alert with what was new when it began."""
    near = tuple(deploy for deploy in seen if _goes_with(deploy, alert, seen))
    is_inherited = alert.baseline is not None and any(
        deploy.kind == "contract" and deploy.name == alert.key.tool_name for deploy in near
    )
    return replace(alert, deploys=near, is_inherited=is_inherited)


def _goes_with(deploy: Deploy, alert: Alert, seen: tuple[Deploy, ...]) -> bool:
    """It is the version in question, or a change within a window of the beginning.

    What was there from the first hour on is no change.
    """
    subject = alert.key.subject
    if subject is not None and subject.kind is SubjectKind.VERSION:
        return (deploy.name, deploy.version) == (subject.tool_name, subject.name)
    is_change = any(
        other.kind == deploy.kind
        and other.name == (deploy.name if deploy.kind != "model" else other.name)
        and other.first_time_ns < deploy.first_time_ns
        for other in seen
    )
    window = max(_NEAR_NS, min(_DAY_NS, (alert.fired_ns - alert.since_ns) // 2))
    is_near = abs(deploy.first_time_ns - alert.since_ns) <= window
    is_other_tool = deploy.kind == "contract" and alert.key.tool_name not in {None, deploy.name}
    return is_change and is_near and not is_other_tool
