"""Replay: recorded situations played again, to see what a change would have changed.

Owns the case (one JSON file each, for review in git), the label of a choice, the choosers and the
run over cases. Tools are never called: what was recorded answers. Refuses databases, statistics and
pages: runs are kept by the store and judged by `metrics`.
"""

from pipeline.replay.arguments import Sub
from pipeline.replay.case import (
    ArgumentRule,
    Arguments,
    Case,
    CaseKind,
    Chosen,
    Expected,
    ExpectedFact,
    ExpectedPrompt,
    Gold,
    Offered,
    Origin,
    Passage,
    Recorded,
)
from pipeline.replay.case_json import (
    case_from_json,
    case_to_json,
    read_case,
    read_case_dir,
    write_case,
)
from pipeline.replay.errors import CaseError, ChooserError, ReplayError
from pipeline.replay.labelling import Verdict, label_choice

__all__ = [
    "ArgumentRule",
    "Arguments",
    "Case",
    "CaseError",
    "CaseKind",
    "ChooserError",
    "Chosen",
    "Expected",
    "ExpectedFact",
    "ExpectedPrompt",
    "Gold",
    "Offered",
    "Origin",
    "Passage",
    "Recorded",
    "ReplayError",
    "Sub",
    "Verdict",
    "case_from_json",
    "case_to_json",
    "label_choice",
    "read_case",
    "read_case_dir",
    "write_case",
]
