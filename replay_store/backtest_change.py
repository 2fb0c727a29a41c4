"""What two readings of one input say differently, statement by statement."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest

from pipeline.observation import (
    CellKind,
    FragmentKind,
    RuleSet,
    SemanticFragment,
    ValueType,
    parse,
)
from pipeline.observation.fragment import Words
from replay_store.rereading import Rereading, Statement, recorded_context, recorded_outputs
from replay_store.saw import RecordedObservation

_WITH_RAW = frozenset({FragmentKind.UNKNOWN, FragmentKind.UNPARSED})


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


def reads_the_same(recorded: RecordedObservation, base: RuleSet, draft: RuleSet) -> bool:
    """Whether both rule sets make the same statements of an input; quick, by ids only."""
    context = recorded_context(recorded)
    return all(
        [fragment.fact_id for fragment in parse(output, base, context)]
        == [fragment.fact_id for fragment in parse(output, draft, context)]
        for output in recorded_outputs(recorded)
    )


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
