"""What two readings of one input say differently, statement by statement."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final

from pipeline.observation import (
    CellKind,
    FragmentKind,
    SemanticFragment,
    ValueType,
)
from pipeline.observation.fragment import Words
from replay_store.rereading import Rereading, Statement

KEY_DIGITS: Final = 12
_VALUED: Final = frozenset({CellKind.FACT, CellKind.DERIVED, CellKind.CONFLICT, CellKind.DEGRADED})
_WITH_RAW: Final = frozenset({FragmentKind.UNKNOWN, FragmentKind.UNPARSED})


@dataclass(frozen=True, slots=True)
class Said:
    """What a statement says, without what makes every one its own: the unit of a change class.

    Codes and booleans are kept; of numbers, dates and free text only the type is, so that 12,000
    changed rows come out as the few classes they are.
    """

    kind: FragmentKind
    value_type: ValueType
    value: str | None
    """The code of an enum, `true` or `false`; None for other types."""
    words: Words
    raw: str | None
    """What an enum held that could not be read, as JSON text; None otherwise."""
    reason: str | None
    confidence: float


@dataclass(frozen=True, slots=True)
class Change:
    """One statement that reads differently."""

    fact_type: str
    before: Said | None
    """None when only the draft says something."""
    after: Said | None
    """None when the draft says nothing any more."""

    @property
    def key(self) -> str:
        """Names the class of change: equal for equal changes, in any store and any process."""
        return hashlib.sha256(repr(self).encode("utf-8", "replace")).hexdigest()[:KEY_DIGITS]


def changes(before: Rereading, after: Rereading) -> Iterator[Change]:
    """Every statement that differs, derived facts included; once each."""
    old, new = _by_statement(before), _by_statement(after)
    for statement in dict.fromkeys((*old, *new)):
        gone, come = _differing(old.get(statement, ()), new.get(statement, ()))
        for left, right in zip_longest(gone, come):
            yield Change(
                statement.fact_type,
                None if left is None else _said(left),
                None if right is None else _said(right),
            )


def cells_of(reading: Rereading, kind: CellKind) -> frozenset[str]:
    """The cells of one kind, by their keys."""
    return frozenset(cell.key for cell in reading.resolved.cells if cell.kind is kind)


def _by_statement(reading: Rereading) -> Mapping[Statement, list[SemanticFragment]]:
    found: dict[Statement, list[SemanticFragment]] = defaultdict(list)
    derived = (cell for cell in reading.resolved.cells if cell.kind is CellKind.DERIVED)
    for fragment in (*reading.fragments, *(f for cell in derived for f in cell.evidence)):
        found[Statement(fragment.entity, fragment.type, fragment.source)].append(fragment)
    return found


def _differing(
    old: "list[SemanticFragment] | tuple[()]", new: "list[SemanticFragment] | tuple[()]"
) -> tuple[list[SemanticFragment], list[SemanticFragment]]:
    """What only one side has, in order."""
    common = Counter(f.fact_id for f in old) & Counter(f.fact_id for f in new)
    return _without(old, Counter(common)), _without(new, Counter(common))


def _without(
    fragments: "list[SemanticFragment] | tuple[()]", common: Counter[str]
) -> list[SemanticFragment]:
    left = []
    for fragment in fragments:
        if common[fragment.fact_id] > 0:
            common[fragment.fact_id] -= 1
        else:
            left.append(fragment)
    return left


def _said(fragment: SemanticFragment) -> Said:
    is_enum = fragment.value_type is ValueType.ENUM
    is_closed = is_enum or fragment.value_type is ValueType.BOOLEAN
    return Said(
        kind=fragment.kind,
        value_type=fragment.value_type,
        value=_text(fragment.value) if is_closed else None,
        words=fragment.words,
        raw=fragment.raw if is_enum and fragment.kind in _WITH_RAW else None,
        reason=fragment.reason,
        confidence=fragment.confidence,
    )


def _text(value: object) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return None if value is None else str(value)


def lost_critical(before: Rereading, after: Rereading) -> frozenset[str]:
    """Cells of critical types that gave a value and give none any more, by their keys."""
    kept = {cell.key for cell in after.resolved.cells if cell.kind in _VALUED}
    return frozenset(
        cell.key
        for cell in before.resolved.cells
        if cell.kind in _VALUED and cell.type in before.critical and cell.key not in kept
    )
