"""Did the model choose the right tool? Judged decisions, weighted, with a clustered interval."""

from dataclasses import dataclass
from enum import StrEnum

from metrics.estimate import exclusions, rate_metric, rates_by_tool
from metrics.intervals import Proportion
from metrics.periods import Periods, periods
from metrics.statements import Row, Store
from metrics.thresholds import DEFAULT_THRESHOLDS, Thresholds
from metrics.values import Counted, Metric, OfTool, Reason, Scope


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
    by_tool: tuple[OfTool, ...]
    """Selection accuracy by the tool that was chosen."""


_REASONS = (
    Reason.CANT_TELL,
    Reason.DISAGREEMENT,
    Reason.NOT_HUMAN,
    Reason.PSEUDO_TOOL,
    Reason.DECISION_NOT_STORED,
    Reason.NO_START_TIME,
)


def selection_accuracy(
    database: Store,
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
    found = selection_periods(database, scope, source)
    return Accuracy(
        source=source,
        selection=_metric("selection_accuracy", "", found, thresholds),
        call=_metric("call_accuracy", "call_", found, thresholds),
        by_tool=rates_by_tool("selection_accuracy", found, Counted.DECISIONS, _REASONS, thresholds),
    )


def selection_periods(
    database: Store, scope: Scope, source: LabelSource, bucket_ns: int | None = None
) -> Periods:
    """The counts now, before, of each time bucket and of each chosen tool."""
    return periods(
        database, "selection_accuracy", scope, bucket_ns, only=lambda row: row["source"] == source
    )


def _metric(key: str, prefix: str, found: Periods, thresholds: Thresholds) -> Metric:
    row: Row | None = found.now
    if row is not None:
        row = row | {Reason.DISAGREEMENT: row[f"{prefix}disagreement"]}
    return rate_metric(
        key,
        Proportion.from_row(row, prefix),
        Proportion.from_row(found.before, prefix),
        Counted.DECISIONS,
        exclusions(row, _REASONS),
        thresholds,
    )
