"""Replay in the store: cases and runs as they are kept, and cases taken from recorded traces.

Refuses to play (that is `pipeline.replay`) and to judge (that is `metrics`).
"""

from replay_store.replay.cases import CaseFilter, StoredCase, keep_cases, stored_cases
from replay_store.replay.runs import (
    PastResult,
    PlayedRun,
    ReplayRunError,
    RunTold,
    case_history,
    get_run,
    keep_run,
    played_run,
    runs,
)

__all__ = [
    "CaseFilter",
    "PastResult",
    "PlayedRun",
    "ReplayRunError",
    "RunTold",
    "StoredCase",
    "case_history",
    "get_run",
    "keep_cases",
    "keep_run",
    "played_run",
    "runs",
    "stored_cases",
]
