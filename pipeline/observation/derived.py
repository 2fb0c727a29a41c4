"""Derived facts: declared formulas over facts that are present. Never an imputation."""

from collections.abc import Mapping, Sequence

from pipeline.observation.bands import band_of
from pipeline.observation.expression import Number
from pipeline.observation.fragment import (
    ConfidenceOrigin,
    EntityRef,
    FragmentKind,
    SemanticFragment,
    ValueType,
)
from pipeline.observation.hooks import RULES_PARSER
from pipeline.observation.resolved import Cell, CellKind
from pipeline.observation.rules.model import DerivedRule

CONFIDENCE_FACTOR = 0.95
"""What a formula costs: the smallest confidence of its inputs times this."""
_INPUT_KINDS = frozenset({CellKind.FACT, CellKind.DERIVED})


def derive_fact(rule: DerivedRule, cells: Mapping[str, Cell]) -> SemanticFragment | None:
    """The fact a formula gives for one entity.

    Args:
        rule: The formula.
        cells: The entity's cells by type, earlier derived ones included.

    Returns:
        None when an input is absent, in conflict, degraded or no number, when the formula has no
        result (division by zero), or when a tool said the fact itself.
    """
    inputs = _inputs(rule, cells)
    if inputs is None or rule.fact_type in cells:
        return None
    result = rule.expression.evaluate(_numbers(inputs))
    if result is None:
        return None
    return _fragment(rule, inputs, result)


def _inputs(rule: DerivedRule, cells: Mapping[str, Cell]) -> list[Cell] | None:
    inputs = [cells[name] for name in rule.expression.names if name in cells]
    is_whole = len(inputs) == len(rule.expression.names) > 0
    return inputs if is_whole and all(_is_number(cell) for cell in inputs) else None


def _is_number(cell: Cell) -> bool:
    is_numeric = isinstance(cell.value, int | float) and not isinstance(cell.value, bool)
    return cell.kind in _INPUT_KINDS and is_numeric


def _numbers(inputs: Sequence[Cell]) -> dict[str, Number]:
    return {
        cell.type: cell.value
        for cell in inputs
        if isinstance(cell.value, int | float) and not isinstance(cell.value, bool)
    }


def _fragment(rule: DerivedRule, inputs: Sequence[Cell], result: Number | bool) -> SemanticFragment:
    value, words, value_type = result, (), _type_of(result)
    if rule.bands and not isinstance(result, bool):
        band = band_of(rule.bands, result)
        value, words, value_type = band.code, band.words, ValueType.ENUM  # type: ignore[assignment]
    evidence = [fragment for cell in inputs for fragment in cell.evidence]
    observed = [fragment.observed_at for fragment in evidence]
    known = [moment for moment in observed if moment is not None]
    return SemanticFragment(
        type=rule.fact_type,
        kind=FragmentKind.DERIVED,
        value=value,
        confidence=round(min(cell.confidence for cell in inputs) * CONFIDENCE_FACTOR, 6),
        confidence_origin=ConfidenceOrigin.DERIVED,
        source=f"derived.{rule.fact_type}",
        entity=_entity(inputs),
        tool="derived",
        words=words,
        value_type=value_type,
        observed_at=min(known) if len(known) == len(observed) else None,
        reason=rule.expression.text,
        parser_version=RULES_PARSER,
        derived_from=tuple(fact_id for cell in inputs for fact_id in cell.fact_ids),
    )


def _type_of(result: Number | bool) -> ValueType:
    return ValueType.BOOLEAN if isinstance(result, bool) else ValueType.NUMBER


def _entity(inputs: Sequence[Cell]) -> EntityRef:
    return inputs[0].entity
