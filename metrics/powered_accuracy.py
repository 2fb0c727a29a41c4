"""What judges that are no people add to the accuracy of an audit draw, where they may add anything."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from uuid import UUID

from metrics.powered import Judged, Powered, Verdicts, powered_mean
from metrics.rater_agreement import counts, krippendorff_alpha
from metrics.statements import Row, Store, answer

MIN_N: Final = 100
"""Below this the interval covers too little: 90 to 92 % at 50."""
MIN_ERRORS: Final = 10
"""Wrong decisions that people found; fewer do not show what the judge overlooks."""
MIN_ALPHA: Final = 0.667
"""Krippendorff's alpha of judge and people below which nothing of the judge is shown."""


class Unmet(StrEnum):
    """Why a judge adds nothing."""

    TOO_FEW = "too_few"
    """Fewer than `MIN_N` decisions that people and the judge judged."""
    TOO_FEW_ERRORS = "too_few_errors"
    """People found fewer than `MIN_ERRORS` of them wrong."""
    DISAGREES = "disagrees"
    """The judge agrees with people less than `MIN_ALPHA`."""
    NOT_WHOLE_FRAME = "not_whole_frame"
    """The judge has no verdict on some decisions of the frame: a picked pile is no random draw."""


@dataclass(frozen=True, slots=True)
class JudgeFigure:
    """One judge beside people."""

    judge: str
    """Its name as an annotator; empty for the rule that nothing went wrong afterwards."""
    kind: str
    """RULE or LLM."""
    n: int
    """Decisions that people and the judge judged."""
    alpha: float | None
    """Krippendorff's alpha of people's verdict and the judge's; None without variety."""
    unmet: tuple[Unmet, ...]
    powered: Powered | None
    """None where a condition is unmet."""


def powered_accuracy(database: Store, batch_id: UUID) -> tuple[JudgeFigure, ...]:
    """Selection accuracy of a draw's frame by PPI++, one figure a judge; by name.

    A second line beside the accuracy from people, never in its place. Empty when people judged none
    of the draw.

    Source: evaluation practice (conditions measured by simulation: at least 100 labels, 10 errors,
    alpha .667).
    """
    drawn: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in answer(database, "judges/drawn", batch_id=batch_id):
        drawn[row["judge"], row["judge_kind"]].append(row)
    if not drawn:
        return ()
    frame: dict[tuple[str, str], list[Verdicts]] = defaultdict(list)
    for row in answer(database, "judges/frame", batch_id=batch_id):
        verdicts = Verdicts(int(row["n_right"]), int(row["n"]))
        frame[row["judge"], row["judge_kind"]].append(verdicts)
    n_frame = sum(verdicts.n for verdicts in frame.get(("", ""), ()))
    return tuple(
        _figure(name, rows, frame.get(name, []), n_frame) for name, rows in sorted(drawn.items())
    )


def _figure(
    name: tuple[str, str], rows: Sequence[Row], of_all: Sequence[Verdicts], n_frame: int
) -> JudgeFigure:
    judged = [
        Judged(bool(r["is_right"]), bool(r["is_judged_right"]), float(r["weight"]), r["trace_id"])
        for r in rows
    ]
    pairs = [(item.is_right, item.is_judged_right) for item in judged]
    alpha = krippendorff_alpha(counts(pairs, (False, True)))
    unmet = tuple(_unmet(judged, alpha, sum(verdicts.n for verdicts in of_all) < n_frame))
    powered = None if unmet else powered_mean(judged, of_all)
    return JudgeFigure(name[0], name[1], len(judged), alpha, unmet, powered)


def _unmet(judged: Sequence[Judged], alpha: float | None, is_partial: bool) -> list[Unmet]:
    conditions = (
        (len(judged) < MIN_N, Unmet.TOO_FEW),
        (sum(not item.is_right for item in judged) < MIN_ERRORS, Unmet.TOO_FEW_ERRORS),
        (alpha is None or alpha < MIN_ALPHA, Unmet.DISAGREES),
        (is_partial, Unmet.NOT_WHOLE_FRAME),
    )
    return [reason for is_unmet, reason in conditions if is_unmet]
