"""The scripted model: which tool it asks for next, and what an honest judge would say of it.

It errs at known rates, so the label of every decision is known as it is made.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from pipeline.vocabulary import CallStatus, ErrorClass, SelectionLabel
from sample_traces.intents import Call, Intent, Step
from sample_traces.timeline import ContractRelease, Timeline

CONTENT_RATE = 0.3
"""Share of wrong choices after which the model is content and never asks the right tool."""
MAX_REPEATS = 2

Facts = Mapping[str, Mapping[str, str]]
"""What an observation says: by fact type, then by entity; the empty text where nothing is known."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One call the model asks for, and the judgement of it."""

    call: Call
    label: SelectionLabel
    expected: Call | None
    """The call that was needed; None where none was."""

    @property
    def expected_tool(self) -> str | None:
        """The tool that was needed; None where no call was."""
        return None if self.expected is None else self.expected.tool


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a chosen call ended."""

    choice: Choice
    status: CallStatus
    shown: object
    """What the tool gave: the result, or the advice."""
    error_class: ErrorClass | None = None
    facts: Facts = field(default_factory=dict)
    """What the observation made of it; none for a tool that the pipeline does not read."""
    clean_facts: Facts = field(default_factory=dict)
    """What it would have made of it without noise."""


@dataclass(frozen=True, slots=True)
class Rates:
    """How often the model errs, each per opportunity."""

    confusion: float = 0.05
    ping_pong: float = 0.012
    wrong_arguments: float = 0.05
    alternative: float = 0.25
    unneeded: float = 0.12
    missing: float = 0.015
    redundant: float = 0.025
    confusion_of: Mapping[str, float] = field(default_factory=dict)
    """Of a tool whose contract lost a sentence: counts for it and for what it is confused with."""

    def confusion_at(self, step: Step) -> float:
        """How often the model takes another tool for the one this step needs."""
        tools = [call.tool for call in (step.best, step.confusable) if call is not None]
        return max(self.confusion_of.get(tool, self.confusion) for tool in tools)


def rates(timeline: Timeline, at_ns: int, *, is_small_model: bool) -> Rates:
    """The rates at one moment; a lost contract sentence and a small model raise them."""
    found = Rates(confusion=0.08, wrong_arguments=0.09) if is_small_model else Rates()
    for release in timeline.effects(ContractRelease, at_ns):
        if release.confusion_rate is not None:
            of_tool = {**found.confusion_of, release.tool: release.confusion_rate}
            found = replace(found, confusion_of=of_tool)
        if release.ping_pong_rate is not None:
            found = replace(found, ping_pong=release.ping_pong_rate)
    return found


class ScriptedModel:
    """Answers turn after turn: the calls it wants, or none when it is ready to answer."""

    def __init__(self, intent: Intent, rates: Rates, draws: Random) -> None:
        self._intent = intent
        self._draws = draws
        self._script = deque(_script(intent, rates, draws))
        self._done: set[str] = set()
        self._n_repeats = 0
        self._has_reason_to_stop = False
        self._has_complained = False

    def choices(self, outcomes: Sequence[Outcome]) -> tuple[Choice, ...]:
        """The calls of the next turn, given how those of the last one ended; empty to answer."""
        again = [choice for outcome in outcomes if (choice := self._after(outcome)) is not None]
        if again:
            return tuple(again)
        if self._script:
            return self._script.popleft()
        return self._complaint(outcomes)

    def answer_label(self) -> tuple[SelectionLabel, Call | None]:
        """The judgement of a turn without a call, and the call it should have made, if any."""
        if not self._has_reason_to_stop:
            for step in (step for group in self._intent.groups for step in group):
                if step.best.tool not in self._done:
                    return SelectionLabel.SHOULD_HAVE_CALLED, step.best
        return SelectionLabel.CORRECT_NO_CALL, None

    def _complaint(self, outcomes: Sequence[Outcome]) -> tuple[Choice, ...]:
        """A ticket for a parcel that seems overdue: never so by the shop's books, only by noise."""
        call = self._intent.on_overdue
        if call is None or self._has_complained or not any(map(self._is_overdue, outcomes)):
            return ()
        self._has_complained = True
        return (Choice(call, SelectionLabel.SHOULD_NOT_HAVE_CALLED, None),)

    def _is_overdue(self, outcome: Outcome) -> bool:
        promised = "".join(outcome.facts.get("EST_DELIVERY", {}).values())
        is_shipped = "已发货" in outcome.facts.get("STATUS", {}).values()
        return is_shipped and "" < promised < self._intent.asked_on

    def _after(self, outcome: Outcome) -> Choice | None:
        choice = outcome.choice
        if outcome.status is CallStatus.OK:
            self._settle(outcome)
            return None
        if outcome.status is CallStatus.BLOCKED:
            return self._after_block(choice)
        if outcome.error_class in (ErrorClass.INVALID_ARGUMENT, ErrorClass.TOO_LARGE):
            return self._corrected(choice)
        if outcome.error_class in (ErrorClass.TIMEOUT, ErrorClass.UPSTREAM):
            return self._repeat_or_stop(choice)
        if choice.label is not SelectionLabel.WRONG_TOOL:
            self._stop()
        return None

    def _settle(self, outcome: Outcome) -> None:
        self._done.add(outcome.choice.call.tool)
        if outcome.choice.label is SelectionLabel.ACCEPTABLE_ALTERNATIVE:
            self._done.add(outcome.choice.expected_tool or "")
        is_empty = isinstance(outcome.shown, dict) and outcome.shown.get("total") == 0
        if is_empty and outcome.choice.label is SelectionLabel.RIGHT:
            self._stop()

    def _after_block(self, choice: Choice) -> Choice | None:
        """Mostly takes no for an answer; may ask for less, rarely just tries again."""
        narrower = self._step_of(choice).narrower
        if narrower is not None and narrower != choice.call and self._draws.random() < 0.5:
            return Choice(narrower, SelectionLabel.RIGHT, narrower)
        if self._n_repeats == 0 and self._draws.random() < 0.12:
            self._n_repeats += 1
            return Choice(choice.call, SelectionLabel.SHOULD_NOT_HAVE_CALLED, None)
        self._stop()
        return None

    def _corrected(self, choice: Choice) -> Choice:
        best = self._step_of(choice).best
        return Choice(best, SelectionLabel.RIGHT, best)

    def _step_of(self, choice: Choice) -> Step:
        """The step that the call is about; a step of its own for a call that no step asks for."""
        for step in (step for group in self._intent.groups for step in group):
            if step.best.tool == choice.call.tool:
                return step
        return Step(choice.call)

    def _repeat_or_stop(self, choice: Choice) -> Choice | None:
        if self._n_repeats < MAX_REPEATS and self._draws.random() < 0.65:
            self._n_repeats += 1
            return choice
        self._stop()
        return None

    def _stop(self) -> None:
        self._script.clear()
        self._has_reason_to_stop = True


