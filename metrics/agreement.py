"""Do people who judge the same decisions say the same?"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from typing import Final
from uuid import UUID

from metrics.rater_agreement import (
    alpha_interval,
    cohen_kappa,
    counts,
    gwet_ac1,
    krippendorff_alpha,
    raw_agreement,
)
from metrics.statements import Row, Store, answer
from metrics.values import Interval
from pipeline.vocabulary import SelectionLabel

RELIABLE: Final = 0.800
TENTATIVE: Final = 0.667
"""Krippendorff 2004, §11.4: rely above .800, conclude tentatively from .667 on."""
MIN_PAIRS: Final = 60
"""Fewer decisions judged twice cannot tell a poor agreement from a good one."""
_VERDICTS: Final = (0, 1)
_LABELS: Final = tuple(str(label) for label in SelectionLabel if label != SelectionLabel.CANT_TELL)


class Band(StrEnum):
    """What an agreement is good for."""

    RELIABLE = "reliable"
    TENTATIVE = "tentative"
    UNRELIABLE = "unreliable"
    """Mend the guide before anything else."""
    TOO_FEW = "too_few"
    """Fewer than `MIN_PAIRS` decisions were judged twice."""
    NO_VARIETY = "no_variety"
    """Everybody always said the same thing: nothing was put to the test."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far raters agree in one question."""

    n_units: int
    """Decisions that two or more judged."""
    raw: float | None
    """Share of pairs that agree; None without a pair."""
    alpha: float | None
    """Krippendorff's; None without a pair or without variety."""
    interval: Interval | None
    """Of alpha."""
    ac1: float | None
    """Gwet's; None without a pair."""

    @property
    def band(self) -> Band:
        """What it is good for, by alpha."""
        if self.n_units < MIN_PAIRS:
            return Band.TOO_FEW
        if self.alpha is None:
            return Band.NO_VARIETY
        if self.alpha >= RELIABLE:
            return Band.RELIABLE
        return Band.TENTATIVE if self.alpha >= TENTATIVE else Band.UNRELIABLE


@dataclass(frozen=True, slots=True)
class RaterPair:
    """Two raters over the decisions that both judged."""

    one: str
    other: str
    n: int
    raw: float
    kappa: float | None
    """Cohen's, of right and wrong selections; None without variety."""


@dataclass(frozen=True, slots=True)
class RaterAgreement:
    """Agreement on the draw: in the verdict that the accuracy counts, and in the label itself."""

    selection: Agreement
    """Whether the tool was right."""
    label: Agreement
    """Which of the labels."""
    pairs: tuple[RaterPair, ...]
    """By names; only who judged something together."""


def agreement(database: Store, batch_id: UUID) -> RaterAgreement:
    """Agreement of the people who labelled an audit draw, before adjudication.

    The latest label of each person counts. Without decisions judged twice every figure is None.

    Source: evaluation practice (bands: Krippendorff 2004; AC1 because accuracy is lopsided).
    """
    rows = answer(database, "agreement", batch_id=batch_id)
    return RaterAgreement(
        selection=_agreement(_by_unit(rows, "is_selection_ok"), _VERDICTS),
        label=_agreement(_by_unit(rows, "label"), _LABELS),
        pairs=tuple(_pairs(rows)),
    )


def _by_unit(rows: Iterable[Row], column: str) -> list[list[Hashable]]:
    found: dict[int, list[Hashable]] = defaultdict(list)
    for row in rows:
        found[row["position"]].append(row[column])
    return list(found.values())


def _agreement(units: Sequence[Sequence[Hashable]], categories: Sequence[Hashable]) -> Agreement:
    found = counts(units, categories)
    return Agreement(
        n_units=sum(len(unit) >= 2 for unit in units),
        raw=raw_agreement(found),
        alpha=krippendorff_alpha(found),
        interval=alpha_interval(found),
        ac1=gwet_ac1(found),
    )


def _pairs(rows: Iterable[Row]) -> Iterable[RaterPair]:
    given: dict[str, dict[int, int]] = defaultdict(dict)
    for row in rows:
        given[row["annotator"]][row["position"]] = row["is_selection_ok"]
    for one, other in combinations(sorted(given), 2):
        both = sorted(given[one].keys() & given[other].keys())
        if not both:
            continue
        said = [given[one][at] for at in both], [given[other][at] for at in both]
        n_same = sum(a == b for a, b in zip(*said, strict=True))
        yield RaterPair(one, other, len(both), n_same / len(both), cohen_kappa(*said))
