"""What can go wrong while a call is executed.

ToolsightError
└── ExecutionError
    ├── ToolError         one try failed: its class, and whether the work may have been done
    ├── BudgetError       the task has used up its calls or its time
    └── AdapterError      an adapter cannot be used; names file and field (also a ProblemsError)

A ToolError never reaches a model: `advice` says what it reads instead.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pipeline.errors import ProblemsError, ToolsightError
from pipeline.vocabulary import ErrorClass

if TYPE_CHECKING:
    from pipeline.execution.calls import CallResult


class ExecutionError(ToolsightError):
    """A call cannot be executed."""


class ToolError(ExecutionError):
    """One try failed.

    Args:
        error_class: What it means.
        detail: For logs; may name hosts and codes, never values.
        error_type: OpenTelemetry's `error.type`: an HTTP status, `timeout`, a code of the system.
        may_have_happened: Whether the system may have done the work all the same.
        advice: What the contract says about this very error.
        http_status: None when no answer came.
    """

    def __init__(
        self,
        error_class: ErrorClass,
        detail: str = "",
        *,
        error_type: str | None = None,
        may_have_happened: bool = False,
        advice: str | None = None,
        http_status: int | None = None,
    ) -> None:
        super().__init__(detail or error_class.value)
        self.error_class = error_class
        self.error_type = error_type or error_class.value.lower()
        self.may_have_happened = may_have_happened
        self.advice = advice
        self.http_status = http_status


class BudgetError(ExecutionError):
    """The task has used up its calls or its time.

    Args:
        message: Which of them.
        results: Of the calls that were made all the same.
    """

    def __init__(self, message: str, results: "Sequence[CallResult]" = ()) -> None:
        super().__init__(message)
        self.results = tuple(results)


class AdapterError(ProblemsError, ExecutionError):
    """An adapter cannot be used; see `ProblemsError`."""
