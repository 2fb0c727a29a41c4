"""How many steps does a task take?"""

from dataclasses import dataclass
from typing import Final

from metrics.estimate import exclusions
from metrics.intervals import mean_interval
from metrics.judge import judge
from metrics.periods import Periods, periods
from metrics.rollups import best_of
from metrics.statements import Row, Store, answer
from metrics.thresholds import DEFAULT_THRESHOLDS, Thresholds
from metrics.values import Baseline, Counted, Metric, Reason, Scope, Unit

_REASONS: Final = (Reason.UNFINISHED, Reason.STEPS_UNKNOWN, Reason.NO_START_TIME)


@dataclass(frozen=True, slots=True)
class StepCount:
    """One bar of the histogram."""

    n_steps: int
    n_tasks: int


@dataclass(frozen=True, slots=True)
class Steps:
    """Steps per finished task; a mean alone hides a few loops."""

    mean: Metric
    p90: float | None
    """The 90th percentile in steps, interpolated; None without tasks."""
    n_repeating: int
    """Tasks that made the same call, arguments included, twice or more in a row."""
    repeating_rate: float | None
    """Their share of the tasks; None without tasks."""
    histogram: tuple[StepCount, ...]
    """By steps, rising; only counts that occurred."""


def steps_per_task(
    database: Store, scope: Scope, thresholds: Thresholds = DEFAULT_THRESHOLDS
) -> Steps:
    """Mean steps of finished tasks, with P90, histogram and tasks that repeat themselves.

    A task is every trace of one task id, placed by its first start. Without finished tasks the
    mean is None.

    Source: S3 §7.2, a rise means that the model wavers between tools.
    """
    found = step_periods(database, scope)
    now = found.now
    n_tasks = int(now["n"]) if now else 0
    n_repeating = int(now["n_repeating"]) if now else 0
    return Steps(
        mean=_metric(now, found.before, thresholds),
        p90=float(now["p90"]) if now and n_tasks else None,
        n_repeating=n_repeating,
        repeating_rate=n_repeating / n_tasks if n_tasks else None,
        histogram=steps_histogram(database, scope),
    )


def steps_histogram(database: Store, scope: Scope) -> tuple[StepCount, ...]:
    """How many finished tasks took how many steps, by steps."""
    rows = answer(database, "steps_histogram", scope)
    return tuple(StepCount(int(row["n_steps"]), int(row["n_tasks"])) for row in rows)


def step_periods(database: Store, scope: Scope, bucket_ns: int | None = None) -> Periods:
    """The sums now, before and of each time bucket."""
    return periods(database, "steps_per_task", scope, bucket_ns)


def many_steps(database: Store, scope: Scope) -> float | None:
    """From how many steps on a task is long: the 90th percentile; None without tasks."""
    row = step_periods(best_of(database, scope), scope).now
    return float(row["p90"]) if row and row["n"] else None


def mean_steps(row: Row) -> float | None:
    """The mean of a bucket; None without tasks."""
    return int(row["numerator"]) / int(row["n"]) if row["n"] else None


def _metric(now: Row | None, before: Row | None, thresholds: Thresholds) -> Metric:
    value = mean_steps(now) if now else None
    n = int(now["n"]) if now else 0
    total = int(now["numerator"]) if now and n else 0
    interval = mean_interval(total, float(now["sum_of_squares"]), n) if now and n else None
    earlier = mean_steps(before) if before else None
    baseline = Baseline(earlier, int(before["n"])) if before and earlier is not None else None
    threshold = thresholds.of("steps_per_task")
    state, note = judge(value, interval, threshold, baseline, thresholds.min_baseline_n)
    return Metric(
        key="steps_per_task",
        value=value,
        unit=Unit.STEPS,
        numerator=total,
        denominator=n,
        n=n,
        counted=Counted.TASKS,
        interval=interval,
        exclusions=exclusions(now, _REASONS),
        threshold=threshold,
        baseline=baseline,
        state=state,
        note=note,
    )
