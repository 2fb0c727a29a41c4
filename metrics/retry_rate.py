"""How often is a call tried again, and does it help?"""

from dataclasses import dataclass
from typing import Final

from metrics.buckets import WHOLE_NS
from metrics.estimate import exclusions, rate_metric
from metrics.intervals import Proportion
from metrics.statements import Row, answer
from metrics.thresholds import DEFAULT_THRESHOLDS, Thresholds
from metrics.values import Counted, Metric, Reason, Scope
from replay_store.database import Database

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


def retry_rate(
    database: Database, scope: Scope, thresholds: Thresholds = DEFAULT_THRESHOLDS
) -> Retries:
    """Retried calls over first calls, and how many of the retried ended ok.

    A chain of calls counts once, at its first call. Model-level retries are another series.
    Without calls the rate is None; without retried calls of known outcome the success is None.

    Source: S3 §7.2.
    """
    now = _first(retry_rows(database, scope))
    before = _first(retry_rows(database, scope.before()))
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
    )


def futile_retries(database: Database, scope: Scope) -> int:
    """How many retries repeated the same arguments after an error that no repeat mends.

    Source: S3 §3.3: not found, permission and invalid argument ask for another step.
    """
    return int(answer(database, "futile_retries", scope)[0]["n_futile"])


def retry_rows(database: Database, scope: Scope, bucket_ns: int = WHOLE_NS) -> list[Row]:
    """The counts of each time bucket; no row for a bucket without calls."""
    return answer(database, "retry_rate", scope, bucket_ns=bucket_ns)


def _first(rows: list[Row]) -> Row | None:
    return rows[0] if rows else None
