"""Readings by two rule sets added up into an `Impact`."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from pipeline.observation import CellKind, RuleSet
from replay_store.backtest_change import Change, cells_of, changes, lost_critical
from replay_store.backtest_compare import Pair
from replay_store.backtest_frame import CellCounts, Input, Occurrence
from replay_store.backtest_impact import ChangeClass, Example, Impact, PromptPair
from replay_store.rereading import Rereading

MAX_EXAMPLES: Final = 5


@dataclass(slots=True)
class _Class:
    prompt: PromptPair
    n_facts: int = 0
    traces: set[str] = field(default_factory=set)
    examples: list[Example] = field(default_factory=list)


class Tally:
    """Adds readings up into an `Impact`."""

    def __init__(self, base: RuleSet, draft: RuleSet, inputs: Sequence[Input]) -> None:
        self._base = base
        self._draft = draft
        self._inputs = inputs
        self._classes: dict[Change, _Class] = {}
        self._traces: set[str] = set()
        self._before = CellCounts()
        self._after = CellCounts()
        self._counts: dict[str, int] = dict.fromkeys(
            (
                "n_facts_changed",
                "n_observations_changed",
                "n_unknown_removed",
                "n_unknown_added",
                "n_conflicts_made",
                "n_conflicts_cleared",
                "n_prompts_changed",
                "n_tokens_before",
                "n_tokens_after",
                "n_critical_lost",
                "n_unstable",
            ),
            0,
        )

    def add_same(self, item: Input) -> None:
        """Count a distinct input that both read alike: its cells, as often as it occurred."""
        self._before += item.cells
        self._after += item.cells

    def add(self, item: Input, pair: Pair) -> None:
        """Count one distinct input as often as it occurred."""
        before, after, prompt = pair.before, pair.after, pair.prompts
        weight = len(item.occurrences)
        self._before += _cells(before, weight)
        self._after += _cells(after, weight)
        self._count("n_unstable", 0 if pair.is_stable else weight)
        found = list(changes(before, after))
        if not found and not prompt.is_changed:
            return
        self._traces.update(occurrence.trace_id for occurrence in item.occurrences)
        self._count("n_observations_changed", weight)
        self._count("n_facts_changed", weight * len(found))
        self._count("n_critical_lost", weight * len(lost_critical(before, after)))
        self._cells(before, after, weight)
        if prompt.is_changed:
            self._count("n_prompts_changed", weight)
            self._count("n_tokens_before", weight * prompt.n_tokens_before)
            self._count("n_tokens_after", weight * prompt.n_tokens_after)
        for change in found:
            self._file(change, item.occurrences, prompt)

    def impact(
        self, token_counter: str, parse_ms: Sequence[float] = (), n_traces_removed: int = 0
    ) -> Impact:
        """Everything counted so far.

        Args:
            token_counter: How tokens were counted.
            parse_ms: What the draft took for each output it read.
            n_traces_removed: By retention, in the same range.
        """
        occurrences = [o for item in self._inputs for o in item.occurrences]
        return Impact(
            base_version=self._base.version,
            draft_version=self._draft.version,
            draft_sha256=self._draft.sha256,
            n_observations=len(occurrences),
            n_distinct=len(self._inputs),
            n_traces=len({occurrence.trace_id for occurrence in occurrences}),
            n_without_raw=_n_occurrences(item for item in self._inputs if not item.has_raw),
            n_partly_raw=_n_occurrences(
                item for item in self._inputs if item.has_raw and not item.is_whole
            ),
            n_redacted=_n_occurrences(item for item in self._inputs if item.is_redacted),
            n_traces_removed=n_traces_removed,
            n_traces_changed=len(self._traces),
            token_counter=token_counter,
            classes=self._sorted_classes(),
            cells_before=self._before,
            cells_after=self._after,
            n_parsed=len(parse_ms),
            parse_p99_ms=_p99(parse_ms),
            **self._counts,
        )

    def _count(self, name: str, n: int) -> None:
        self._counts[name] += n

    def _cells(self, before: Rereading, after: Rereading, weight: int) -> None:
        for kind, more, fewer in (
            (CellKind.UNKNOWN, "n_unknown_added", "n_unknown_removed"),
            (CellKind.CONFLICT, "n_conflicts_made", "n_conflicts_cleared"),
        ):
            old, new = cells_of(before, kind), cells_of(after, kind)
            self._count(more, weight * len(new - old))
            self._count(fewer, weight * len(old - new))

    def _file(self, change: Change, occurrences: Sequence[Occurrence], prompt: PromptPair) -> None:
        known = self._classes.setdefault(change, _Class(prompt))
        known.n_facts += len(occurrences)
        known.traces.update(occurrence.trace_id for occurrence in occurrences)
        example = Example(occurrences[0].trace_id, occurrences[0].span_id)
        if len(known.examples) < MAX_EXAMPLES and example not in known.examples:
            known.examples.append(example)

    def _sorted_classes(self) -> tuple[ChangeClass, ...]:
        found = [
            ChangeClass(change, c.n_facts, len(c.traces), tuple(c.examples), c.prompt)
            for change, c in self._classes.items()
        ]
        return tuple(sorted(found, key=lambda c: (-c.n_facts, c.change.fact_type)))


def _n_occurrences(inputs: Iterable[Input]) -> int:
    return sum(len(item.occurrences) for item in inputs)


def _cells(reading: Rereading, weight: int) -> CellCounts:
    health = reading.health
    return CellCounts(
        weight * health.n_cells,
        weight * health.n_multi_source_cells,
        weight * health.n_conflicts,
        weight * health.n_unknown,
        weight * health.n_unparsed,
    )


def _p99(values: Sequence[float]) -> float | None:
    """The smallest value that 99 % do not exceed; None without any."""
    return sorted(values)[math.ceil(0.99 * len(values)) - 1] if values else None
