"""Two rule sets side by side over one recorded observation: whether, and how, they read it apart."""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from pipeline.observation import (
    EstimatedTokens,
    RuleSet,
    SemanticFragment,
    TokenCounter,
    ToolOutput,
    parse,
    render,
)
from pipeline.observation.bands import Band
from replay_store.backtest_frame import Input
from replay_store.backtest_impact import PromptPair
from replay_store.rereading import (
    Rereading,
    recorded_context,
    recorded_outputs,
    reread,
    resolved_again,
)
from replay_store.saw import RecordedObservation

N_TIMED: Final = 1_000
"""Outputs that are read whole and timed, whatever differs, so that there is a P99 of reading them; a
clock of the processor costs a call of the system, which is not for every one."""
TEMPLATE: Final = "concise"
LANGUAGE: Final = "zh"


@dataclass(frozen=True, slots=True)
class Pair:
    """One input read by both rule sets."""

    before: Rereading
    after: Rereading
    prompts: PromptPair
    is_stable: bool
    """Whether the draft read it the same way twice."""


@dataclass(slots=True)
class Comparison:
    """What of two rule sets differs, and what an input is by each.

    Args:
        base: The rules to compare with.
        draft: The rules to try.
        counter: Counts the tokens of prompts.
    """

    base: RuleSet
    draft: RuleSet
    counter: TokenCounter
    parse_ms: list[float] = field(default_factory=list)
    """Processor milliseconds that the draft took for each output it read: what else the machine does
    is no fault of a rule."""
    is_about_values: bool = field(init=False)
    """Whether only the reading of single fields can differ, not what is made of facts."""
    is_worded_alike: bool = field(init=False)
    """Whether equal facts are put into equal words."""
    _differing: tuple[frozenset[str], ...] | None = field(init=False)
    _narrow: dict[str | None, tuple[RuleSet, RuleSet]] = field(init=False, default_factory=dict)
    _touched: dict[tuple[str, str | None], bool] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.is_worded_alike = _words_of(self.base) == _words_of(self.draft)
        self.is_about_values = self.is_worded_alike and (
            _formulas(self.base) == _formulas(self.draft)
        )
        self._differing = _differing(self.base, self.draft)

    def pair(self, item: Input, recorded: RecordedObservation) -> Pair | None:
        """Both readings of an input; None when nothing that a model could read differs."""
        outputs = recorded_outputs(recorded)
        is_touched = any(map(self._is_touched, outputs))
        if self.is_about_values and not is_touched:
            return None
        if self.is_about_values and self._reads_the_same_narrowly(outputs, recorded):
            return None
        read = list(self._ids(outputs, recorded)) if is_touched else []
        if self.is_about_values and all(before == after for before, after in read):
            return None
        before = reread(recorded, self.base)
        after = reread(recorded, self.draft) if is_touched else resolved_again(before, self.draft)
        if self.is_worded_alike and before.resolved == after.resolved:
            return None
        first = item.occurrences[0]
        prompts = _prompts((before, self.base), (after, self.draft), self.counter)
        return Pair(
            before,
            after,
            replace(prompts, trace_id=first.trace_id, span_id=first.span_id),
            _is_stable(read, after),
        )

    def _reads_the_same_narrowly(
        self, outputs: Sequence[ToolOutput], recorded: RecordedObservation
    ) -> bool:
        """Whether the fields that differ read alike; False too where that is not to be seen so.

        Fields are read apart from each other, so that the others need not be read at all. The first
        inputs are read whole all the same, and timed.
        """
        if self._differing is None or len(self.parse_ms) < N_TIMED:
            return False
        context = recorded_context(recorded)
        if context.intent not in self._narrow:
            self._narrow[context.intent] = (
                _narrowed(self.base, self._differing, context.intent),
                _narrowed(self.draft, self._differing, context.intent),
            )
        base, draft = self._narrow[context.intent]
        return all(
            _fact_ids(parse(output, base, context)) == _fact_ids(parse(output, draft, context))
            for output in outputs
            if self._is_touched(output)
        )

    def _is_touched(self, output: ToolOutput) -> bool:
        """Whether other rules than before read the outputs of a tool."""
        key = (output.tool, output.version)
        if key not in self._touched:
            self._touched[key] = self.base.readers(*key) != self.draft.readers(*key) or (
                not self.base.for_tool(output.tool) and self.base.tools != self.draft.tools
            )
        return self._touched[key]

    def _ids(
        self, outputs: Sequence[ToolOutput], recorded: RecordedObservation
    ) -> Iterator[tuple[list[str], list[str]]]:
        """The fact ids of each output, by base and draft."""
        context = recorded_context(recorded)
        for output in outputs:
            before = _fact_ids(parse(output, self.base, context))
            if len(self.parse_ms) < N_TIMED:
                started = time.thread_time()
                fragments = parse(output, self.draft, context)
                self.parse_ms.append((time.thread_time() - started) * 1_000)
            else:
                fragments = parse(output, self.draft, context)
            yield before, _fact_ids(fragments)


