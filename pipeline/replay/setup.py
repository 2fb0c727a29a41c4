"""What a case is played with, and what comes out of one case then."""

from dataclasses import dataclass, field
from typing import Final

from pipeline.errors import ToolsightError
from pipeline.observation import RuleSet, package_rules
from pipeline.replay.adapting import Adapter, play_adapter
from pipeline.replay.case import Case, CaseKind
from pipeline.replay.choosers import Chooser, RecordedChooser
from pipeline.replay.contracts import Contracts
from pipeline.replay.deciding import play_decision
from pipeline.replay.observing import Noise, play_observation, recorded_observation
from pipeline.replay.outcome import Outcome
from pipeline.replay.task import play_task, recorded_task

__all__ = ["AS_RECORDED", "Setup", "play"]


@dataclass(frozen=True, slots=True)
class Setup:
    """Everything that what comes out of a case depends on."""

    name: str
    """What it is, with version or hash, for people."""
    chooser: Chooser = field(default_factory=RecordedChooser)
    contracts: Contracts = field(default_factory=lambda: Contracts({}))
    """Replace the recorded ones of the same name."""
    rules: RuleSet = field(default_factory=package_rules)
    adapter: Adapter | None = None
    noise: Noise | None = None
    is_as_recorded: bool = False
    """Nothing is played: what was recorded stands, so that a change of the code itself shows."""


AS_RECORDED: Final = Setup("as recorded", is_as_recorded=True)


def play(case: Case, setup: Setup) -> Outcome:
    """What comes out of one case.

    A chooser that does not answer, or a context that cannot be read, skips the case and says why;
    what an adapter or a function of the user raises is theirs and is raised.
    """
    try:
        if setup.is_as_recorded:
            return _as_recorded(case)
        match case.kind:
            case CaseKind.DECISION:
                return play_decision(case, setup.chooser, setup.contracts)
            case CaseKind.OBSERVATION:
                return play_observation(case, setup.rules, setup.noise)
            case CaseKind.ADAPTER:
                return play_adapter(case, setup.adapter)
            case CaseKind.END_TO_END:
                return play_task(case, setup.chooser, setup.rules, setup.contracts, setup.noise)
    except ToolsightError as error:
        return Outcome(None, skipped=str(error))


def _as_recorded(case: Case) -> Outcome:
    match case.kind:
        case CaseKind.DECISION:
            return play_decision(case, RecordedChooser())
        case CaseKind.OBSERVATION:
            return recorded_observation(case)
        case CaseKind.ADAPTER:
            return play_adapter(case, None)
        case CaseKind.END_TO_END:
            return recorded_task(case)
