"""Canaries as the store knows them: the newest of each guard rule, and whether the rule stopped it."""

from dataclasses import dataclass

from metrics.statements import Store, answer
from metrics.values import Scope

__all__ = ["CanaryState", "canary_states"]


@dataclass(frozen=True, slots=True)
class CanaryState:
    """What the canaries of one rule show."""

    rule: str
    trace_id: str
    """Of the newest."""
    time_ns: int
    """Of the newest."""
    is_stopped: bool
    """Whether the newest was stopped, as it must be."""
    last_stopped_ns: int | None
    """When one was stopped last; None when none ever was."""
    n: int
    """Canaries in the period."""


def canary_states(database: Store, scope: Scope) -> tuple[CanaryState, ...]:
    """One for each rule that canaries were sent for, by name; empty without canaries.

    Source: S3 §7.2, a count of hits that drops to zero may be a rule that no longer works.
    """
    return tuple(
        CanaryState(
            rule=row["rule"],
            trace_id=row["trace_id"],
            time_ns=int(row["time_ns"]),
            is_stopped=bool(row["is_hit"]),
            last_stopped_ns=(
                None if row["last_hit_time_ns"] is None else int(row["last_hit_time_ns"])
            ),
            n=int(row["n"]),
        )
        for row in answer(database, "series/canaries", scope)
    )