def _script(intent: Intent, rates: Rates, draws: Random) -> Iterator[tuple[Choice, ...]]:
    """What the model would ask for, turn by turn, if every call went well."""
    if not intent.groups:
        if draws.random() < rates.unneeded:
            yield (_unneeded(Call("search_orders", {"keyword": "全部"})),)
        return
    if draws.random() < rates.missing:
        return
    if intent.is_ambiguous and draws.random() < rates.ping_pong:
        yield from _ping_pong(intent, draws)
        return
    turns: list[tuple[Choice, ...]] = []
    for group in intent.groups:
        turns = list(_group(group, rates, draws))
        yield from turns
        if turns[-1][0].label is SelectionLabel.WRONG_TOOL:
            return
    if draws.random() < rates.redundant:
        yield tuple(_unneeded(choice.call) for choice in turns[-1])


def _group(group: Sequence[Step], rates: Rates, draws: Random) -> Iterator[tuple[Choice, ...]]:
    step = group[0]
    if step.confusable is not None and draws.random() < rates.confusion_at(step):
        yield (Choice(step.confusable, SelectionLabel.WRONG_TOOL, step.best),)
        if draws.random() < CONTENT_RATE:
            return
    first = Choice(step.best, SelectionLabel.RIGHT, step.best)
    if step.broken is not None and draws.random() < rates.wrong_arguments:
        first = Choice(step.broken, SelectionLabel.RIGHT_TOOL_WRONG_ARGS, step.best)
    elif step.alternative is not None and draws.random() < rates.alternative:
        first = Choice(step.alternative, SelectionLabel.ACCEPTABLE_ALTERNATIVE, step.best)
    yield (first, *(Choice(s.best, SelectionLabel.RIGHT, s.best) for s in group[1:]))


def _ping_pong(intent: Intent, draws: Random) -> Iterator[tuple[Choice, ...]]:
    """Two tools in turn, with equal arguments each time: the first round may be right."""
    steps = [step for group in intent.groups for step in group]
    best, other = steps[0].best, steps[-1].best if len(steps) > 1 else steps[0].confusable
    if other is None:
        return
    yield (Choice(best, SelectionLabel.RIGHT, best),)
    yield (Choice(other, SelectionLabel.RIGHT, other) if len(steps) > 1 else _unneeded(other),)
    for _ in range(draws.randrange(1, 5)):
        yield (_unneeded(best),)
        yield (_unneeded(other),)


def _unneeded(call: Call) -> Choice:
    return Choice(call, SelectionLabel.SHOULD_NOT_HAVE_CALLED, None)
