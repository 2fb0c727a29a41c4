"""Rows about dictionaries on their way to being published. Never rebuilt."""

from dataclasses import dataclass
from typing import Literal
from uuid import UUID


@dataclass(frozen=True, slots=True)
class RuleDraft:
    """One state in which a draft was left; the newest of a draft holds."""

    draft_id: UUID
    rule_set: str
    base_version: str
    """What it was edited from."""
    version: str
    """What it would be called, by its content."""
    body: str
    """JSON: YAML text by file name."""
    edits: str
    """JSON: what the forms did, in order, to be done again on another base; `[]` without any."""
    state: Literal["open", "discarded", "published"]
    author: str | None
    """Who left it so; None when they did not say."""
    saved_time_ns: int


@dataclass(frozen=True, slots=True)
class RuleReview:
    """What somebody said of one version beside one base."""

    rule_set: str
    base_version: str
    version: str
    action: Literal["acknowledge", "approve"]
    change_key: str | None
    """Of an acknowledgement: the class of change."""
    author: str
    note: str | None
    is_withdrawn: bool
    time_ns: int


@dataclass(frozen=True, slots=True)
class Backtest:
    """The back-test with which a version was published."""

    backtest_id: UUID
    rule_set: str
    base_version: str
    version: str
    start_time_ns: int | None
    end_time_ns: int | None
    n_observations: int
    n_distinct: int
    n_without_raw: int
    n_partly_raw: int
    n_facts_changed: int
    n_traces_changed: int
    n_unknown_removed: int
    n_unknown_added: int
    n_conflicts_made: int
    n_conflicts_cleared: int
    n_critical_lost: int
    token_delta: int
    n_cases: int
    """Replay cases that were played."""
    gates: str
    """JSON: how each gate stood."""
    code_version: str
    created_by: str
    created_time_ns: int


@dataclass(frozen=True, slots=True)
class DiffClass:
    """One class of change of a kept back-test."""

    backtest_id: UUID
    change_key: str
    fact_type: str
    before: str | None
    """JSON: what was said; None where only the draft says something."""
    after: str | None
    n_facts: int
    n_traces: int
    examples: str
    """JSON: observations, `[trace_id, span_id]` each."""


@dataclass(frozen=True, slots=True)
class RuleShadow:
    """The beginning or the end of a shadow run."""

    rule_set: str
    base_version: str
    version: str
    body: str
    """JSON: YAML text by file name."""
    action: Literal["start", "stop"]
    author: str
    time_ns: int


@dataclass(frozen=True, slots=True)
class RuleWorker:
    """An agent that follows the rules, as it told of itself."""

    rule_set: str
    worker: str
    version: str | None
    """The version it reads with."""
    refused_version: str | None
    """What it was given and did not take."""
    problem: str | None
    time_ns: int
    """Of its look."""
