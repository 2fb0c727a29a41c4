"""What people said of recorded runs: which step was the fault, and how each run ended."""

from dataclasses import dataclass

from metrics.statements import Store, answer

__all__ = ["AnnotatedStep", "annotated_steps"]


@dataclass(frozen=True, slots=True)
class AnnotatedStep:
    """One score of one run."""

    trace_id: str
    case_id: str
    step: int | None
    """As its file counts messages."""
    value: float | None
    label: str | None


def annotated_steps(database: Store, score_name: str) -> tuple[AnnotatedStep, ...]:
    """Every score of that name whose case has a run in the store; by case. Empty without any."""
    rows = answer(database, "annotated_steps", score_name=score_name)
    return tuple(AnnotatedStep(**row) for row in rows)
