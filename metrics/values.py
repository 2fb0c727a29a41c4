"""The shapes every question answers in: a figure, its evidence, and what was left out of it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Scope:
    """Which rows a question is about: half-open in time, on each row's own start.

    A row that tells no time of its own stands at the start of its trace.
    """

    start_time_ns: int
    """First nanosecond inside, since the epoch, UTC."""
    end_time_ns: int
    """First nanosecond after."""
    tool_name: str | None = None
    """Only rows of this tool; for tasks and model calls those that asked for it."""
    agent_name: str | None = None

    def before(self) -> "Scope":
        """The period of equal length that ends where this one starts."""
        length = self.end_time_ns - self.start_time_ns
        return replace(
            self, start_time_ns=self.start_time_ns - length, end_time_ns=self.start_time_ns
        )


class State(StrEnum):
    """What a figure says about the system."""

    OK = "ok"
    BAD = "bad"
    UNSURE = "unsure"
    """Measured, but the interval allows both verdicts."""
    NO_DATA = "no_data"
    """Not measured: nothing to count, or too little for this kind of figure."""
    NO_BASELINE = "no_baseline"
    """Measured, with nothing earlier to compare it to."""
    NOT_JUDGED = "not_judged"
    """Measured and shown beside another figure; no threshold applies to it."""


class Unit(StrEnum):
    """What a value is measured in."""

    RATE = "rate"
    """In [0, 1]; never percent."""
    MS = "ms"
    STEPS = "steps"
    HITS = "hits"
    SCORE = "score"
    """In [0, 1], and a share of nothing: confidence."""


class Counted(StrEnum):
    """The word for what `n` counts."""

    DECISIONS = "decisions"
    ATTEMPTS = "attempts"
    CALLS = "calls"
    MODEL_CALLS = "model_calls"
    TASKS = "tasks"
    EVALUATIONS = "evaluations"
    CELLS = "cells"
    """An entity and a type of fact, as one observation knows them."""
    OBSERVATIONS = "observations"


class Reason(StrEnum):
    """Why a row was left out. Every row has at most one reason, the first that applies."""

    NO_START_TIME = "no_start_time"
    """It has no duration without one; or neither it nor its trace can be placed in any period."""
    PSEUDO_TOOL = "pseudo_tool"
    """Hand-offs and final answers: shown, never counted."""
    NEVER_EXECUTED = "never_executed"
    BLOCKED = "blocked"
    UNFINISHED = "unfinished"
    NEGATIVE_DURATION = "negative_duration"
    UNKNOWN_OUTCOME = "unknown_outcome"
    """Nothing says how it ended."""
    STEPS_UNKNOWN = "steps_unknown"
    """A trace of the task does not show its steps."""
    NO_VERDICT = "no_verdict"
    """A guard looked; what it decided is unknown or still pending."""
    SYNTHETIC = "synthetic"
    """Canary calls that a rule must block."""
    CANT_TELL = "cant_tell"
    DISAGREEMENT = "disagreement"
    """The annotators of one decision are tied."""
    NOT_HUMAN = "not_human"
    """Judged by a model (or, in an audit, by a rule): never accuracy."""
    NOT_LABELLED = "not_labelled"
    """Drawn, and labelled by nobody for this draw."""
    DECISION_NOT_STORED = "decision_not_stored"
    """The label's decision is not in the store; counted over the whole store."""
    NO_PARSE_TIME = "no_parse_time"
    """The observation does not say how long its parsers took."""
    NO_FACTS = "no_facts"
    """An observation that knows nothing about any entity."""


