"""Which tool was chosen where which was needed, and which two are taken for each other?"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from metrics.intervals import Proportion, proportion_interval
from metrics.selection_accuracy import LabelSource
from metrics.statements import Row, Store, answer
from metrics.values import Interval, Scope

NO_CALL: Final = "NO_CALL"
UNKNOWN: Final = "UNKNOWN"
MIN_SUPPORT: Final = 20
"""A tool with fewer judged decisions is shown and not averaged."""


@dataclass(frozen=True, slots=True)
class Cell:
    """Decisions with one needed and one chosen tool."""

    needed: str
    """NO_CALL where no tool was needed; UNKNOWN where nobody says which was."""
    chosen: str
    """NO_CALL for a turn that asked for none; UNKNOWN for a tool of no registry."""
    n: int
    weight: float
    """Sum of 1 / inclusion probability."""

    @property
    def is_right(self) -> bool:
        """Whether the needed tool was chosen."""
        return self.needed == self.chosen


@dataclass(frozen=True, slots=True)
class ToolScore:
    """One tool of the matrix. Rates are weighted; None without cases."""

    tool_name: str
    n_needed: int
    """Decisions that needed it: its support."""
    n_chosen: int
    precision: float | None
    """Of the decisions that chose it, the share that needed it."""
    recall: float | None
    """Of the decisions that needed it, the share that chose it."""
    f1: float | None


@dataclass(frozen=True, slots=True)
class ConfusablePair:
    """Two tools taken for each other."""

    one: str
    other: str
    """Which comes first in the alphabet is `one`."""
    n: int
    """Decisions that chose one of them where the other was needed."""
    n_needed: int
    """Decisions that needed either."""
    rate: float
    """n over n_needed, weighted."""
    interval: Interval | None
    """Decisions of one trace resemble each other: clustered like accuracy's. None where they lie in
    fewer than two traces."""


@dataclass(frozen=True, slots=True)
class Confusion:
    """The confusion matrix of one source of labels."""

    cells: tuple[Cell, ...]
    """Only those that occur, by needed and chosen."""
    tools: tuple[ToolScore, ...]
    """By support, then by name; NO_CALL is among them."""
    pairs: tuple[ConfusablePair, ...]
    """Worst first, by the lower bound of the interval: those whose contracts need a sentence. Those
    without one come last."""

    @property
    def n(self) -> int:
        """Judged decisions."""
        return sum(cell.n for cell in self.cells)

    @property
    def macro_f1(self) -> float | None:
        """Mean F1 of the tools with enough support; None when none has."""
        known = [tool.f1 for tool in self.tools if tool.n_needed >= MIN_SUPPORT]
        scores = [score for score in known if score is not None]
        return sum(scores) / len(scores) if scores else None


def confusion(database: Store, scope: Scope, source: LabelSource = LabelSource.AUDIT) -> Confusion:
    """Needed against chosen tools over the judged decisions of a scope; empty without any.

    A choice that annotators call acceptable is right: alternatives are not punished. A scope's tool
    keeps the decisions that chose it or needed it.

    Source: S3 §6.1, tools that are mixed up need a sentence that says when not to use them.
    """
    rows = [row for row in answer(database, "confusion", scope) if row["source"] == source]
    cells = tuple(
        Cell(row["needed"], row["chosen"], int(row["n"]), float(row["denominator"]))
        for row in rows
        if not row["is_pair"]
    )
    names = {cell.needed for cell in cells} | {cell.chosen for cell in cells}
    tools = [_score(name, cells) for name in names if name != UNKNOWN]
    tools.sort(key=lambda tool: (-tool.n_needed, tool.tool_name))
    pairs = sorted((_pair(row) for row in rows if row["is_pair"]), key=_worst_first)
    return Confusion(cells, tuple(tools), tuple(pairs))


def _score(name: str, cells: Iterable[Cell]) -> ToolScore:
    needed = [cell for cell in cells if cell.needed == name]
    chosen = [cell for cell in cells if cell.chosen == name]
    right = sum(cell.weight for cell in needed if cell.is_right)
    precision = _share(right, sum(cell.weight for cell in chosen))
    recall = _share(right, sum(cell.weight for cell in needed))
    return ToolScore(
        tool_name=name,
        n_needed=sum(cell.n for cell in needed),
        n_chosen=sum(cell.n for cell in chosen),
        precision=precision,
        recall=recall,
        f1=_harmonic(precision, recall),
    )


def _pair(row: Row) -> ConfusablePair:
    share = Proportion.from_row(row)
    return ConfusablePair(
        one=row["needed"],
        other=row["chosen"],
        n=int(row["n_mixed"]),
        n_needed=share.n,
        rate=share.value or 0.0,
        interval=proportion_interval(share),
    )


def _worst_first(pair: ConfusablePair) -> tuple[bool, float, str, str]:
    low = None if pair.interval is None else pair.interval.low
    return low is None, -(pair.rate if low is None else low), pair.one, pair.other


def _share(part: float, whole: float) -> float | None:
    return part / whole if whole > 0 else None


def _harmonic(precision: float | None, recall: float | None) -> float | None:
    if precision is None or recall is None:
        return None
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
