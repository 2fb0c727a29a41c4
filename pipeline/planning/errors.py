"""What can go wrong while a task is planned.

ToolsightError
└── PlanningError
    ├── ModelError   the model did not answer; its type is what spans carry
    └── PlanError    what the model wrote is no plan; names what is wrong with it (also a ProblemsError)
"""

from pipeline.errors import ProblemsError, ToolsightError


class PlanningError(ToolsightError):
    """A task cannot be planned."""


class ModelError(PlanningError):
    """The model did not answer.

    Args:
        message: For people; no key, no prompt.
        error_type: OpenTelemetry's `error.type`, such as an HTTP status.
    """

    def __init__(self, message: str, error_type: str) -> None:
        super().__init__(message)
        self.error_type = error_type


class PlanError(ProblemsError, PlanningError):
    """What the model wrote is no plan; see `ProblemsError`."""
