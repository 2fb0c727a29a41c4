"""What a back-test found, added up: every number counts observations or facts, not distinct inputs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from pipeline.observation import CellKind, RuleSet
from replay_store.backtest_change import Change, cells_of, changes
from replay_store.backtest_frame import Input, Occurrence
from replay_store.rereading import Rereading

MAX_EXAMPLES: Final = 5


class Example(NamedTuple):
    """An observation in which a change shows."""

    trace_id: str
    span_id: str


@dataclass(frozen=True, slots=True)
class PromptPair:
    """What the model would have read by each rule set: concise, Chinese, without noise."""

    trace_id: str
    span_id: str
    before: str
    after: str
    n_tokens_before: int
    n_tokens_after: int

    @property
    def is_changed(self) -> bool:
        """Whether the model would have read something else."""
        return self.before != self.after


@dataclass(frozen=True, slots=True)
class ChangeClass:
    """All changes from one thing said to another."""

    change: Change
    n_facts: int
    n_traces: int
    """Distinct traces."""
    examples: tuple[Example, ...]
    """At most five, oldest first, each from another input."""
    prompt: PromptPair
    """Of the first example."""


@dataclass(frozen=True, slots=True)
class Impact:
    """How a draft would have changed what was read."""

    base_version: str
    draft_version: str
    draft_sha256: str
    n_observations: int
    """In the range, with or without raw outputs."""
    n_distinct: int
    """Distinct inputs among them."""
    n_traces: int
    n_without_raw: int
    """Observations that cannot be read again: no raw output was recorded."""
    n_partly_raw: int
    """Observations of which some outputs were not recorded, or cut; the others were read."""
    n_facts_changed: int
    n_traces_changed: int
    """Distinct traces with a changed fact or prompt."""
    n_observations_changed: int
    """Observations with a changed fact or prompt."""
    n_unknown_removed: int
    """Cells that would no longer be UNKNOWN."""
    n_unknown_added: int
    n_conflicts_made: int
    """Cells that would become a CONFLICT."""
    n_conflicts_cleared: int
    n_prompts_changed: int
    """Observations whose concise Chinese prompt would read differently."""
    n_tokens_before: int
    """Of the changed prompts."""
    n_tokens_after: int
    token_counter: str
    """`estimate`, or the vocabulary that counted exactly."""
    classes: tuple[ChangeClass, ...]
    """Most facts first."""

    @property
    def token_delta(self) -> int:
        """Tokens that the changed prompts would take more; negative for fewer."""
        return self.n_tokens_after - self.n_tokens_before

    @property
    def is_nothing(self) -> bool:
        """Whether everything that could be read again reads the same."""
        return self.n_observations_changed == 0


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
            ),
            0,
        )

    def add(self, item: Input, before: Rereading, after: Rereading, prompt: PromptPair) -> None:
        """Count one distinct input as often as it occurred."""
        found = list(changes(before, after))
        if not found and not prompt.is_changed:
            return
        weight = len(item.occurrences)
        self._traces.update(occurrence.trace_id for occurrence in item.occurrences)
        self._count("n_observations_changed", weight)
        self._count("n_facts_changed", weight * len(found))
        self._cells(before, after, weight)
        if prompt.is_changed:
            self._count("n_prompts_changed", weight)
            self._count("n_tokens_before", weight * prompt.n_tokens_before)
            self._count("n_tokens_after", weight * prompt.n_tokens_after)
        for change in found:
            self._file(change, item.occurrences, prompt)

    def impact(self, token_counter: str) -> Impact:
        """Everything counted so far."""
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
            n_traces_changed=len(self._traces),
            token_counter=token_counter,
            classes=self._sorted_classes(),
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
