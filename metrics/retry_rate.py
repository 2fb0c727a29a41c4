"""How often is a call tried again, and does it help?"""

from dataclasses import dataclass
from typing import Final

from metrics.estimate import exclusions, rate_metric, rates_by_tool
from metrics.intervals import Proportion
from metrics.periods import Periods, periods
from metrics.statements import Store, answer
from metrics.thresholds import DEFAULT_THRESHOLDS, Thresholds
from metrics.values import Counted, Metric, OfTool, Reason, Scope

_REASONS: Final = (
    Reason.NEVER_EXECUTED,
    Reason.BLOCKED,
    Reason.PSEUDO_TOOL,
    Reason.NO_START_TIME,
)


@dataclass(frozen=True, slots=True)
class Retries:
    """Retry rate and retry success, with what kind of retries they were."""

    rate: Metric
    success: Metric
    n_retries: int
    """Tries after the first, over all retried calls."""
    n_explicit: int
    """Retried calls whose dialect says so: several attempts, or an announced retry."""
    n_inferred: int
    """Retried calls seen only by the same tool being called again after a failure."""
    n_futile: int
    """Retries with the same arguments after an error that no repeat mends."""
    by_tool: tuple[OfTool, ...]
    """The rate of each tool, by name."""


def retry_rate(
    database: Store, scope: Scope, thresholds: Thresholds = DEFAULT_THRESHOLDS
) -> Retries:
    """Retried calls over first calls, and how many of the retried ended ok.

    A chain of calls counts once, at its first call. Model-level retries are another series.
    Without calls the rate is None; without retried calls of known outcome the success is None.

    Source: S3 §7.2.
    """
    found = retry_periods(database, scope)
    now, before = found.now, found.before
    n_retried, n_explicit = (int(now[name]) if now else 0 for name in ("numerator", "n_explicit"))
    return Retries(
        rate=rate_metric(
            "retry_rate",
            Proportion.from_row(now),
            Proportion.from_row(before),
            Counted.CALLS,
            exclusions(now, _REASONS),
            thresholds,
        ),
        success=rate_metric(
            "retry_success_rate",
            Proportion.from_row(now, "success_"),
            Proportion.from_row(before, "success_"),
            Counted.CALLS,
            exclusions(now, (Reason.UNKNOWN_OUTCOME,)),
            thresholds,
        ),
        n_retries=int(now["n_retries"]) if now else 0,
        n_explicit=n_explicit,
        n_inferred=n_retried - n_explicit,
        n_futile=futile_retries(database, scope),
        by_tool=rates_by_tool("retry_rate", found, Counted.CALLS, _REASONS, thresholds),
    )


def futile_retries(database: Store, scope: Scope) -> int:
    """How many retries repeated the same arguments after an error that no repeat mends.

    Source: S3 §3.3: not found, permission and invalid argument ask for another step.
    """
    return int(answer(database, "futile_retries", scope)[0]["n_futile"])


def retry_periods(database: Store, scope: Scope, bucket_ns: int | None = None) -> Periods:
    """The counts now, before, of each time bucket and of each tool."""
    return periods(database, "retry_rate", scope, bucket_ns)


def tool_retry_periods(database: Store, scope: Scope, bucket_ns: int) -> Periods:
    """The counts of each tool in each time bucket; of nothing else where rollups tell them."""
    return periods(database, "retry_rate", scope, bucket_ns, is_by_tool=True)
