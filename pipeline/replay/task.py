"""A whole task played again: choice by choice, and what was recorded answers for the tools."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from pipeline.observation import Context, RuleSet
from pipeline.replay.arguments import is_equal
from pipeline.replay.case import Arguments, Case, Chosen, Gold, Offered, Passage, Recorded
from pipeline.replay.choosers import Chooser, Situation
from pipeline.replay.contracts import Contracts
from pipeline.replay.labelling import label_choice
from pipeline.replay.observing import Noise, Seen, context_of, expected_line, see
from pipeline.replay.outcome import Outcome

MORE_STEPS: Final = 4
"""How many calls beyond those that are right a task may make before it is stopped."""


def play_task(
    case: Case,
    chooser: Chooser,
    rules: RuleSet,
    contracts: Contracts,
    noise: Noise | None = None,
) -> Outcome:
    """The calls of a task and the facts that were read on the way.

    Right when the right calls were made (in their order, where that matters), none that is forbidden, with right
    arguments, and every expected fact was read. Further calls are allowed: many ways lead there.

    Raises:
        ChooserError: The chooser did not answer.
    """
    gold = case.gold
    if gold is None:
        return Outcome(None, skipped="nobody said what is right")
    run = _Run(case, chooser, rules, contracts, noise, context_of(case), list(case.input))
    if (skipped := run.play(len(gold.best) + MORE_STEPS)) is not None:
        return Outcome(None, skipped=skipped)
    offered = contracts.applied_to(case.offered)
    wrong_calls = _call_problems(gold, run.calls, offered)
    problems = (*run.problems, *wrong_calls, *_fact_problems(case, run))
    return Outcome(
        is_right=not problems,
        facts=run.facts,
        shown={"calls": [_call_text(call) for call in run.calls]},
        problems=problems,
    )


def recorded_task(case: Case) -> Outcome:
    """A task as it went when it was recorded: its calls judged, its facts as they were expected."""
    if case.gold is None:
        return Outcome(None, skipped="nobody said what is right")
    calls = [Chosen(item.tool, item.arguments) for item in case.recorded]
    facts = None if case.expected is None else case.expected.facts
    problems = tuple(_call_problems(case.gold, calls, case.offered))
    return Outcome(
        is_right=not problems,
        facts=None if facts is None else tuple(sorted(set(map(expected_line, facts)))),
        shown={"calls": [_call_text(call) for call in calls]},
        problems=problems,
    )


@dataclass(slots=True)
class _Run:
    """One task under way."""

    case: Case
    chooser: Chooser
    rules: RuleSet
    contracts: Contracts
    noise: Noise | None
    context: Context
    given: list[Passage]
    calls: list[Chosen] = field(default_factory=list)
    seen: list[Seen] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    _used: set[int] = field(default_factory=set)

    @property
    def facts(self) -> tuple[str, ...]:
        return tuple(sorted({line for seen in self.seen for line in seen.facts}))

    def play(self, n_most: int) -> str | None:
        """Choose until no call is wanted; returns why nothing could be chosen at all."""
        offered = self.contracts.applied_to(self.case.offered)
        while len(self.calls) <= n_most:
            step = len(self.calls)
            recorded = self._recorded_choice(step)
            situation = Situation(self.case.case_id, step, tuple(self.given), offered, recorded)
            chosen = self.chooser.choose(situation)
            if chosen is None:
                return f"{self.chooser.name}: no choice to give"
            if not chosen.is_call:
                return None
            self.calls.append(chosen)
            if not self._answer(chosen):
                return None
        self.problems.append(f"stopped after {len(self.calls)} calls")
        return None

    def _recorded_choice(self, step: int) -> Chosen:
        """What was chosen at this step when it was recorded: its calls stand in their order."""
        if step >= len(self.case.recorded):
            return Chosen("NO_CALL")
        item = self.case.recorded[step]
        return Chosen(item.tool, item.arguments)

    def _answer(self, chosen: Chosen) -> bool:
        """Show what was recorded for this call; False when nothing was, which ends the task."""
        at = self._recorded_for(chosen)
        if at is None:
            self.problems.append(f"{_call_text(chosen)}: no answer to this call is recorded")
            return False
        self._used.add(at)
        item = self.case.recorded[at]
        arguments = chosen.arguments if chosen.arguments is not None else item.arguments
        self.given.append(Passage("assistant", _json(arguments or {}), "call", chosen.tool))
        self.given.append(Passage("tool", self._shown(item), "answer"))
        return True

    def _recorded_for(self, chosen: Chosen) -> int | None:
        """The first unused answer to this very call; a used one for a call made again."""
        fits = [
            at
            for at, item in enumerate(self.case.recorded)
            if item.tool == chosen.tool and _same(chosen.arguments, item.arguments)
        ]
        return next((at for at in fits if at not in self._used), fits[0] if fits else None)

    def _shown(self, item: Recorded) -> str:
        if not self.rules.for_tool(item.tool):
            return item.body if isinstance(item.body, str) else _json(item.body)
        seen = see([item], self.context, self.rules, self.noise)
        self.seen.append(seen)
        return seen.prompt


def _same(chosen: Arguments | None, recorded: Arguments | None) -> bool:
    """Whether a recorded answer is one to these arguments; open arguments fit any."""
    if chosen is None or recorded is None:
        return True
    return is_equal(dict(chosen), dict(recorded))


def _call_problems(gold: Gold, calls: Sequence[Chosen], offered: Sequence[Offered]) -> list[str]:
    chosen = [call.tool for call in calls]
    if gold.need == "NO_CALL":
        return [f"called {', '.join(chosen)}: no call was right"] if chosen else []
    problems = [f"called {tool}: forbidden" for tool in chosen if tool in gold.forbidden]
    if not _has_all(gold, chosen):
        wanted, made = " → ".join(gold.best), " → ".join(chosen) or "none"
        in_order = "" if gold.is_ordered else " in any order"
        problems.append(f"calls: {made}: expected {wanted}{in_order}")
    for call in calls:
        verdict = label_choice(gold, offered, call)
        if verdict.is_selection_ok and not verdict.is_call_ok:
            problems.append(f"{call.tool}: {verdict.reason}")
    return problems


def _has_all(gold: Gold, chosen: list[str]) -> bool:
    if not gold.is_ordered:
        return not Counter(gold.best) - Counter(chosen)
    waiting = iter(chosen)
    return all(tool in waiting for tool in gold.best)


def _fact_problems(case: Case, run: _Run) -> list[str]:
    if case.expected is None or case.expected.facts is None:
        return []
    read = set(run.facts)
    wanted = {expected_line(fact) for fact in case.expected.facts}
    return [f"not read: {line}" for line in sorted(wanted - read)]


def _call_text(call: Chosen) -> str:
    return call.tool if call.arguments is None else f"{call.tool} {_json(call.arguments)}"


def _json(value: Mapping[str, Any] | Any) -> str:
    plain = dict(value) if isinstance(value, Mapping) else value
    return json.dumps(plain, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
