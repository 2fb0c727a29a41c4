"""Cases played by a setup, and two setups compared case by case. No tool is ever called."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
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
from pipeline.replay.outcome import Compared, Outcome
from pipeline.replay.spreading import spread, why_not_spread
from pipeline.replay.task import play_task, recorded_task

WORKERS: Final = 4

OnProgress = Callable[[int, int], None]
"""Cases played, and cases to play."""


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


def compare(
    cases: Sequence[Case],
    before: Setup,
    after: Setup,
    *,
    n_workers: int = WORKERS,
    n_processes: int = 1,
    on_progress: OnProgress | None = None,
    on_note: Callable[[str], None] | None = None,
) -> list[Compared]:
    """Each case by both setups, in the order given; retired cases are left out.

    Cases are played side by side in threads, which is what a chooser behind a network gains by; many
    of them in processes where the caller allows it and nobody outside is asked. What comes out is the
    same.

    Args:
        cases: Of any kind.
        before: One side.
        after: The other.
        n_workers: Threads.
        n_processes: Processes; more than 1 is for programs whose main module can be imported.
        on_progress: Called with the cases played and those to play; what it raises ends the play.
        on_note: Told why threads were used where processes would have been worth it.
    """
    wanted = [case for case in cases if not case.is_retired]
    why_not = why_not_spread(wanted, before, after) if n_processes > 1 else ""
    if why_not is None:
        found = spread(wanted, before, after, n_processes)
        return list(_counted(found, len(wanted), on_progress))
    if why_not and on_note is not None:
        on_note(why_not)
    with ThreadPoolExecutor(max_workers=max(n_workers, 1)) as pool:
        found = pool.map(lambda case: Compared(case, play(case, before), play(case, after)), wanted)
        return list(_counted(found, len(wanted), on_progress))


def _counted(
    found: Iterator[Compared], n_total: int, on_progress: OnProgress | None
) -> Iterator[Compared]:
    for n_done, item in enumerate(found, 1):
        if on_progress is not None:
            on_progress(n_done, n_total)
        yield item
