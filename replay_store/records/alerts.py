"""Alert rows: what was told, who took it over, whom it was sent to. Never rebuilt."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Alert:
    """One version of one alert; of several the newest holds."""

    alert_id: str
    incident_id: str
    """Alerts told as one share it."""
    state: str
    """firing, cleared, suppressed, or withdrawn: later rows do not show it any more."""
    severity: str
    """page or ticket."""
    cause: str
    """Key of the test that found it."""
    metric: str
    subject_kind: str | None
    """tool, rule, value, model or version; None when it is about everything."""
    subject_name: str | None
    tool_name: str | None
    since_time_ns: int
    """Start of the first window that showed it."""
    fired_time_ns: int
    last_time_ns: int
    """End of the last window that showed it."""
    cleared_time_ns: int | None
    n: int
    """Cases in the most telling window."""
    value: float | None
    unit: str
    baseline: float | None
    n_baseline: int
    limit_value: float | None
    p_value: float
    trace_id: str | None
    """A trace that shows it, where one alone does."""
    deploys: Sequence[Mapping[str, object]]
    """What was new when it began: kind, name, version, first_time_ns."""
    recorded_time_ns: int


@dataclass(frozen=True, slots=True)
class AlertAck:
    """One thing a person did about an incident."""

    incident_id: str
    action: str
    """acknowledge, reopen or note."""
    author: str
    note: str | None
    time_ns: int


@dataclass(frozen=True, slots=True)
class AlertNotice:
    """One message about an incident, to one channel."""

    incident_id: str
    state: str
    """Of the incident, as it was told: firing or cleared."""
    channel: str
    """Its kind and a fingerprint, never its address."""
    outcome: str
    """sent or failed."""
    detail: str | None
    n_tries: int
    time_ns: int