class Note(StrEnum):
    """Why a state is what it is, as a key for the sentence that says so."""

    NOTHING_TO_COUNT = "nothing_to_count"
    TOO_FEW = "too_few"
    """Fewer than a P95 needs."""
    ONE_TRACE = "one_trace"
    """All evidence comes from one trace: no interval."""
    MEETS = "meets"
    BELOW = "below"
    NOT_ENOUGH_EVIDENCE = "not_enough_evidence"
    WITHIN_LIMIT = "within_limit"
    ABOVE_LIMIT = "above_limit"
    MAYBE_ABOVE_LIMIT = "maybe_above_limit"
    NO_BASELINE = "no_baseline"
    NO_LIMIT = "no_limit"
    """Shown beside another figure; has no threshold of its own."""
    NO_GUARD_DATA = "no_guard_data"
    """No evaluation was seen: not the same as no hits."""
    EVALUATIONS_STOPPED = "evaluations_stopped"
    """Calls go on, but no rule is evaluated any more."""
    ZERO_IMPROBABLE = "zero_improbable"
    """No hits, although the earlier rate makes that next to impossible."""
    ZERO_PLAUSIBLE = "zero_plausible"
    """No hits where there were some; few enough evaluations for chance."""
    NO_HITS = "no_hits"
    HITS = "hits"
    RULE_STOPPED = "rule_stopped"
    """Some rule is evaluated no more, although calls of its tools go on."""
    RULE_SILENT = "rule_silent"
    """Some rule has no hits, although its earlier rate makes that next to impossible."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Where the true value lies at the stated level."""

    low: float
    high: float
    level: float
    method: str
    """`wilson`, `korn_graubard`, `order_statistic` or `student_t`."""


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Rows left out, and why."""

    reason: Reason
    n: int


class ThresholdKind(StrEnum):
    """How a threshold is tested; always against a bound, never against the bare estimate."""

    AT_LEAST = "at_least"
    """Good when the lower bound reaches it, bad when the upper bound stays under it."""
    AT_MOST = "at_most"
    """Good when the upper bound stays within it, bad when the lower bound is over it."""
    TIMES_BASELINE = "times_baseline"
    """Bad when the lower bound is over `limit` times the value of the period before."""
    NOT_SUDDENLY_ZERO = "not_suddenly_zero"
    """Bad when zero has a probability under `limit` at the rate of the period before."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """A limit and how it is tested."""

    limit: float
    kind: ThresholdKind
    min_change: float = 0.0
    """With TIMES_BASELINE: how far above the value before a value must be at least, in its unit."""
    is_promised: bool = False
    """Whether it is the SLA of the tool's contract, not the limit of all tools."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """The same figure in the period of equal length just before."""

    value: float
    n: int


@dataclass(frozen=True, slots=True)
class Metric:
    """One figure with everything needed to trust it."""

    key: str
    """Key of its definition in `metrics.definitions`."""
    value: float | None
    """None without data; never 0 for it."""
    unit: Unit
    numerator: float
    """For a rate its numerator; slow units for a P95; steps; hits. Weighted where labels are."""
    denominator: float
    n: int
    """How many were counted."""
    counted: Counted
    """What was counted."""
    interval: Interval | None
    """None for plain counts and where the data cannot give one."""
    exclusions: tuple[Exclusion, ...]
    """Only reasons that occurred."""
    threshold: Threshold | None
    baseline: Baseline | None
    """None when the period before has no value."""
    state: State
    note: Note
    n_more: int | None = None
    """About how many more would settle an open verdict; None when it is settled or cannot be said."""
    is_approximate: bool = False
    """Whether the value, its interval and its trend come from latency buckets: within 1 %."""
    subjects: tuple[str, ...] = ()
    """Of which parts the verdict speaks, such as guard rules; empty when of the whole."""


@dataclass(frozen=True, slots=True)
class Point:
    """One bucket of a trend."""

    time_ns: int
    """Start of the bucket, a multiple of its width since the epoch."""
    value: float | None
    n: int


Trend = Sequence[Point]


@dataclass(frozen=True, slots=True)
class OfTool:
    """A figure of one tool alone, judged against the tool's own past."""

    tool_name: str
    metric: Metric
