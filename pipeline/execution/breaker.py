"""A circuit breaker for each tool: after failures in a row nobody asks for a while (S4 §2.2).

Time comes from the caller's clock, which never jumps: wall clocks do.
"""

from enum import StrEnum
from typing import Final

FAILURES_TO_OPEN: Final = 2
"""Calls that failed in a row; the tries of one call count once. Source: S4 §2.2."""
OPEN_SECONDS: Final = 30.0


class BreakerState(StrEnum):
    """Whether calls are let through."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"
    """One call is on its way to see whether the tool is back."""


class CircuitBreaker:
    """Of one tool."""

    def __init__(
        self, failures_to_open: int = FAILURES_TO_OPEN, open_seconds: float = OPEN_SECONDS
    ) -> None:
        self._failures_to_open = failures_to_open
        self._open_seconds = open_seconds
        self._n_failures = 0
        self._opened_at: float | None = None
        self._is_probing = False
        self.n_trips = 0
        """How often it opened."""

    def state(self, now_seconds: float) -> BreakerState:
        """Closed, open, or half open once the time is over."""
        if self._opened_at is None:
            return BreakerState.CLOSED
        is_over = now_seconds - self._opened_at >= self._open_seconds
        return BreakerState.HALF_OPEN if is_over else BreakerState.OPEN

    def admits(self, now_seconds: float) -> bool:
        """Whether a call may start; of half open ones a single one, until it has ended."""
        state = self.state(now_seconds)
        if state is BreakerState.HALF_OPEN and not self._is_probing:
            self._is_probing = True
            return True
        return state is BreakerState.CLOSED

    def succeeded(self) -> None:
        """A call was answered, be it by a refusal: the tool is there."""
        self._n_failures, self._opened_at, self._is_probing = 0, None, False

    def failed(self, now_seconds: float) -> None:
        """A call got no answer, or one that says that the tool is down."""
        self._n_failures += 1
        if self._is_probing or self._n_failures == self._failures_to_open:
            self._opened_at = now_seconds
            self.n_trips += 1
        self._is_probing = False

    def abandoned(self) -> None:
        """A call was cancelled: it says nothing; a probe may be sent again."""
        self._is_probing = False


class Breakers:
    """One breaker a tool, made on first use."""

    def __init__(
        self, failures_to_open: int = FAILURES_TO_OPEN, open_seconds: float = OPEN_SECONDS
    ) -> None:
        self._failures_to_open = failures_to_open
        self._open_seconds = open_seconds
        self._by_tool: dict[str, CircuitBreaker] = {}

    def of(self, tool: str) -> CircuitBreaker:
        """The breaker of a tool."""
        if tool not in self._by_tool:
            self._by_tool[tool] = CircuitBreaker(self._failures_to_open, self._open_seconds)
        return self._by_tool[tool]

    @property
    def n_trips(self) -> int:
        """How often any of them opened."""
        return sum(breaker.n_trips for breaker in self._by_tool.values())
