"""The recorded chooser: chooses what was chosen. A change of contracts can still refuse it."""

from typing import Final

from pipeline.replay.case import Chosen
from pipeline.replay.choosers.situation import Situation

__all__ = ["RecordedChooser"]


class RecordedChooser:
    """Gives the recorded choice; None where none was recorded."""

    name: Final = "recorded"

    def choose(self, situation: Situation) -> Chosen | None:
        """What was chosen when the case was recorded."""
        return situation.recorded
