"""Two rule sets side by side over one recorded observation: whether, and how, they read it apart."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from pipeline.observation import RuleSet, TokenCounter, ToolOutput, parse, render
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
    _touched: dict[tuple[str, str | None], bool] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        self.is_worded_alike = _words_of(self.base) == _words_of(self.draft)
        self.is_about_values = self.is_worded_alike and (
            _formulas(self.base) == _formulas(self.draft)
        )

    def pair(self, item: Input, recorded: RecordedObservation) -> Pair | None:
        """Both readings of an input; None when nothing that a model could read differs."""
        outputs = recorded_outputs(recorded)
        is_touched = any(map(self._is_touched, outputs))
        if self.is_about_values and not is_touched:
            return None
        read = list(self._ids(outputs, recorded)) if is_touched else []
        if self.is_about_values and all(before == after for before, after in read):
            return None
        before = reread(recorded, self.base)
        after = reread(recorded, self.draft) if is_touched else resolved_again(before, self.draft)
        if self.is_worded_alike and before.resolved == after.resolved:
            return None
        return Pair(before, after, self.prompts(item, before, after), _is_stable(read, after))

    def prompts(
        self,
        item: Input,
        before: Rereading,
        after: Rereading,
        template: str = TEMPLATE,
        language: str = LANGUAGE,
    ) -> PromptPair:
        """What the model would have read by each, at the time of the first occurrence."""
        first = item.occurrences[0]
        old = self._text(before, self.base, template, language)
        new = self._text(after, self.draft, template, language)
        return PromptPair(
            trace_id=first.trace_id,
            span_id=first.span_id,
            before=old,
            after=new,
            n_tokens_before=self.counter.count(old),
            n_tokens_after=self.counter.count(new),
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
            before = [fragment.fact_id for fragment in parse(output, self.base, context)]
            started = time.thread_time()
            after = [fragment.fact_id for fragment in parse(output, self.draft, context)]
            self.parse_ms.append((time.thread_time() - started) * 1_000)
            yield before, after

    def _text(self, reading: Rereading, rules: RuleSet, template: str, language: str) -> str:
        prompt = render(
            reading.resolved,
            template,
            language,
            rules=rules,
            critical=reading.critical,
            outputs=reading.outputs,
            counter=self.counter,
        )
        return prompt.text


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
