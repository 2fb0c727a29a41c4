"""Replay rows: recorded situations with what is right in them, and what came of playing them again.

Never rebuilt and only ever added to. Of several versions of one case the newest counts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from replay_store.records.received import JsonValue


@dataclass(frozen=True, slots=True)
class ReplayCase:
    """One version of one replay case."""

    case_id: str
    """Stable over its versions."""
    record_hash: int
    """Names the version."""
    case_kind: str
    """decision, observation, adapter or end_to_end."""
    trace_id: str | None
    """The trace it was taken from."""
    tool_names: Sequence[str]
    """The tools that it covers."""
    is_retired: bool
    """Kept for its history; not run any more."""
    time_ns: int | None
    """When it was made."""
    body: Mapping[str, JsonValue]
    """The whole case, as its file in git holds it (`pipeline.replay.case_json`)."""
    file_id: UUID
    record_index: int
    received_time_ns: int


@dataclass(frozen=True, slots=True)
class ReplayRun:
    """One run over cases: a baseline and a candidate, case by case. Counts only; no judgement."""

    run_id: UUID
    against: str
    """What was changed: contracts, rules, adapter or chooser."""
    baseline: str
    """What it is compared with, in words with version or hash."""
    candidate: str
    chooser: str | None
    """Who chose; None where nobody had to."""
    n_cases: int
    """`n_broken + n_fixed + n_same_right + n_same_wrong + n_skipped`."""
    n_broken: int
    """Right before, wrong after."""
    n_fixed: int
    n_same_right: int
    n_same_wrong: int
    n_skipped: int
    """Could not be judged on both sides; the result says why."""
    created_by: str
    code_version: str
    started_time_ns: int
    finished_time_ns: int


@dataclass(frozen=True, slots=True)
class ReplayResult:
    """What became of one case in one run."""

    run_id: UUID
    position: int
    """Order within the run."""
    case_id: str
    case_hash: int
    """The version of the case: its `record_hash`."""
    case_kind: str
    trace_id: str | None
    tool_names: Sequence[str]
    change: str
    """broken, fixed, same_right, same_wrong or skipped."""
    is_right_before: bool | None
    """None when it could not be judged."""
    is_right_after: bool | None
    before: Mapping[str, JsonValue]
    """What came out by the baseline: label, tool, arguments, facts, prompt, as the kind has them."""
    after: Mapping[str, JsonValue]
    diff: Sequence[str]
    """One sentence for each thing that differs; empty when nothing does."""
