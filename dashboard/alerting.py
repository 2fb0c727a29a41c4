"""Looks at a store for what is out of the ordinary, and keeps what it tells."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from metrics.alerts import Alert, Evaluation, Incident
    from metrics.thresholds import Thresholds
    from replay_store.database import Database
    from replay_store.records import Alert as AlertRow
    from replay_store.records import AlertAck

__all__ = ["Look", "Told", "look"]

Clock = Callable[[], int]
_RETIRED_NS: Final = 14 * 24 * 3_600 * 10**9
"""A store that has received nothing for so long is one of recorded traces again."""
_NS_PER_MINUTE: Final = 60 * 10**9


@dataclass(frozen=True, slots=True)
class Told:
    """One incident under the id by which it was first told."""

    incident_id: str
    incident: "Incident"
    alert_ids: tuple[str, ...]
    """Of its alerts, in their order."""
    ack: "AlertAck | None"
    """None while nobody has taken it over."""

    @property
    def is_open(self) -> bool:
        """Whether it goes on and nobody has acknowledged it."""
        return self.incident.is_firing and self.ack is None


@dataclass(frozen=True, slots=True)
class Look:
    """What one look at a store found."""

    evaluation: "Evaluation"
    told: tuple[Told, ...]
    """Incidents that go on first."""

    @property
    def firing(self) -> tuple[Told, ...]:
        """Those that go on, acknowledged or not."""
        return tuple(told for told in self.told if told.incident.is_firing)

    @property
    def open(self) -> tuple[Told, ...]:
        """Those that go on and that nobody has acknowledged."""
        return tuple(told for told in self.told if told.is_open)


def look(database: "Database", thresholds: "Thresholds", clock: Clock) -> Look:
    """Every incident of the last weeks, kept as it is told."""
    from metrics.alerts import evaluate_alerts
    from replay_store.alerts import acknowledged, alert_acks, record_alerts

    evaluation = evaluate_alerts(
        database, thresholds, whitelist=_whitelist(), now_ns=_present(database, clock)
    )
    placed = [(incident, alert) for incident in evaluation.incidents for alert in incident.alerts]
    rows = [_row(incident, alert) for incident, alert in placed]
    start = evaluation.scope.start_time_ns if evaluation.scope else 0
    kept = record_alerts(database, rows, start_time_ns=start, clock=clock)
    acks = acknowledged(alert_acks(database))
    return Look(evaluation, tuple(_told(evaluation.incidents, placed, kept, acks)))


def _told(
    incidents: Sequence["Incident"],
    placed: Sequence[tuple["Incident", "Alert"]],
    kept: Sequence["AlertRow"],
    acks: dict[str, "AlertAck"],
) -> list[Told]:
    found = []
    for incident in incidents:
        rows = [row for (owner, _), row in zip(placed, kept, strict=True) if owner is incident]
        incident_id = rows[0].incident_id
        alert_ids = tuple(row.alert_id for row in rows)
        found.append(Told(incident_id, incident, alert_ids, acks.get(incident_id)))
    return found


def _present(database: "Database", clock: Clock) -> int | None:
    """Now, for a store that takes traces live; None for one of recorded traces."""
    from replay_store.intake import newest_minute

    newest, now_ns = newest_minute(database), clock()
    is_live = newest is not None and now_ns - newest * _NS_PER_MINUTE < _RETIRED_NS
    return now_ns if is_live else None


def _whitelist() -> Callable[[str | None], frozenset[str]]:
    """From an intent to the types of facts that are critical for it, by the package's rules."""
    from pipeline.observation import package_rules

    types = package_rules().fact_types

    def critical(intent: str | None) -> frozenset[str]:
        return frozenset(name for name, known in types.items() if known.is_critical_for(intent))

    return critical


def _row(incident: "Incident", alert: "Alert") -> "AlertRow":
    from replay_store.records import Alert as AlertRow

    subject = alert.key.subject
    return AlertRow(
        alert_id=alert.alert_id,
        incident_id=incident.incident_id,
        state=_state(alert),
        severity=str(alert.severity),
        cause=str(alert.cause),
        metric=alert.key.metric,
        subject_kind=str(subject.kind) if subject else None,
        subject_name=subject.name if subject else None,
        tool_name=alert.key.tool_name,
        since_time_ns=alert.since_ns,
        fired_time_ns=alert.fired_ns,
        last_time_ns=alert.last_ns,
        cleared_time_ns=alert.cleared_ns,
        n=alert.n,
        value=alert.value,
        unit=str(alert.unit),
        baseline=alert.baseline,
        n_baseline=alert.n_baseline,
        limit_value=alert.limit,
        p_value=alert.p_value,
        trace_id=alert.trace_id,
        deploys=tuple(
            {
                "kind": deploy.kind,
                "name": deploy.name,
                "version": deploy.version,
                "first_time_ns": deploy.first_time_ns,
            }
            for deploy in alert.deploys
        ),
        recorded_time_ns=0,
    )


def _state(alert: "Alert") -> str:
    if alert.cleared_ns is not None:
        return "cleared"
    return "suppressed" if alert.is_suppressed else "firing"
