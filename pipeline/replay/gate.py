"""The gate of a contract change: covered by a case, and no case broken by it.

Source: S3 §6.2: a contract change must be covered by a replay case, or it may not be merged.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.replay.case import Case, CaseKind
from pipeline.replay.choosers import Chooser
from pipeline.replay.contracts import (
    ContractChange,
    Contracts,
    changed_contracts,
    without_removed,
)
from pipeline.replay.outcome import Change, Compared
from pipeline.replay.playing import OnProgress, compare
from pipeline.replay.setup import Setup


@dataclass(frozen=True, slots=True)
class Gate:
    """What a change of contracts amounts to."""

    changes: tuple[ContractChange, ...]
    uncovered: tuple[str, ...]
    """Changed tools that no case covers."""
    compared: tuple[Compared, ...]
    """The cases that cover a changed tool, or offer one."""

    @property
    def broken(self) -> tuple[Compared, ...]:
        """The cases that the change broke."""
        return tuple(item for item in self.compared if item.change is Change.BROKEN)

    @property
    def is_open(self) -> bool:
        """Whether the change may be merged."""
        return not self.uncovered and not self.broken


def contract_gate(
    base: Contracts,
    head: Contracts,
    cases: Sequence[Case],
    chooser: Chooser,
    *,
    on_progress: OnProgress | None = None,
) -> Gate:
    """Compare the contracts of two states of a repository by the cases of the newer one.

    A case covers a tool when its gold, its recorded choice or its answers name it. A changed
    description moves neighbours too, so every case that offers a changed tool is played.
    """
    changes = tuple(changed_contracts(base, head))
    names = {change.name for change in changes}
    active = [case for case in cases if not case.is_retired]
    covered = {tool for case in active if _is_about_choice(case) for tool in case.tools}
    touched = [case for case in active if _is_about_choice(case) and names & _names(case)]
    compared = compare(
        touched,
        Setup("base", chooser, base),
        Setup("head", chooser, without_removed(base, head)),
        on_progress=on_progress,
    )
    uncovered = tuple(change.name for change in changes if change.name not in covered)
    return Gate(changes, uncovered, tuple(compared))


def _is_about_choice(case: Case) -> bool:
    return case.kind in (CaseKind.DECISION, CaseKind.END_TO_END)


def _names(case: Case) -> set[str]:
    return {*case.tools, *(tool.name for tool in case.offered)}
