"""What kind of retries were they, and could they help?"""

from dataclasses import dataclass

from metrics.statements import Store, answer
from metrics.values import Scope


@dataclass(frozen=True, slots=True)
class RetryKinds:
    """Retried chains of one tool that began with one error class."""

    tool_name: str
    error_type: str | None
    """Of the first failure; None when nothing names it."""
    n_chains: int
    """First calls that were tried again."""
    n_retries: int
    """Tries after the first."""
    n_explicit: int
    """Chains whose dialect says so: several attempts, or an announced retry."""
    n_futile: int
    """The same arguments again after a class that no repeat mends."""
    n_over_budget: int
    """More than 3 retries, or longer than 8 s in one call."""
    n_ok: int
    """Chains whose last try ended ok."""
    n_failed: int

    @property
    def n_inferred(self) -> int:
        """Chains seen only by the same tool being called again after a failure."""
        return self.n_chains - self.n_explicit

    @property
    def success_rate(self) -> float | None:
        """Ok over chains with a known outcome; None without."""
        n_known = self.n_ok + self.n_failed
        return self.n_ok / n_known if n_known else None


def retry_kinds(database: Store, scope: Scope) -> tuple[RetryKinds, ...]:
    """By tool and error class, most chains first; empty without retries.

    Source: S3 §3.3 (no repeat after invalid, missing, forbidden), §4.2 (3 retries, 8 s).
    """
    return tuple(
        RetryKinds(
            tool_name=row["tool_name"],
            error_type=row["error_type"] or None,
            **{key: int(value) for key, value in row.items() if key.startswith("n_")},
        )
        for row in answer(database, "retry_kinds", scope)
    )
