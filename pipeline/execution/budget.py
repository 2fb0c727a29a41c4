"""How many calls and how much time a whole task may use (S3 §4.2, §7.3)."""

from typing import Final

from pipeline.execution.errors import BudgetError

MAX_CALLS: Final = 8
TASK_SECONDS: Final = 60.0


class TaskBudget:
    """Counts down over all calls of one task, retries included.

    Args:
        start_seconds: When the task began, by a clock that never jumps.
        seconds: How long it may take.
        max_calls: How many calls it may make; further ones end it.
    """

    def __init__(
        self, start_seconds: float, *, seconds: float = TASK_SECONDS, max_calls: int = MAX_CALLS
    ) -> None:
        self._end = start_seconds + seconds
        self._max_calls = max_calls
        self._n_calls = 0

    @property
    def n_calls(self) -> int:
        """Calls made so far."""
        return self._n_calls

    @property
    def is_spent(self) -> bool:
        """Whether no further call may be made."""
        return self._n_calls >= self._max_calls

    def remaining_seconds(self, now_seconds: float) -> float:
        """Time left, never below 0."""
        return max(0.0, self._end - now_seconds)

    def require(self, n_calls: int) -> None:
        """Make sure that so many calls may still be made; counts nothing.

        Raises:
            BudgetError: They may not.
        """
        if self._n_calls + n_calls > self._max_calls:
            raise BudgetError(f"calls: {self._max_calls} is the most a task may make; report it")

    def take_call(self, now_seconds: float) -> None:
        """Count one call.

        Raises:
            BudgetError: It would be one too many, or the time is up; nothing is counted then.
        """
        self.require(1)
        if self.remaining_seconds(now_seconds) <= 0:
            raise BudgetError("time: the task's budget is used up; report it")
        self._n_calls += 1
