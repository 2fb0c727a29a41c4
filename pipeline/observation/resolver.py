"""CSA, second half: facts, conflicts, ages and derived facts, read out of a snapshot.

`align` keeps everything; `resolve` reads. It arbitrates nothing: distinct values of one cell are a
CONFLICT with every value in it; equal values corroborate. Only one thing is settled: of one source,
the newest answer stands, because a source that answers again replaces what it said.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from pipeline.observation.alignment import alignment_steps
from pipeline.observation.derived import derive_fact
from pipeline.observation.evidence import Evidence
from pipeline.observation.fragment import (
    TOOL_RESULT,
    VALUED,
    EntityRef,
    FragmentKind,
    SemanticFragment,
    Value,
)
from pipeline.observation.grouping import grouped, health_of, instruction_texts, mismatches
from pipeline.observation.resolved import Alternative, Cell, CellKey, CellKind, ResolvedSnapshot
from pipeline.observation.rules.model import RuleSet

_WITHOUT_VALUE = (
    FragmentKind.FAILED,
    FragmentKind.UNPARSED,
    FragmentKind.UNKNOWN,
    FragmentKind.EMPTY,
)


def resolve(
    snapshot: Evidence,
    query_time: datetime | None,
    primary_entity: EntityRef | None = None,
    *,
    rules: RuleSet | None = None,
    related: Iterable[EntityRef] = (),
) -> ResolvedSnapshot:
    """What a snapshot says at a moment.

    Args:
        snapshot: The evidence.
        query_time: When the question was asked; ages count back from it. None gives no ages.
        primary_entity: What the question is about; shown first. When None and the snapshot is
            about one entity, that one.
        rules: Gives derived facts, the order of types, and relations. None gives none of them.
        related: Entities that the context relates to the primary one (`related_entities`).
    """
    said = _by_cell(snapshot)
    cells = [_cell(evidence, query_time) for evidence in said.values()]
    steps = alignment_steps(said, cells)
    if rules is not None:
        cells += _derived(cells, rules, query_time)
    groups, primary = grouped(cells, primary_entity, rules, frozenset(related))
    return ResolvedSnapshot(
        snapshot_hash=snapshot.content_hash,
        query_time=query_time,
        primary=primary,
        groups=groups,
        signals=(*mismatches(snapshot, primary_entity), *instruction_texts(snapshot)),
        health=health_of(groups),
        steps=steps,
    )


def _by_cell(snapshot: Evidence) -> dict[CellKey, list[SemanticFragment]]:
    found: dict[CellKey, list[SemanticFragment]] = defaultdict(list)
    for fragment in snapshot:
        found[fragment.entity, fragment.type].append(fragment)
    return found


def _standing(evidence: Sequence[SemanticFragment]) -> list[SemanticFragment]:
    """The evidence without answers that their own source has replaced; timeless ones stay."""
    newest: dict[str, datetime] = {}
    for fragment in evidence:
        moment = fragment.observed_at
        if moment is not None and moment >= newest.get(fragment.source, moment):
            newest[fragment.source] = moment
    return [
        fragment
        for fragment in evidence
        if fragment.observed_at is None or fragment.observed_at == newest[fragment.source]
    ]


def _cell(evidence: Sequence[SemanticFragment], query_time: datetime | None) -> Cell:
    standing = _standing(evidence)
    valued = [fragment for fragment in standing if fragment.kind in VALUED]
    ordinary = [fragment for fragment in valued if fragment.kind is not FragmentKind.DEGRADED]
    speaking = ordinary or valued
    alternatives = _alternatives(speaking)
    if len(alternatives) > 1:
        return _conflict(standing, speaking, alternatives, query_time)
    if not speaking:
        speaking = _without_value(standing)
    best = _best(speaking)
    return Cell(
        entity=best.entity,
        type=best.type,
        kind=CellKind(best.kind),
        value=best.value,
        words=best.words,
        value_type=best.value_type,
        confidence=best.confidence,
        age_seconds=_age(best, query_time),
        observed_at=best.observed_at,
        valid_at=best.valid_at,
        reason=best.reason,
        alternatives=alternatives,
        evidence=tuple(standing),
    )


def _conflict(
    standing: Sequence[SemanticFragment],
    speaking: Sequence[SemanticFragment],
    alternatives: tuple[Alternative, ...],
    query_time: datetime | None,
) -> Cell:
    newest = max(speaking, key=lambda fragment: _moment(fragment.observed_at))
    return Cell(
        entity=newest.entity,
        type=newest.type,
        kind=CellKind.CONFLICT,
        value=None,
        words=(),
        value_type=newest.value_type,
        confidence=round(sum(a.confidence for a in alternatives) / len(alternatives), 6),
        age_seconds=_age(newest, query_time),
        observed_at=newest.observed_at,
        valid_at=None,
        reason=None,
        alternatives=alternatives,
        evidence=tuple(standing),
    )


def _alternatives(speaking: Sequence[SemanticFragment]) -> tuple[Alternative, ...]:
    by_value: dict[object, list[SemanticFragment]] = defaultdict(list)
    for fragment in speaking:
        by_value[_identity(fragment.value)].append(fragment)
    alternatives = []
    for same in by_value.values():
        best = _best(same)
        sources = tuple(sorted({fragment.source for fragment in same}))
        alternatives.append(Alternative(best.value, best.words, best.confidence, sources))
    return tuple(sorted(alternatives, key=lambda a: (-a.confidence, str(a.value), a.sources)))


def _identity(value: Value) -> object:
    """What makes values equal: numbers by size (1 is 1.0), never a number and a boolean."""
    kind = "number" if _is_number(value) else type(value).__name__
    return kind, value


def _is_number(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _best(fragments: Sequence[SemanticFragment]) -> SemanticFragment:
    return min(fragments, key=lambda f: (-f.confidence, -_moment(f.observed_at), f.fact_id))


def _without_value(standing: Sequence[SemanticFragment]) -> list[SemanticFragment]:
    for kind in _WITHOUT_VALUE:
        found = [fragment for fragment in standing if fragment.kind is kind]
        if found:
            return found
    return list(standing)


def _moment(moment: datetime | None) -> float:
    return float("-inf") if moment is None else moment.timestamp()


def _age(fragment: SemanticFragment, query_time: datetime | None) -> int | None:
    start = fragment.valid_at if fragment.ages_from_event else fragment.observed_at
    if start is None or query_time is None:
        return None
    return int((query_time - start).total_seconds())


def _derived(cells: Sequence[Cell], rules: RuleSet, query_time: datetime | None) -> list[Cell]:
    by_entity: dict[EntityRef, dict[str, Cell]] = defaultdict(dict)
    for cell in cells:
        if cell.type != TOOL_RESULT:
            by_entity[cell.entity][cell.type] = cell
    return [
        cell
        for entity in sorted(by_entity)
        for cell in _derived_of(by_entity[entity], rules, query_time)
    ]


def _derived_of(
    cells: Mapping[str, Cell], rules: RuleSet, query_time: datetime | None
) -> list[Cell]:
    known, derived = dict(cells), []
    for rule in rules.derived:
        fragment = derive_fact(rule, known)
        if fragment is not None:
            cell = _cell([fragment], query_time)
            known[cell.type] = cell
            derived.append(cell)
    return derived
