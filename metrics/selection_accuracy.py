"""Did the model choose the right tool? Judged decisions, weighted, with a clustered interval."""

from dataclasses import dataclass
from enum import StrEnum

from metrics.buckets import WHOLE_NS
from metrics.estimate import exclusions, rate_metric
from metrics.intervals import Proportion
from metrics.statements import Row, answer
from metrics.thresholds import DEFAULT_THRESHOLDS, Thresholds
from metrics.values import Counted, Metric, Reason, Scope
from replay_store.database import Database


class LabelSource(StrEnum):
    """Where judgements come from. One figure, one source."""

    AUDIT = "audit"
    """People judged a random draw of decisions."""
    REPLAY = "replay"
    """A replay case knew the answer."""


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Two rates over the same judged decisions."""

    source: LabelSource
    selection: Metric
    """The right tool, or rightly none."""
    call: Metric
    """The right tool with the right arguments."""


_REASONS = (
    Reason.CANT_TELL,
    Reason.DISAGREEMENT,
    Reason.NOT_HUMAN,
    Reason.PSEUDO_TOOL,
    Reason.DECISION_NOT_STORED,
    Reason.NO_START_TIME,
)


def selection_accuracy(
    database: Database,
    scope: Scope,
    source: LabelSource = LabelSource.AUDIT,
    thresholds: Thresholds = DEFAULT_THRESHOLDS,
) -> Accuracy:
    """Selection and call accuracy of one source of labels.

    Selection is tested against its threshold with three verdicts: meets, below, or not enough
    evidence with about how many more decisions would settle it. Numerator and denominator are
    sums of weights (1 / inclusion probability); n counts decisions. A scope's tool is the chosen
    one. Without judged decisions both values are None.

    Source: S3 §7.2; labels: a decision with wrong arguments is a right selection and a wrong call.
    """
    now = selection_rows(database, scope, source)
    before = selection_rows(database, scope.before(), source)
    return Accuracy(
        source=source,
        selection=_metric("selection_accuracy", "", now, before, thresholds),
        call=_metric("call_accuracy", "call_", now, before, thresholds),
    )


def selection_rows(
    database: Database, scope: Scope, source: LabelSource, bucket_ns: int = WHOLE_NS
) -> list[Row]:
    """The counts of each time bucket; no row for a bucket without labels."""
    return answer(database, "selection_accuracy", scope, source=source, bucket_ns=bucket_ns)


def _metric(
    key: str, prefix: str, now: list[Row], before: list[Row], thresholds: Thresholds
) -> Metric:
    row = now[0] if now else None
    if row is not None:
        row = row | {Reason.DISAGREEMENT: row[f"{prefix}disagreement"]}
    return rate_metric(
        key,
        Proportion.from_row(row, prefix),
        Proportion.from_row(before[0] if before else None, prefix),
        Counted.DECISIONS,
        exclusions(row, _REASONS),
        thresholds,
    )
