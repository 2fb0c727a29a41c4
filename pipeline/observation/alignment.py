"""The log of CSA: what became of the evidence of each cell on its way to a fact or a conflict.

Written for people who debug; it decides nothing. A cell with one piece of evidence has no step.
Source: S0 §5.2 (the debug prompt shows the alignment log), §4.3 (what alignment does).
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from pipeline.observation.fragment import VALUED, FragmentKind, SemanticFragment
from pipeline.observation.resolved import (
    AlignmentStep,
    Alternative,
    Cell,
    CellKey,
    CellKind,
    StepKind,
)


def alignment_steps(
    evidence: Mapping[CellKey, Sequence[SemanticFragment]], cells: Iterable[Cell]
) -> tuple[AlignmentStep, ...]:
    """The steps of some cells, in their order.

    Args:
        evidence: Everything that was said about each cell, replaced answers included.
        cells: What it was resolved to; derived cells have no steps of their own.
    """
    return tuple(
        step
        for cell in cells
        if len(said := evidence.get((cell.entity, cell.type), ())) > 1
        for step in _steps(cell, said)
    )


def _steps(cell: Cell, said: Sequence[SemanticFragment]) -> Iterator[AlignmentStep]:
    yield from _merged(cell, said)
    yield from _superseded(cell, said)
    yield from _set_aside(cell)
    for alternative in cell.alternatives:
        if len(alternative.sources) > 1:
            yield _step(StepKind.CORROBORATED, cell, alternatives=(alternative,))
    if cell.kind is CellKind.CONFLICT:
        yield _step(StepKind.CONFLICT, cell, alternatives=cell.alternatives)


def _merged(cell: Cell, said: Sequence[SemanticFragment]) -> Iterator[AlignmentStep]:
    by_statement: dict[str, list[SemanticFragment]] = defaultdict(list)
    for fragment in said:
        by_statement[fragment.fact_id].append(fragment)
    for same in by_statement.values():
        if len(same) > 1:
            yield _step(StepKind.MERGED, cell, tuple(same))


def _superseded(cell: Cell, said: Sequence[SemanticFragment]) -> Iterator[AlignmentStep]:
    known = {fragment.fact_id for fragment in cell.evidence}
    for fragment in said:
        if fragment.fact_id not in known:
            now = tuple(f for f in cell.evidence if f.source == fragment.source)
            yield _step(StepKind.SUPERSEDED, cell, (fragment,), stands=now)


def _set_aside(cell: Cell) -> Iterator[AlignmentStep]:
    valued = [f for f in cell.evidence if f.kind in VALUED]
    has_ordinary = any(f.kind is not FragmentKind.DEGRADED for f in valued)
    for fragment in cell.evidence:
        is_fallback = has_ordinary and fragment.kind is FragmentKind.DEGRADED
        if valued and (fragment.kind not in VALUED or is_fallback):
            yield _step(StepKind.SET_ASIDE, cell, (fragment,))


def _step(
    kind: StepKind,
    cell: Cell,
    evidence: tuple[SemanticFragment, ...] = (),
    *,
    stands: tuple[SemanticFragment, ...] = (),
    alternatives: tuple[Alternative, ...] = (),
) -> AlignmentStep:
    return AlignmentStep(kind, cell.entity, cell.type, evidence, stands, alternatives)
