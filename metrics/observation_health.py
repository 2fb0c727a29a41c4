"""How well were tool outputs read? Conflicts, unknown values, confidence, parser time, noise.

A dictionary put in force later reads recorded outputs again: its counts then stand in place of the
recorded ones, which stay beside them.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from metrics.estimate import baseline_of, exclusions, rate_metric
from metrics.intervals import Proportion, score_interval
from metrics.judge import judge
from metrics.latency_p95 import p95_metric
from metrics.periods import Periods, periods
from metrics.statements import Row, Store
from metrics.thresholds import DEFAULT_THRESHOLDS, Thresholds
from metrics.values import Counted, Metric, Reason, Scope, Unit

_STATEMENT: Final = "observation_health"


class Reading(StrEnum):
    """By which dictionary outputs are counted as read."""

    RECORDED = "recorded"
    """By the one of their time: what the model was given."""
    CURRENT = "current"
    """By the one in force, where it has read them again; else as recorded."""


@dataclass(frozen=True, slots=True)
class Shares:
    """The three figures that a dictionary changes."""

    conflict: Metric
    """Cells in conflict over cells with two sources or more."""
    unknown: Metric
    """Cells whose raw value no dictionary maps, over all cells."""
    confidence: Metric
    """Mean confidence of a cell."""


@dataclass(frozen=True, slots=True)
class ObservationHealth:
    """Observation health of one scope, as recorded and as read by the dictionary in force."""

    reading: Reading
    """Which of the two the figures of the same names are."""
    rule_version: str | None
    """The dictionary in force, the one put there last; None while the package's own files are."""
    n_observations: int
    n_reread: int
    """Observations that the dictionary in force has read again."""
    recorded: Shares
    current: Shares
    """Equal to the recorded ones while nothing was read again."""
    parse: Metric
    """P95 of the time that parsing takes in one observation."""
    noise: Metric
    """Observations whose noise hit, over all observations."""

    @property
    def shares(self) -> Shares:
        """The figures of the chosen reading."""
        return self.recorded if self.reading is Reading.RECORDED else self.current

    @property
    def conflict(self) -> Metric:
        """The conflict share of the chosen reading."""
        return self.shares.conflict

    @property
    def unknown(self) -> Metric:
        """The unknown share of the chosen reading."""
        return self.shares.unknown

    @property
    def confidence(self) -> Metric:
        """The mean confidence of the chosen reading."""
        return self.shares.confidence


def observation_health(
    database: Store,
    scope: Scope,
    thresholds: Thresholds = DEFAULT_THRESHOLDS,
    reading: Reading | str = Reading.CURRENT,
) -> ObservationHealth:
    """The five figures; each None without observations, or without anything that it counts.

    Args:
        database: The store.
        scope: Its period and filters; an observation stands at its own start.
        thresholds: The limits.
        reading: Which of the two readings the headline figures are; both are in the answer.

    Source: S0 §5.1 (conflicts above 15 %, unknown values), §3.1 (parser time), §5.2 (confidence).
    """
    with ThreadPoolExecutor() as pool:
        parse = pool.submit(parse_p95, database, scope, thresholds)
        found = health_periods(database, scope, Reading.CURRENT)
    n_reread = int(found.now["n_reread"]) if found.now else 0
    again = any(row["n_reread"] for row in (found.now, found.before) if row)
    recorded = health_periods(database, scope, Reading.RECORDED) if again else found
    return ObservationHealth(
        reading=Reading(reading),
        rule_version=found.now["rule_version"] if found.now else None,
        n_observations=int(found.now["noise_n"]) if found.now else 0,
        n_reread=n_reread,
        recorded=_shares(recorded, thresholds),
        current=_shares(found, thresholds),
        parse=parse.result(),
        noise=_rate("noise_exposure", "noise_", Counted.OBSERVATIONS, found, thresholds),
    )


def parse_p95(database: Store, scope: Scope, thresholds: Thresholds = DEFAULT_THRESHOLDS) -> Metric:
    """P95 of the time that the parsers of one observation take; None below 72 observations."""
    return p95_metric(database, "parse_p95", scope, thresholds)


def health_periods(
    database: Store,
    scope: Scope,
    reading: Reading = Reading.CURRENT,
    bucket_ns: int | None = None,
) -> Periods:
    """The counts now, before and of each time bucket."""
    return periods(database, _STATEMENT, scope, bucket_ns, reading=reading)


def _shares(found: Periods, thresholds: Thresholds) -> Shares:
    return Shares(
        conflict=_rate("conflict_share", "conflict_", Counted.CELLS, found, thresholds),
        unknown=_rate("unknown_share", "unknown_", Counted.CELLS, found, thresholds),
        confidence=_confidence(found, thresholds),
    )


def _rate(
    key: str, prefix: str, counted: Counted, found: Periods, thresholds: Thresholds
) -> Metric:
    return rate_metric(
        key,
        _share(found.now, prefix),
        _share(found.before, prefix),
        counted,
        exclusions(found.now, (Reason.NO_START_TIME,)),
        thresholds,
    )


def _confidence(found: Periods, thresholds: Thresholds) -> Metric:
    now = _share(found.now, "confidence_")
    interval, threshold = score_interval(now), thresholds.of("mean_confidence")
    baseline = baseline_of(_share(found.before, "confidence_"))
    state, note = judge(now.value, interval, threshold, baseline, thresholds.min_baseline_n)
    return Metric(
        key="mean_confidence",
        value=now.value,
        unit=Unit.SCORE,
        numerator=now.numerator,
        denominator=now.denominator,
        n=now.n,
        counted=Counted.CELLS,
        interval=interval,
        exclusions=exclusions(found.now, (Reason.NO_FACTS, Reason.NO_START_TIME)),
        threshold=threshold,
        baseline=baseline,
        state=state,
        note=note,
    )


def _share(row: Row | None, prefix: str) -> Proportion:
    return Proportion.from_row(row, prefix)
