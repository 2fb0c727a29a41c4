"""What the contract of a tool promises: a P95, and how many calls a day it takes."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Promise:
    """Of one tool; None where its contract says nothing."""

    tool_name: str
    p95_ms: float | None = None
    """The SLA: the P95 of its calls stays within it."""
    per_day: int | None = None
    """Calls of all callers on one day."""
    caller_per_day: int | None = None
    """Calls of each caller on one day."""

    @property
    def has_quota(self) -> bool:
        """Whether calls are limited by the day."""
        return self.per_day is not None or self.caller_per_day is not None
