"""The shapes of alerts: what is out of the ordinary, since when, how sure, and what goes with it."""

from dataclasses import dataclass
from enum import StrEnum
from hashlib import blake2b

from metrics.standouts import Subject
from metrics.values import Unit

__all__ = ["Alert", "AlertKey", "Cause", "Deploy", "Incident", "Severity"]


class Severity(StrEnum):
    """Who must know, and how fast."""

    PAGE = "page"
    """Somebody, now."""
    TICKET = "ticket"
    """Somebody, in working hours."""


class Cause(StrEnum):
    """Which test found it; the key of the sentence that says so."""

    ROSE = "rose"
    """Above the usual of this hour, by a test against the series' own history."""
    FELL = "fell"
    OVER_LIMIT = "over_limit"
    BELOW_LIMIT = "below_limit"
    """Evidence from judged decisions that holds however often one looks."""
    EVALUATIONS_STOPPED = "evaluations_stopped"
    HITS_STOPPED = "hits_stopped"
    CANARY_NOT_BLOCKED = "canary_not_blocked"
    NOTHING_ARRIVES = "nothing_arrives"
    WHITELISTED_NOISE = "whitelisted_noise"
    """Noise touched a type that is critical for the intent."""
    DEGRADED_IN_A_ROW = "degraded_in_a_row"


@dataclass(frozen=True, slots=True)
class AlertKey:
    """Which figure of which part of the system."""

    metric: str
    """Key of a definition, or the name of a check that has none."""
    subject: Subject | None
    """None when it is about everything."""

    @property
    def tool_name(self) -> str | None:
        """The tool that it is about, if it is about one."""
        return None if self.subject is None else self.subject.tool_name

    @property
    def text(self) -> str:
        """One word for logs and labels, such as `retry_rate/tool/search`."""
        if self.subject is None:
            return self.metric
        parts = [self.metric, self.subject.kind, self.subject.tool_name, self.subject.name]
        return "/".join(dict.fromkeys(part for part in parts if part))


@dataclass(frozen=True, slots=True)
class Deploy:
    """A version of something, and when it was first seen."""

    kind: str
    """contract, model, dictionary or template."""
    name: str
    """Of the tool or template; empty where the kind says it all."""
    version: str
    first_time_ns: int
    last_time_ns: int
    n: int


@dataclass(frozen=True, slots=True)
class Alert:
    """One stretch in which one figure was out of the ordinary."""

    key: AlertKey
    cause: Cause
    severity: Severity
    since_ns: int
    """Start of the first window that showed it."""
    fired_ns: int
    """When it was certain enough to tell."""
    last_ns: int
    """End of the last window that showed it."""
    cleared_ns: int | None
    """None while it goes on."""
    n: int
    """Cases in the most telling window."""
    value: float | None
    """In that window."""
    unit: Unit
    baseline: float | None
    """What is usual then; None where a fixed limit is what it was held against."""
    n_baseline: int
    limit: float | None
    """From where on it is worth telling."""
    p_value: float
    """How probable it would be by chance."""
    trace_id: str | None = None
    """A trace that shows it, where one alone does."""
    deploys: tuple[Deploy, ...] = ()
    """What was new within half an hour, or in the window, when it began."""
    is_inherited: bool = False
    """Whether the baseline was made by another version of the same contract."""
    proven_ns: int | None = None
    """Of a rule that hits nothing: when a canary was last stopped since then. It bites, and nobody
    tried. None where none was: whether it still bites is not known."""
    is_suppressed: bool = False
    """Explained by another alert: nothing arrives."""

    @property
    def is_firing(self) -> bool:
        """Whether it goes on and nothing else explains it."""
        return self.cleared_ns is None and not self.is_suppressed

    @property
    def alert_id(self) -> str:
        """16 hex digits: the same stretch of the same figure has the same id on every machine."""
        text = f"{self.key.text}|{self.since_ns}|{self.fired_ns}"
        return blake2b(text.encode(), digest_size=8).hexdigest()


@dataclass(frozen=True, slots=True)
class Incident:
    """Alerts that are told as one: they share a tool or a deploy, and their time."""

    alerts: tuple[Alert, ...]
    """The most severe first, then the earliest."""

    @property
    def incident_id(self) -> str:
        """The id of its earliest alert."""
        return min(self.alerts, key=lambda item: (item.since_ns, item.key.text)).alert_id

    @property
    def severity(self) -> Severity:
        """The highest of its alerts that go on; of all once none does."""
        held = [alert for alert in self.alerts if alert.is_firing] or list(self.alerts)
        is_page = any(alert.severity is Severity.PAGE for alert in held)
        return Severity.PAGE if is_page else Severity.TICKET

    @property
    def since_ns(self) -> int:
        """Start of the earliest."""
        return min(alert.since_ns for alert in self.alerts)

    @property
    def cleared_ns(self) -> int | None:
        """When the last one cleared; None while one goes on."""
        ends = [alert.cleared_ns for alert in self.alerts]
        known = [end for end in ends if end is not None]
        return max(known) if len(known) == len(ends) else None

    @property
    def is_firing(self) -> bool:
        """Whether one of its alerts goes on."""
        return any(alert.is_firing for alert in self.alerts)
