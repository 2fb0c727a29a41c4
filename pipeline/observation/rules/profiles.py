"""What recorded answers hold, path by path: the counts that a drafted rule file is made from."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from pipeline.observation.payload import decode, is_empty
from pipeline.observation.rules.model import Envelope

MAX_DEPTH: Final = 4
"""Levels of objects inside objects that are looked into."""
MAX_FIELDS: Final = 200
MAX_DISTINCT: Final = 50
"""Distinct values that are counted of each field."""
MAX_ITEMS: Final = 200
"""Items of each list that are looked at."""
_SCALARS: Final = (str, int, float, bool)


@dataclass(slots=True)
class FieldProfile:
    """What was found at one path."""

    path: tuple[str, ...]
    n_present: int = 0
    """Records that hold something there, null included."""
    n_null: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    """JSON types of what is not null: string, number, boolean, list, object."""
    values: Counter[str] = field(default_factory=Counter)
    """The first `MAX_DISTINCT` distinct texts, with how often each was met."""
    is_open: bool = False
    """There were more distinct texts than are counted."""
    items: "AnswerProfile | None" = None
    """Of lists of objects: what the objects hold."""
    item_kinds: Counter[str] = field(default_factory=Counter)
    n_several: int = 0
    """Answers of several records all of which hold a text there."""
    n_telling: int = 0
    """Those of them in which no two records hold the same one."""


@dataclass(slots=True)
class AnswerProfile:
    """What was found in some records."""

    n_records: int = 0
    fields: dict[tuple[str, ...], FieldProfile] = field(default_factory=dict)
    n_left_out: int = 0
    """Fields past `MAX_FIELDS`, and keys that a path cannot name."""


@dataclass(frozen=True, slots=True)
class Recordings:
    """The records in some recorded answers."""

    profile: AnswerProfile
    has_envelope: bool
    """Whether the records lie under `data`."""
    n_answers: int
    n_read: int
    """Answers that hold at least one record."""
    n_empty: int
    n_unreadable: int


def profile_answers(bodies: Sequence[object]) -> Recordings:
    """Count what recorded answers hold.

    Args:
        bodies: Distinct answers, parsed or as text. Text that is no JSON counts as unreadable.
    """
    decoded = [value for value, problem in map(decode, bodies) if problem is None]
    has_envelope = _has_envelope(decoded)
    profile = AnswerProfile()
    n_read = n_empty = 0
    for value in decoded:
        data = value.get(Envelope().data) if has_envelope and isinstance(value, Mapping) else value
        members = data if isinstance(data, list) else [data]
        records = [member for member in members if isinstance(member, Mapping) and member]
        n_read += bool(records)
        n_empty += is_empty(data)
        for record in records[:MAX_ITEMS]:
            _count(profile, record)
        _count_telling(profile, records[:MAX_ITEMS])
    n_unreadable = len(bodies) - n_read - n_empty
    return Recordings(profile, has_envelope, len(bodies), n_read, n_empty, n_unreadable)


def _has_envelope(values: Iterable[object]) -> bool:
    objects = [value for value in values if isinstance(value, Mapping)]
    data = Envelope().data
    return bool(objects) and all(
        data in value and isinstance(value[data], Mapping | list | None) for value in objects
    )


def _count_telling(profile: AnswerProfile, records: Sequence[Mapping[object, object]]) -> None:
    """Which texts tell the records of one answer apart."""
    for path, found in profile.fields.items() if len(records) > 1 else ():
        texts = [record.get(path[0]) for record in records] if len(path) == 1 else []
        if texts and all(isinstance(text, str) and text for text in texts):
            found.n_several += 1
            found.n_telling += len(set(texts)) == len(texts)


def _count(profile: AnswerProfile, record: Mapping[object, object]) -> None:
    profile.n_records += 1
    _count_object(profile, record, ())


def _count_object(
    profile: AnswerProfile, record: Mapping[object, object], path: tuple[str, ...]
) -> None:
    for key, value in record.items():
        if not isinstance(key, str) or not key or "." in key or len(key) > 200:
            profile.n_left_out += 1
            continue
        place = (*path, key)
        if isinstance(value, Mapping) and value and len(place) < MAX_DEPTH:
            _count_object(profile, value, place)
        elif place in profile.fields or len(profile.fields) < MAX_FIELDS:
            _count_value(profile.fields.setdefault(place, FieldProfile(place)), value)
        else:
            profile.n_left_out += 1


def _count_value(found: FieldProfile, value: object) -> None:
    found.n_present += 1
    if value is None:
        found.n_null += 1
        return
    found.kinds[_kind(value)] += 1
    if isinstance(value, list):
        _count_items(found, value[:MAX_ITEMS])
    elif isinstance(value, _SCALARS):
        text = str(value).lower() if isinstance(value, bool) else str(value)[:201]
        if text in found.values or len(found.values) < MAX_DISTINCT:
            found.values[text] += 1
        else:
            found.is_open = True


def _count_items(found: FieldProfile, items: Sequence[object]) -> None:
    for item in items:
        found.item_kinds[_kind(item)] += 1
        if isinstance(item, Mapping) and item:
            found.items = found.items or AnswerProfile()
            _count(found.items, item)


def _kind(value: object) -> str:
    match value:
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
        case list():
            return "list"
        case _:
            return "object"
