"""How do calls fail?"""

from dataclasses import dataclass

from metrics.statements import Store, answer
from metrics.values import Scope


@dataclass(frozen=True, slots=True)
class ErrorClass:
    """Failed calls of one tool with one error class."""

    tool_name: str
    error_type: str | None
    """None when nothing names it."""
    n_calls: int
    n_traces: int


def error_classes(database: Store, scope: Scope) -> tuple[ErrorClass, ...]:
    """Failed calls by tool and error class, most first; empty without errors."""
    return tuple(ErrorClass(**row) for row in answer(database, "error_classes", scope))
