"""One call on its way, and what became of it."""

from collections.abc import Awaitable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from pipeline.contracts import Contract
from pipeline.execution.idempotency import arguments_hash, idempotency_key
from pipeline.vocabulary import CallStatus, ErrorClass


@dataclass(frozen=True, slots=True)
class Call:
    """One step of one task."""

    task_id: str
    step_index: int
    tool: str
    arguments: Mapping[str, Any]
    call_id: str = ""
    """As the model named it."""
    caller: str = ""
    """Who the agent acts for."""
    confirm_token: str | None = field(default=None, repr=False)
    """What a person's confirmation gave; never written by a model."""

    @property
    def idempotency_key(self) -> str:
        """The same for every try of this step."""
        return idempotency_key(self.task_id, self.step_index)

    @property
    def effect(self) -> tuple[str, str]:
        """What it would do: equal for the same work of one task, whatever the step."""
        return self.task_id, arguments_hash(self.tool, self.arguments)


@dataclass(frozen=True, slots=True)
class Request:
    """What an adapter is handed for one try."""

    contract: Contract
    arguments: Mapping[str, Any]
    idempotency_key: str
    timeout_seconds: float
    headers: Mapping[str, str]
    """W3C `traceparent`, so that the system behind continues the trace."""


@dataclass(frozen=True, slots=True)
class Partial:
    """What an adapter answers when its system has more than was fetched: the model is told."""

    value: Any


class Adapter(Protocol):
    """Asks the system behind a tool, once.

    Raises:
        ToolError: It did not work; says what it means.
    """

    def __call__(self, request: Request) -> Awaitable[Any]:
        """The answer as JSON value, or `Partial` of one."""
        ...


@dataclass(frozen=True, slots=True)
class CallResult:
    """What became of one call."""

    call: Call
    status: CallStatus
    text: str
    """What the model reads: the answer as JSON, or what to do next."""
    value: Any = None
    """The answer, pruned and masked; None for a call that failed."""
    note: str | None = None
    """What the text says beside the answer: that there is more. None for a whole answer."""
    error_class: ErrorClass | None = None
    """Set for degraded answers too: why a fallback had to answer."""
    n_attempts: int = 0
    degradation: str | None = None
    """L1, L2 or L3 (S4 §3.2)."""
    contract_version: str | None = None
    span_id: str | None = None
    """Of the execution; None when a guard stopped the call."""
    http_status: int | None = None
    """Of the last try; None when no answer came."""
    end_time: datetime | None = None
    """When it was answered or given up; None for a call that never ran."""
    verdicts: tuple[Any, ...] = ()
    """What the guard's rules said, in order."""

    @property
    def is_ok(self) -> bool:
        """Whether there is an answer, be it a fallback's."""
        return self.status is CallStatus.OK
