"""Did the model choose the right tool, by one audit draw and the chances it was made with?"""

from dataclasses import dataclass
from typing import Final
from uuid import UUID

from metrics.estimate import exclusions, rate_metric
from metrics.intervals import Proportion, design_effect
from metrics.statements import Row, Store, answer
from metrics.thresholds import DEFAULT_THRESHOLDS, Thresholds
from metrics.values import Counted, Metric, Reason

_REASONS: Final = (Reason.NOT_LABELLED, Reason.CANT_TELL, Reason.DISAGREEMENT)
_NOTHING: Final = Proportion(0, 0, 0, 0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class DrawnPart:
    """Selection accuracy of one tool, or of one version of its contract."""

    tool_name: str
    """The tool that was chosen."""
    contract_version: str | None
    """None for the tool in all its versions."""
    metric: Metric


@dataclass(frozen=True, slots=True)
class BatchAccuracy:
    """What one draw says."""

    n_items: int
    selection: Metric
    call: Metric
    parts: tuple[DrawnPart, ...]
    """By tool and version; a tool stands before its versions."""
    design_effect: float | None = None
    """How many times as many decisions a draw like it takes as independent ones would, for selection;
    None where its labels do not tell."""


def batch_accuracy(
    database: Store, batch_id: UUID, thresholds: Thresholds = DEFAULT_THRESHOLDS
) -> BatchAccuracy:
    """Accuracy of the frame of a draw, from its own inclusion probabilities and all that was said.

    A decision counts once somebody labelled it for this draw: that is done in a random order, while
    what was judged before is no random part of it.

    Estimates the whole frame, whatever parts of it were drawn more. There is no period before: a
    draw has no baseline. Without a judged decision every value is None. Strata are not taken out of
    the variance, which makes the interval of a stratified draw a little wide, never too narrow.

    Source: S3 §7.2; Hájek 1971 (ratio of weighted sums).
    """
    rows = answer(database, "batch_accuracy", batch_id=batch_id)
    whole = next((row for row in rows if row["tool_name"] is None), None)
    parts = [row for row in rows if row["tool_name"] is not None]
    return BatchAccuracy(
        n_items=0 if whole is None else int(whole["n_items"]),
        selection=_metric("selection_accuracy", "", whole, thresholds),
        call=_metric("call_accuracy", "call_", whole, thresholds),
        parts=tuple(_part(row, thresholds) for row in parts),
        design_effect=design_effect(Proportion.from_row(whole)),
    )


def _part(row: Row, thresholds: Thresholds) -> DrawnPart:
    metric = _metric("selection_accuracy", "", row, thresholds)
    return DrawnPart(row["tool_name"], row["contract_version"], metric)


def _metric(key: str, prefix: str, row: Row | None, thresholds: Thresholds) -> Metric:
    if row is not None:
        row = row | {Reason.DISAGREEMENT: row[f"{prefix}disagreement"]}
    return rate_metric(
        key,
        Proportion.from_row(row, prefix),
        _NOTHING,
        Counted.DECISIONS,
        exclusions(row, _REASONS),
        thresholds,
    )
