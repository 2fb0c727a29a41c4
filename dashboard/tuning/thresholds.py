"""Thresholds beside the numbers that were recorded: where they lie, and what moving one would flip."""

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from pipeline.observation import RuleSet
from pipeline.observation.bands import Band
from pipeline.observation.expression import Number, exact
from pipeline.observation.rules import DerivedRule
from replay_store.rule_values import RecordedValues

__all__ = [
    "Banded",
    "Flip",
    "Measured",
    "banded",
    "flips",
    "measured",
    "nice_step",
    "wanted_types",
]


@dataclass(frozen=True, slots=True)
class Banded:
    """Something that thresholds turn into words: a derived fact, or a numeric field."""

    file: str | None
    """Of the field; None for a derived fact, whose file is the domain's."""
    name: str
    """The field, or the derived fact type."""
    fact_type: str
    bands: tuple[Band, ...]
    formula: str | None
    """Of a derived fact."""

    @property
    def is_derived(self) -> bool:
        """Whether it is a formula's."""
        return self.formula is not None

    @property
    def seams(self) -> tuple[Fraction, ...]:
        """Where two intervals meet, lowest first."""
        return tuple(band.high for band in self.bands if band.high is not None)


@dataclass(frozen=True, slots=True)
class Measured:
    """One number that was recorded, and where."""

    value: Fraction
    n: int
    trace_ids: frozenset[str]
    example: tuple[str, str]
    """Trace and span of one observation."""


@dataclass(frozen=True, slots=True)
class Flip:
    """What would be said otherwise, from one interval to another."""

    before: Band
    after: Band
    n: int
    """Facts."""
    n_traces: int
    example: tuple[str, str]


def banded(rules: RuleSet) -> tuple[Banded, ...]:
    """Everything that has thresholds, derived facts first."""
    derived = [
        Banded(None, rule.fact_type, rule.fact_type, rule.bands, rule.expression.text)
        for rule in rules.derived
        if rule.bands
    ]
    fields = [
        Banded(tool.file, rule.name, rule.fact_type, rule.bands, None)
        for tool in rules.tools
        for rule in tool.fields
        if rule.bands
    ]
    return (*derived, *fields)


def wanted_types(rules: RuleSet, found: Banded) -> tuple[str, ...]:
    """The fact types whose recorded values it is made of."""
    if not found.is_derived:
        return (found.fact_type,)
    by_type = {rule.fact_type: rule for rule in rules.derived}
    wanted: dict[str, None] = {}
    waiting = [found.fact_type]
    while waiting:
        rule = by_type.get(name := waiting.pop())
        if rule is None:
            wanted[name] = None
        else:
            waiting.extend(rule.expression.names)
    return tuple(sorted(wanted))


def measured(
    rules: RuleSet, found: Banded, recorded: Iterable[RecordedValues]
) -> tuple[Measured, ...]:
    """The numbers that the thresholds are laid on, lowest first; equal ones together.

    Entities of which a part of the formula was not recorded have none.
    """
    numbers: dict[Fraction, Measured] = {}
    for item in recorded:
        value = _number_of(rules, found, item.values)
        if value is None:
            continue
        known = numbers.get(value)
        numbers[value] = (
            Measured(value, item.n, item.trace_ids, item.example)
            if known is None
            else Measured(value, known.n + item.n, known.trace_ids | item.trace_ids, known.example)
        )
    return tuple(numbers[value] for value in sorted(numbers))


def flips(before: Sequence[Band], after: Sequence[Band], numbers: Iterable[Measured]) -> list[Flip]:
    """What other intervals would say of the same numbers, most facts first."""
    found: dict[tuple[str, str], list[Measured]] = defaultdict(list)
    bands: dict[tuple[str, str], tuple[Band, Band]] = {}
    for item in numbers:
        old, new = _band(before, item.value), _band(after, item.value)
        if old is not None and new is not None and old.code != new.code:
            found[old.code, new.code].append(item)
            bands[old.code, new.code] = (old, new)
    made = [
        Flip(
            *bands[key],
            sum(item.n for item in items),
            len(frozenset[str]().union(*(item.trace_ids for item in items))),
            items[0].example,
        )
        for key, items in found.items()
    ]
    return sorted(made, key=lambda flip: (-flip.n, flip.before.code, flip.after.code))


def nice_step(low: float, high: float) -> float:
    """A step of 1, 2 or 5 times a power of ten, about a two-hundredth of the way; never 0."""
    width = (high - low) / 200
    if width <= 0:
        return 0.01
    power = 10.0 ** math.floor(math.log10(width))
    return next(float(m * power) for m in (1, 2, 5, 10) if m * power >= width)


def _number_of(rules: RuleSet, found: Banded, values: Mapping[str, str]) -> Fraction | None:
    numbers = {
        name: number for name, text in values.items() if (number := _number(text)) is not None
    }
    if not found.is_derived:
        number = numbers.get(found.fact_type)
        return None if number is None else exact(number)
    for rule in rules.derived:
        value = _evaluated(rule, numbers)
        if rule.fact_type == found.fact_type:
            return None if value is None else exact(value)
        if value is not None and not rule.bands:
            numbers.setdefault(rule.fact_type, value)
    return None


def _evaluated(rule: DerivedRule, numbers: Mapping[str, Number]) -> Number | None:
    if not numbers.keys() >= set(rule.expression.names):
        return None
    value = rule.expression.evaluate(numbers)
    return None if value is None or isinstance(value, bool) else value


def _number(text: str | None) -> Number | None:
    try:
        value = json.loads(text or "")
    except (ValueError, RecursionError):
        return None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if is_number and math.isfinite(value) else None


def _band(bands: Sequence[Band], value: Fraction) -> Band | None:
    """The interval that holds a number; None where a moved threshold leaves it in none."""
    return next((band for band in bands if band.holds(value)), None)
