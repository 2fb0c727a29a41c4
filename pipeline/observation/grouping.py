"""Cells by entity: what belongs together, what does not belong here, and how healthy it all is."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from pipeline.observation.evidence import Evidence
from pipeline.observation.fragment import TOOL_RESULT, EntityRef, ValueType
from pipeline.observation.inputs import Context
from pipeline.observation.phrases import reads_like_instruction
from pipeline.observation.privacy import entity_ref
from pipeline.observation.resolved import Cell, CellKind, Group, Health, Signal, SignalName
from pipeline.observation.rules.model import RuleSet

TOOL_ENTITY = "tool"
"""The entity type of facts about answers as a whole."""


def primary_entity(rules: RuleSet, context: Context) -> EntityRef | None:
    """What the question is about, as facts refer to it; None when the context does not say."""
    if context.primary is None:
        return None
    return entity_ref(rules, *context.primary, context.pseudonym_key)


def related_entities(rules: RuleSet, context: Context) -> frozenset[EntityRef]:
    """The entities that the context itself relates to the primary one, by declared relation."""
    if context.primary is None:
        return frozenset()
    return frozenset(
        entity_ref(
            rules, relation.type, context.values[relation.context_key], context.pseudonym_key
        )
        for relation in rules.relations
        if relation.belongs_to == context.primary.type and relation.context_key in context.values
        if relation.context_key is not None
    )


def grouped(
    cells: Sequence[Cell],
    primary: EntityRef | None,
    rules: RuleSet | None,
    related: frozenset[EntityRef],
) -> tuple[tuple[Group, ...], EntityRef | None]:
    """Groups in the order of prompts, and the primary entity.

    Cells whose type refers to another entity relate the two and are not shown.
    """
    links, shown = _links(cells, rules)
    if primary is None:
        primary = _only_entity(shown)
    relations = related | frozenset(to for start, to in links if start == primary)
    by_group: dict[EntityRef, list[Cell]] = defaultdict(list)
    for cell in shown:
        is_related = primary is not None and cell.entity in relations
        by_group[primary if is_related and primary else cell.entity].append(cell)
    ordered = sorted(by_group, key=lambda entity: _group_order(entity, primary))
    groups = tuple(
        Group(entity, entity == primary, tuple(sorted(by_group[entity], key=_cell_order(rules))))
        for entity in ordered
    )
    return groups, primary


def mismatches(snapshot: Evidence, primary: EntityRef | None) -> tuple[Signal, ...]:
    """Tools that named entities of the question's type, but not the question's own."""
    if primary is None:
        return ()
    named: dict[str, set[EntityRef]] = defaultdict(set)
    for fragment in snapshot:
        if fragment.entity.type == primary.type and not fragment.is_entity_from_context:
            named[fragment.tool].add(fragment.entity)
    return tuple(
        Signal(SignalName.ENTITY_MISMATCH, tool, primary, tuple(sorted(named[tool])))
        for tool in sorted(named)
        if primary not in named[tool]
    )


def instruction_texts(snapshot: Evidence) -> tuple[Signal, ...]:
    """Free texts that read like instructions to the model, once for each tool, entity and type."""
    found = {
        Signal(SignalName.INSTRUCTION_TEXT, f.tool, f.entity, (), f.type)
        for f in snapshot
        if f.value_type is ValueType.STRING and isinstance(f.value, str)
        if not f.words and reads_like_instruction(f.value)
    }
    return tuple(sorted(found, key=lambda s: (s.tool, s.expected, s.fact_type or "")))


def health_of(groups: Iterable[Group]) -> Health:
    """Counts over all cells; facts about answers count under failed, empty and unparsed only."""
    cells = [cell for group in groups for cell in group.cells]
    facts = [cell for cell in cells if cell.type != TOOL_RESULT]
    total = sum(cell.confidence for cell in facts)
    return Health(
        n_cells=len(facts),
        n_multi_source_cells=sum(1 for cell in facts if _is_multi_source(cell)),
        n_conflicts=_count(facts, CellKind.CONFLICT),
        n_unknown=_count(facts, CellKind.UNKNOWN),
        n_unparsed=_count(cells, CellKind.UNPARSED),
        n_failed=_count(cells, CellKind.FAILED),
        n_empty=_count(cells, CellKind.EMPTY),
        n_degraded=_count(cells, CellKind.DEGRADED),
        mean_confidence=round(total / len(facts), 6) if facts else None,
    )


def _is_multi_source(cell: Cell) -> bool:
    sources = {source for alternative in cell.alternatives for source in alternative.sources}
    return len(sources) > 1 or cell.kind is CellKind.CONFLICT


def _count(cells: Iterable[Cell], kind: CellKind) -> int:
    return sum(1 for cell in cells if cell.kind is kind)


def _links(
    cells: Sequence[Cell], rules: RuleSet | None
) -> tuple[set[tuple[EntityRef, EntityRef]], list[Cell]]:
    links, shown = set(), []
    for cell in cells:
        known = rules.fact_types.get(cell.type) if rules is not None else None
        if known is None or known.refers_to is None:
            shown.append(cell)
        elif isinstance(cell.value, str):
            links.add((cell.entity, EntityRef(known.refers_to, cell.value)))
    return links, shown


def _only_entity(cells: Sequence[Cell]) -> EntityRef | None:
    entities = {cell.entity for cell in cells if cell.entity.type != TOOL_ENTITY}
    return entities.pop() if len(entities) == 1 else None


def _group_order(entity: EntityRef, primary: EntityRef | None) -> tuple[int, EntityRef]:
    if entity == primary:
        return 0, entity
    return (2 if entity.type == TOOL_ENTITY else 1), entity


class _cell_order:  # noqa: N801  # a sort key with a parameter
    """Sorts cells as the rule files list their types."""

    def __init__(self, rules: RuleSet | None) -> None:
        self._types = rules.fact_types if rules is not None else {}

    def __call__(self, cell: Cell) -> tuple[int, str, EntityRef]:
        known = self._types.get(cell.type)
        return (known.position if known else len(self._types)), cell.type, cell.entity