def prompt_pair(
    recorded: RecordedObservation,
    base: RuleSet,
    draft: RuleSet,
    *,
    template: str = TEMPLATE,
    language: str = LANGUAGE,
    counter: TokenCounter | None = None,
) -> PromptPair:
    """What the model would have read in one recorded observation, by each of two rule sets.

    Raises:
        TemplateError: There is no such template or language.
    """
    pair = _prompts(
        (reread(recorded, base), base),
        (reread(recorded, draft), draft),
        counter or EstimatedTokens(),
        template,
        language,
    )
    seen = recorded.observation
    return replace(pair, trace_id=seen.trace_id, span_id=seen.span_id)


def _prompts(
    before: tuple[Rereading, RuleSet],
    after: tuple[Rereading, RuleSet],
    counter: TokenCounter,
    template: str = TEMPLATE,
    language: str = LANGUAGE,
) -> PromptPair:
    """Both prompts, not yet said of which observation."""
    old, new = (
        _text(reading, rules, counter, template, language) for reading, rules in (before, after)
    )
    return PromptPair("", "", old, new, counter.count(old), counter.count(new))


def _text(
    reading: Rereading, rules: RuleSet, counter: TokenCounter, template: str, language: str
) -> str:
    prompt = render(
        reading.resolved,
        template,
        language,
        rules=rules,
        critical=reading.critical,
        outputs=reading.outputs,
        counter=counter,
    )
    return prompt.text


def _fact_ids(fragments: Iterable[SemanticFragment]) -> list[str]:
    return [fragment.fact_id for fragment in fragments]


def _differing(base: RuleSet, draft: RuleSet) -> tuple[frozenset[str], ...] | None:
    """Names of the fields that differ, file by file; None where more than fields does."""
    if len(base.tools) != len(draft.tools) or base.parsers or draft.parsers:
        return None
    found = []
    for old, new in zip(base.tools, draft.tools, strict=True):
        if replace(old, fields=()) != replace(new, fields=()):
            return None
        if [rule.name for rule in old.fields] != [rule.name for rule in new.fields]:
            return None
        pairs = zip(old.fields, new.fields, strict=True)
        found.append(frozenset(a.name for a, b in pairs if a != b))
    return tuple(found)


def _narrowed(rules: RuleSet, wanted: tuple[frozenset[str], ...], intent: str | None) -> RuleSet:
    """The rules reading only these fields under one intent; answers are recognised as before."""
    tools = [
        replace(
            tool,
            intents={intent or "": frozenset(r.name for r in tool.fields_for(intent)) & names},
        )
        for tool, names in zip(rules.tools, wanted, strict=True)
    ]
    return replace(rules, tools=tuple(tools))


def _is_stable(read: Sequence[tuple[list[str], list[str]]], after: Rereading) -> bool:
    """Whether a second reading gave what the first did; outputs that were cut cannot tell."""
    first = sorted(fact_id for _, ids in read for fact_id in ids)
    again = sorted(fragment.fact_id for fragment in after.fragments)
    return not read or not after.is_complete or first == again


def _words_of(rules: RuleSet) -> object:
    """Everything about a rule set but how fields are read and facts derived."""
    labels = [tool.label for tool in rules.tools]
    return rules.fact_types, rules.relations, rules.entity_labels, labels


def _formulas(rules: RuleSet) -> list[tuple[str, str, tuple[Band, ...]]]:
    return [(rule.fact_type, rule.expression.text, rule.bands) for rule in rules.derived]
