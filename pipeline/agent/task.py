"""What an agent is asked to do, and what came of it."""

from dataclasses import dataclass, field

from pipeline.execution import CallResult
from pipeline.observation import Context


@dataclass(frozen=True, slots=True)
class Task:
    """One request of one user."""

    task_id: str
    text: str
    caller: str = ""
    """Who the agent acts for: quotas and rates count per caller."""
    user_id: str | None = None
    conversation_id: str | None = None
    context: Context = field(default_factory=Context)
    """Whom and what it is about, for the observation."""
    tools: tuple[str, ...] | None = None
    """Names of the tools on offer; all of them when None."""


@dataclass(frozen=True, slots=True)
class TaskResult:
    """How a task ended."""

    task: Task
    answer: str
    """For the user; what to tell when the run was stopped."""
    results: tuple[CallResult, ...] = ()
    """One a call, in order."""
    error_type: str | None = None
    """`CallLimitExceeded`, `LoopDetected`, `ModelUnavailable`, `PlanInvalid`; None when it was
    answered."""
    trace_id: str | None = None
    """32 lower hex digits; None without a tracer that records."""

    @property
    def is_answered(self) -> bool:
        """Whether the model came to an answer."""
        return self.error_type is None
