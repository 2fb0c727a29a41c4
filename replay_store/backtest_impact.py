"""What a back-test found, added up: every number counts observations or facts, not distinct inputs."""

from dataclasses import dataclass
from typing import NamedTuple

from replay_store.backtest_change import Change
from replay_store.backtest_frame import CellCounts


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
    n_redacted: int
    """Observations in whose raw outputs a value was masked before it was kept."""
    n_traces_removed: int
    """Traces of the range that retention has removed."""
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
    cells_before: CellCounts
    """Of every observation that could be read again; as recorded where nothing differs."""
    cells_after: CellCounts
    n_critical_lost: int
    """Cells of critical types that gave a value and would give none."""
    n_unstable: int
    """Observations that the draft did not read the same way twice."""
    n_parsed: int
    """Outputs that the draft was timed over: the first thousand whose rules it changes."""
    parse_p99_ms: float | None
    """Of them; None when there were none."""
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
