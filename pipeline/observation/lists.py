"""A list field to one value: which item counts, or what the items amount to."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, tzinfo
from fractions import Fraction
from typing import Final

from pipeline.observation.expression import exact, plain
from pipeline.observation.fragment import ConfidenceOrigin, FragmentKind, Value
from pipeline.observation.ordering import Key, Matched, choose, matching
from pipeline.observation.paths import at_path
from pipeline.observation.payload import MAX_ITEMS
from pipeline.observation.reading import Reading, unparsed
from pipeline.observation.rules.model import FieldRule, ListRule, Strategy
from pipeline.observation.times import day_start
from pipeline.observation.values import MAX_NUMBER, MAX_TEXT_VALUE, read_value

_CHOOSES_LAST: Final = frozenset({Strategy.LATEST_BY_TIME, Strategy.MAX})


def read_list(
    rule: ListRule, raw: object, matched: Matched | None = None
) -> tuple[Reading, datetime | None] | None:
    """The value of a list and, where an item was chosen by time, that time in UTC.

    Args:
        rule: Which item counts.
        raw: What the field holds.
        matched: What earlier fields of the same record found in the same lists; added to.

    Returns:
        None for an empty list that has no value of its own (everything but `count` and `sum`):
        nothing is said then. UNPARSED when it is no list, has too many items, or no item can be
        read; items that cannot be read are passed over as long as one can.
    """
    if not isinstance(raw, list | tuple):
        return unparsed("not_a_list"), None
    if len(raw) > MAX_ITEMS:
        return unparsed("too_many_items"), None
    items = matching(rule, raw, {} if matched is None else matched)
    if rule.strategy is Strategy.COUNT:
        return _aggregate(len(items)), None
    if rule.strategy is Strategy.SUM:
        return _sum(rule, items), None
    if not items:
        return None
    if rule.strategy in (Strategy.JOIN, Strategy.FILTER):
        return _join(rule, items), None
    return _choose(rule, items)


def _choose(rule: ListRule, items: Sequence[object]) -> tuple[Reading, datetime | None]:
    if rule.by is None:
        chosen, moment = (items[0] if rule.strategy is Strategy.FIRST else items[-1]), None
    else:
        best = choose(rule.by, items, _taken, is_last=rule.strategy in _CHOOSES_LAST)
        if best is None:
            return unparsed("no_readable_item"), None
        chosen, moment = items[best.position], _moment(best.key, rule.by.zone)
    reading = _taken(rule.take, chosen)
    if not reading.is_value:
        return reading, moment
    return replace(reading, origin=ConfidenceOrigin.AGGREGATE), moment


def _moment(key: Key, zone: tzinfo | None) -> datetime | None:
    if isinstance(key, datetime):
        return key
    return day_start(key, zone) if isinstance(key, date) else None


def _taken(rule: FieldRule | None, item: object) -> Reading:
    if rule is None:
        return unparsed("no_readable_item")
    if not rule.paths[0]:
        return read_value(rule, item)
    if not isinstance(item, Mapping):
        return unparsed("not_an_object")
    return read_value(rule, at_path(item, rule.paths[0]))


def _sum(rule: ListRule, items: Sequence[object]) -> Reading:
    """The sum, or UNPARSED when one item cannot be read: part of a sum is no sum."""
    total = Fraction(0)
    for item in items:
        value = _taken(rule.take, item).value
        if isinstance(value, bool) or not isinstance(value, int | float):
            return unparsed("not_a_number")
        total += exact(value)
    return _aggregate(plain(total)) if abs(total) <= MAX_NUMBER else unparsed("out_of_range")


def _join(rule: ListRule, items: Sequence[object]) -> Reading:
    readings = [_taken(rule.take, item) for item in items[:MAX_TEXT_VALUE]]
    texts = [_plain_text(reading) for reading in readings if reading.is_value]
    if not texts:
        return unparsed("no_readable_item")
    joined = rule.separator.join(texts)
    is_cut = len(joined) > MAX_TEXT_VALUE or len(items) > MAX_TEXT_VALUE
    return replace(_aggregate(joined[:MAX_TEXT_VALUE]), reason="capped" if is_cut else None)


def _plain_text(reading: Reading) -> str:
    return reading.words[0][1] if reading.words else str(reading.value)


def _aggregate(value: Value) -> Reading:
    return Reading(FragmentKind.FACT, value, ConfidenceOrigin.AGGREGATE)
