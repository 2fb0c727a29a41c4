"""Which items of a list count and which one is chosen: the loops that long lists run through."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime
from fractions import Fraction
from typing import Final, NamedTuple, TypeAlias

from pipeline.observation.expression import exact
from pipeline.observation.fragment import ValueType
from pipeline.observation.inputs import scalar_text
from pipeline.observation.paths import MISSING, at_path
from pipeline.observation.reading import Reading
from pipeline.observation.rules.model import FieldRule, ListRule
from pipeline.observation.times import read_datetime

Key: TypeAlias = Fraction | int | float | date | datetime
Take: TypeAlias = Callable[[FieldRule, object], Reading]
"""Reads what an item gives, by a rule."""
Matched: TypeAlias = dict[tuple[int, tuple[tuple[str, frozenset[str]], ...]], Sequence[object]]
"""The matching items of the lists of one record, by list and condition: several fields share them."""
_MARKS: Final = ("--T::", "-- ::")
"""What stands between the numbers of a time: every third character from the fourth on."""
_OFFSET_LENGTH: Final = len("+08:00")
_OFFSET_SIGNS: Final = ("Z", "+", "-")
_FINEST: Final = len(".000001")


class Chosen(NamedTuple):
    """One item, what it was ordered by, and where it stands."""

    key: Key
    position: int


def matching(rule: ListRule, items: Sequence[object], matched: Matched) -> Sequence[object]:
    """The items that have one of the wanted values under every key of `where`."""
    if not rule.where:
        return items
    identity = (id(items), tuple(rule.where.items()))
    if identity not in matched:
        matched[identity] = items
        for key, wanted in rule.where.items():
            path = tuple(key.split("."))
            kept = matched[identity]
            matched[identity] = [item for item in kept if _text_at(item, path) in wanted]
    return matched[identity]


def choose(by: FieldRule, items: Sequence[object], take: Take, *, is_last: bool) -> Chosen | None:
    """The item with the largest or the smallest key, the first of equal ones; None without any key.

    Args:
        by: What items are ordered by.
        items: Any; those without a readable key are passed over.
        take: Reads a key that is not a time.
        is_last: Whether the largest is wanted.
    """
    if by.value_type is ValueType.DATETIME and by.paths[0]:
        return _by_time(by, items, is_last=is_last)
    return _pick(_keys(by, items, take), is_last=is_last)


def _keys(by: FieldRule, items: Sequence[object], take: Take) -> Iterator[Chosen]:
    """The readable keys, in order of the items; of equal raw values only the first is read."""
    seen: dict[object, int] = {}
    for position, raw in enumerate(_raws(by.paths[0], items)):
        kind = type(raw)
        if kind is str:
            seen.setdefault(raw, position)
        elif kind is int or kind is float:
            seen.setdefault((kind, raw), position)
        else:
            seen[position, None] = position
    for position in seen.values():
        key = _key(take(by, items[position]).value)
        if key is not None:
            yield Chosen(key, position)


def _raws(path: tuple[str, ...], items: Sequence[object]) -> list[object]:
    """What lies at a path of each item; `MISSING` where that has to be found out item by item."""
    if len(path) == 1:
        step = path[0]
        return [item.get(step) if type(item) is dict else MISSING for item in items]
    return [at_path(item, path) if type(item) is dict and path else MISSING for item in items]


def _text_at(item: object, path: tuple[str, ...]) -> str | None:
    if type(item) is dict and len(path) == 1:
        value = item.get(path[0])
        return value if type(value) is str else scalar_text(value)
    return scalar_text(at_path(item, path))


def _key(value: object) -> Key | None:
    if isinstance(value, bool | str) or value is None:
        return None
    if isinstance(value, float):
        return exact(value)
    return value if isinstance(value, int | date) else None


def _pick(found: Iterable[Chosen], *, is_last: bool) -> Chosen | None:
    best: Chosen | None = None
    for chosen in found:
        if best is None or (_is_less(best, chosen) if is_last else _is_less(chosen, best)):
            best = chosen
    return best


def _is_less(one: Chosen, other: Chosen) -> bool:
    return one.key < other.key  # type: ignore[operator]  # keys of one rule are of one kind


def _by_time(by: FieldRule, items: Sequence[object], *, is_last: bool) -> Chosen | None:
    """Times written alike are compared as text, and only the best of each way are read."""
    best: dict[str, tuple[str, int]] = {}
    found: list[Chosen] = []
    path = by.paths[0]
    raws = _raws(path, items)
    for position, raw in enumerate(raws):
        layout = _layout(raw) if type(raw) is str else None
        if layout is None:
            known = at_path(items[position], path) if raw is MISSING else raw
            moment = read_datetime(known, by.formats, by.zone)
            if moment is not None:
                found.append(Chosen(moment, position))
            continue
        text: str = raw  # type: ignore[assignment]  # by its layout
        leader = best.get(layout)
        if leader is None or (text > leader[0] if is_last else text < leader[0]):
            best[layout] = text, position
    for layout, (text, position) in best.items():
        moment = read_datetime(text, by.formats, by.zone)
        chosen = (
            _readable(by, raws, layout, is_last=is_last)
            if moment is None
            else Chosen(moment, position)
        )
        if chosen is not None:
            found.append(chosen)
    found.sort(key=lambda chosen: chosen.position)
    return _pick(found, is_last=is_last)


def _layout(text: str) -> str | None:
    """How a text that looks like ISO 8601 is written: texts of one layout sort as their times do.

    None for what does not look like one, names no offset, or is finer than a microsecond.
    """
    if text[4:17:3] not in _MARKS:
        return None
    end = text[19:]
    if end == "Z" or (len(end) == _OFFSET_LENGTH and end[0] in _OFFSET_SIGNS):
        return text[10] + end
    offset = "Z" if end[-1:] == "Z" else end[-_OFFSET_LENGTH:]
    fraction = end[: -len(offset)]
    if offset[0:1] in _OFFSET_SIGNS and fraction[:1] == "." and len(fraction) <= _FINEST:
        return f"{text[10]}{len(fraction)}{offset}"
    return None


def _readable(
    by: FieldRule, raws: Sequence[object], layout: str, *, is_last: bool
) -> Chosen | None:
    """The first of the best texts of a layout that is a time, when the best of all is none."""
    alike: dict[str, int] = {}
    for position, raw in enumerate(raws):
        if isinstance(raw, str) and _layout(raw) == layout:
            alike.setdefault(raw, position)
    for text in sorted(alike, reverse=is_last):
        moment = read_datetime(text, by.formats, by.zone)
        if moment is not None:
            return Chosen(moment, alike[text])
    return None
