"""What a chooser is given, and what it is."""

from dataclasses import dataclass
from typing import Protocol

from pipeline.replay.case import Chosen, Offered, Passage


@dataclass(frozen=True, slots=True)
class Situation:
    """One decision to be made; nothing of what is right in it."""

    case_id: str
    step: int
    """Zero-based decision within a task."""
    input: tuple[Passage, ...]
    """What the model was given, oldest first."""
    offered: tuple[Offered, ...]
    recorded: Chosen | None = None
    """What was chosen when it was recorded; for the recorded chooser alone."""


class Chooser(Protocol):
    """Somebody who chooses a tool: a model, a rule, a record."""

    @property
    def name(self) -> str:
        """How it is called in a run, with version or address."""
        ...

    def choose(self, situation: Situation) -> Chosen | None:
        """The choice; None when there is none to give, which skips the case.

        Raises:
            ChooserError: It did not answer.
        """
        ...
