"""Did the model choose the right tool, by version of the contract and by model?"""

from dataclasses import dataclass
from itertools import groupby
from typing import Final

from metrics.estimate import rate_metric
from metrics.intervals import Proportion
from metrics.selection_accuracy import LabelSource
from metrics.standouts import Subject, SubjectKind
from metrics.statements import Row, Store, answer
from metrics.thresholds import DEFAULT_THRESHOLDS, Thresholds
from metrics.values import Counted, Metric, Scope

_KEY: Final = "selection_accuracy"


@dataclass(frozen=True, slots=True)
class AccuracyOf:
    """Selection accuracy of one version or model."""

    subject: Subject
    metric: Metric
    """With its verdict (meets, below, or not enough evidence and about how many more)."""


def accuracy_by(
    database: Store,
    scope: Scope,
    source: LabelSource = LabelSource.AUDIT,
    thresholds: Thresholds = DEFAULT_THRESHOLDS,
) -> tuple[AccuracyOf, ...]:
    """Accuracy of every contract version (of the chosen tool) and of every model.

    Models first; then versions by tool and version. A part that only the period before judged has
    no value and its baseline. Empty without judged decisions.

    Source: S3 §7.2; a changed description changes what the model confuses.
    """
    rows = [row for row in answer(database, "accuracy_by", scope) if row["source"] == source]
    return tuple(
        AccuracyOf(_subject(part, tool, name), _metric(list(group), thresholds))
        for (part, tool, name), group in groupby(rows, key=_part)
    )


def _part(row: Row) -> tuple[str, str, str]:
    return row["part"], row["tool_name"], row["name"]


def _subject(part: str, tool: str, name: str) -> Subject:
    return Subject(SubjectKind(part), name, tool or None)


def _metric(rows: list[Row], thresholds: Thresholds) -> Metric:
    now = next((row for row in rows if row["is_now"]), None)
    before = next((row for row in rows if not row["is_now"]), None)
    return rate_metric(
        _KEY,
        Proportion.from_row(now),
        Proportion.from_row(before),
        Counted.DECISIONS,
        (),
        thresholds,
    )
