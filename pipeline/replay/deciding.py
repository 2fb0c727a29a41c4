"""One decision played again: who chooses, by which contracts, and what the choice is worth."""

from pipeline.replay.case import Case, Chosen, Gold, Offered
from pipeline.replay.choosers import Chooser, Situation
from pipeline.replay.contracts import Contracts
from pipeline.replay.labelling import Verdict, label_choice
from pipeline.replay.outcome import Outcome
from pipeline.vocabulary import SelectionLabel

_NOTHING_CHANGED = Contracts({})


def play_decision(case: Case, chooser: Chooser, contracts: Contracts = _NOTHING_CHANGED) -> Outcome:
    """The label of what the chooser picks; right when the whole call is.

    Contracts are also held against the recorded call: one that was right and that they now refuse
    makes the case wrong, whoever chooses.

    Raises:
        ChooserError: The chooser did not answer.
    """
    gold, offered = case.gold, contracts.applied_to(case.offered)
    if gold is None:
        return Outcome(None, skipped="nobody said what is right")
    chosen = chooser.choose(Situation(case.case_id, 0, case.input, offered, case.chosen))
    if chosen is None:
        return Outcome(None, skipped=f"{chooser.name}: no choice to give")
    verdict = label_choice(gold, offered, chosen)
    refused = _refusal(case, gold, offered)
    problems = () if verdict.is_call_ok else (_sentence(verdict, gold, chosen),)
    return Outcome(
        is_right=verdict.is_call_ok and refused is None,
        label=verdict.label,
        tool=chosen.tool,
        shown=_shown(chosen, verdict),
        problems=problems if refused is None else (*problems, refused),
    )


def _refusal(case: Case, gold: Gold, offered: tuple[Offered, ...]) -> str | None:
    """Why the recorded call, right by the contracts of its time, is right no longer."""
    recorded = case.chosen
    if recorded is None or recorded.arguments is None:
        return None
    if not label_choice(gold, case.offered, recorded).is_call_ok:
        return None
    verdict = label_choice(gold, offered, recorded)
    if verdict.label is SelectionLabel.RIGHT_TOOL_WRONG_ARGS:
        return f"the recorded call of {recorded.tool} is refused now: {verdict.reason}"
    if all(tool.name != recorded.tool for tool in offered):
        return f"the recorded call of {recorded.tool} is refused now: not on offer any more"
    return None


def _sentence(verdict: Verdict, gold: Gold, chosen: Chosen) -> str:
    right = " or ".join((*gold.best, *gold.acceptable)) or "no call"
    if verdict.label is SelectionLabel.RIGHT_TOOL_WRONG_ARGS:
        return f"{chosen.tool}: {verdict.reason}"
    return f"chose {chosen.tool}: {right} was right"


def _shown(chosen: Chosen, verdict: Verdict) -> dict[str, object]:
    found = {
        "arguments": chosen.arguments,
        "sub": None if verdict.sub is None else verdict.sub.value,
        "reason": verdict.reason,
    }
    return {name: value for name, value in found.items() if value is not None}
