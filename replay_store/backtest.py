"""A draft dictionary against recorded raw outputs: what the model would have read instead.

Counts only; whether a change is good is for people and for gates to say. Every distinct input is
read once by each rule set and weighted by how often it occurred.
"""

from collections.abc import Callable
from dataclasses import dataclass

from pipeline.observation import EstimatedTokens, RuleSet, TokenCounter, render
from pipeline.observation.bands import Band
from replay_store.backtest_change import reads_the_same
from replay_store.backtest_frame import FrameFilter, Input, distinct_inputs, recorded_inputs
from replay_store.backtest_impact import Impact, PromptPair, Tally
from replay_store.database import Database
from replay_store.rereading import Rereading, reread

REPORT_EVERY = 25
"""Inputs between two reports of progress."""

OnProgress = Callable[[int, int], None]
"""Inputs read, and inputs to read."""


class BacktestCancelled(Exception):  # noqa: N818 - it says what happened, it is no failure
    """Somebody stopped the back-test; nothing was stored."""


def backtest(
    database: Database,
    base: RuleSet,
    draft: RuleSet,
    *,
    start_time_ns: int | None = None,
    end_time_ns: int | None = None,
    tool_name: str | None = None,
    counter: TokenCounter | None = None,
    on_progress: OnProgress | None = None,
    is_cancelled: Callable[[], bool] | None = None,
) -> Impact:
    """How the draft would have changed facts and prompts of recorded observations.

    Nothing is stored. Noise is not made again: clean readings are compared.

    Args:
        database: The store.
        base: The rules to compare with, usually those in force.
        draft: The rules to try.
        start_time_ns: Earliest observation, inclusive; None from the first one.
        end_time_ns: Latest observation, exclusive; None to the newest one.
        tool_name: Only observations that were given an output of this tool.
        counter: Counts the tokens of prompts; the estimate when None.
        on_progress: Called every few inputs, and at the end.
        is_cancelled: Asked as often; True ends the back-test.

    Raises:
        BacktestCancelled: `is_cancelled` said so.
    """
    tools = None if tool_name is None else (tool_name,)
    inputs = distinct_inputs(database, FrameFilter(start_time_ns, end_time_ns, tools))
    tally = Tally(base, draft, inputs)
    report = _Report(on_progress, is_cancelled)
    compare = _Comparison(base, draft, counter or EstimatedTokens())
    readable = [item for item in inputs if item.has_raw]
    report.step(0, len(readable))
    for index, (item, recorded) in enumerate(recorded_inputs(database, readable), 1):
        if compare.may_differ and not (
            compare.is_about_values and reads_the_same(recorded, base, draft)
        ):
            before, after = reread(recorded, base), reread(recorded, draft)
            tally.add(item, before, after, compare.prompts(item, before, after))
        report.step(index, len(readable))
    return tally.impact(compare.counter.name)


@dataclass(frozen=True, slots=True)
class _Comparison:
    """What of two rule sets differs, and the prompts they lead to."""

    base: RuleSet
    draft: RuleSet
    counter: TokenCounter

    @property
    def may_differ(self) -> bool:
        """Whether anything but comments or spaces was changed."""
        return not self.is_about_values or self.base.tools != self.draft.tools

    @property
    def is_about_values(self) -> bool:
        """Whether only the reading of single fields can differ, not what is made of facts."""
        return (
            self.base.fact_types == self.draft.fact_types
            and _formulas(self.base) == _formulas(self.draft)
            and self.base.relations == self.draft.relations
            and self.base.entity_labels == self.draft.entity_labels
            and [tool.label for tool in self.base.tools]
            == [tool.label for tool in self.draft.tools]
        )

    def prompts(self, item: Input, before: Rereading, after: Rereading) -> PromptPair:
        """What the model would have read by each, at the time of the first occurrence."""
        first = item.occurrences[0]
        old, new = self._text(before, self.base), self._text(after, self.draft)
        return PromptPair(
            trace_id=first.trace_id,
            span_id=first.span_id,
            before=old,
            after=new,
            n_tokens_before=self.counter.count(old),
            n_tokens_after=self.counter.count(new),
        )

    def _text(self, reading: Rereading, rules: RuleSet) -> str:
        prompt = render(
            reading.resolved,
            "concise",
            "zh",
            rules=rules,
            critical=reading.critical,
            outputs=reading.outputs,
            counter=self.counter,
        )
        return prompt.text


def _formulas(rules: RuleSet) -> list[tuple[str, str, tuple[Band, ...]]]:
    return [(rule.fact_type, rule.expression.text, rule.bands) for rule in rules.derived]


@dataclass(frozen=True, slots=True)
class _Report:
    """Tells how far it is, and asks whether to go on."""

    on_progress: OnProgress | None
    is_cancelled: Callable[[], bool] | None

    def step(self, n_done: int, n_total: int) -> None:
        if n_done % REPORT_EVERY and n_done != n_total:
            return
        if self.is_cancelled is not None and self.is_cancelled():
            raise BacktestCancelled
        if self.on_progress is not None:
            self.on_progress(n_done, n_total)
