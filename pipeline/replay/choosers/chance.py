"""The random chooser: any tool on offer, by a hash. What another chooser is worth beside it."""

import hashlib
from dataclasses import dataclass

from pipeline.replay.case import Chosen
from pipeline.replay.choosers.situation import Situation
from pipeline.vocabulary import NO_CALL


@dataclass(frozen=True, slots=True)
class RandomChooser:
    """Chooses each tool on offer with equal chance; the same seed chooses the same."""

    seed: int = 0

    @property
    def name(self) -> str:
        """`random`, with its seed."""
        return f"random (seed {self.seed})"

    def choose(self, situation: Situation) -> Chosen:
        """One of the tools; NO_CALL when none is on offer."""
        if not situation.offered:
            return Chosen(NO_CALL)
        text = f"{self.seed}|{situation.case_id}|{situation.step}"
        draw = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
        return Chosen(situation.offered[draw % len(situation.offered)].name)
