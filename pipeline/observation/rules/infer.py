"""Recorded answers to the draft of a rule file: what is there, for its owner to name and to prune.

A draft says what was counted and guesses nothing about meaning: no display words, no thresholds, no
confidence. It always loads.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from pipeline.observation.preview import MASK
from pipeline.observation.rules.compile import RESERVED
from pipeline.observation.rules.load import load_rules
from pipeline.observation.rules.profiles import (
    AnswerProfile,
    FieldProfile,
    Recordings,
    profile_answers,
)
from pipeline.observation.rules.yaml_write import comment, quoted
from pipeline.observation.times import compile_format, read_date, read_datetime

MAX_ENUM: Final = 12
"""Distinct values up to which a text may be an enum."""
_MIN_SEEN: Final = 3
"""How often an enum's values were met on average, at least."""
_MAX_CODE: Final = 40
_FORMATS: Final = ("%Y/%m/%d", "%Y年%m月%d日", "%d %b %Y", "%Y/%m/%d %H:%M:%S")
_ID: Final = re.compile(r"(?P<type>.*?)_?(id|no|number|code|sn)", re.IGNORECASE)
_NAMES_TYPE: Final = re.compile(r"[A-Za-z]", re.ASCII)
"""What a field's name begins with when it can be the name of a fact type."""
_PSEUDONYM: Final = re.compile(r"anon-[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class Draft:
    """A drafted rule file and what it was drafted from."""

    text: str
    """YAML; loads as it stands."""
    recordings: Recordings
    entity_candidates: tuple[str, ...]
    """Fields that may name what an answer is about, the best first."""


def draft_rules(tool: str, bodies: Sequence[object]) -> Draft | None:
    """A draft of the rule file of one tool.

    Args:
        tool: Its name.
        bodies: Its distinct recorded answers.

    Returns:
        None when no answer holds a record: nothing can be said then.
    """
    found = profile_answers(bodies)
    fields = _fields(found.profile)
    if not fields:
        return None
    candidates = _entity_candidates(found.profile)
    types = _declared_types(fields)
    lines = [*_head(tool, found), *_entity(candidates)]
    if types:
        lines.append(f"fact_types: {{{', '.join(f'{name}: {{}}' for name in types.values())}}}")
    lines.append("output_schema:")
    for name, field in fields.items():
        lines += _field(name, field, found.profile.n_records, types.get(name))
    text = "\n".join(lines) + "\n"
    load_rules({"draft.yaml": text})  # a draft that does not load would be a bug here
    return Draft(text, found, tuple(".".join(path) for path in candidates))


def _head(tool: str, found: Recordings) -> Iterator[str]:
    yield comment(
        f"Drafted from {found.n_answers} distinct recorded answers: {found.n_read} with records, "
        f"{found.n_empty} empty, {found.n_unreadable} not readable."
    )
    yield comment("Say what the values mean (label, mapping), and delete what no model needs.")
    if found.profile.n_left_out:
        yield comment(f"{found.profile.n_left_out} values lie where no path leads; left out.")
    yield f"name: {quoted(tool)}"
    yield 'version: "1"'
    if found.has_envelope:
        yield "envelope: {data: data, code: code}"


def _entity(candidates: Sequence[tuple[str, ...]]) -> Iterator[str]:
    if not candidates:
        yield comment("No field names what an answer is about; declare `entity` if one does.")
        return
    best = candidates[0]
    matched = _ID.fullmatch(best[-1])
    entity_type = (matched["type"] if matched else "") or best[-1]
    yield comment(f"Entity candidates, best first: {len(candidates)}.")
    yield f"entity: {{type: {quoted(entity_type.lower())}, id: {quoted('.'.join(best))}}}"
    for other in candidates[1:5]:
        yield comment(f"or id: {quoted('.'.join(other))}")
    yield f"required_keys: [{quoted(best[0])}]"


def _entity_candidates(profile: AnswerProfile) -> list[tuple[str, ...]]:
    """What nearly every record has and what may name it, the most telling apart first.

    Fields named like ids come before texts that merely tell the records of each answer apart.
    """
    steady = [
        field
        for field in profile.fields.values()
        if field.n_present - field.n_null >= 0.95 * profile.n_records > 0
    ]
    ids = [f for f in steady if _ID.fullmatch(f.path[-1]) and set(f.kinds) <= {"string", "number"}]
    names = [field for field in steady if field not in ids and _is_telling(field)]
    for found in (ids, names):
        found.sort(key=lambda f: (len(f.path), not f.is_open, -len(f.values), f.path))
    return [field.path for field in (*ids, *names)]


def _is_telling(field: FieldProfile) -> bool:
    """Whether a short text that is no time tells the records apart in every answer of several."""
    values = list(field.values)
    return (
        field.n_several >= _MIN_SEEN
        and field.n_telling == field.n_several
        and all(0 < len(value) <= _MAX_CODE and value != MASK for value in values)
        and _formats_for(values, _reads_date) is None
        and _formats_for(values, _reads_datetime) is None
    )


def _fields(profile: AnswerProfile) -> dict[str, FieldProfile]:
    """The fields that hold something, by a name of their own."""
    named: dict[str, FieldProfile] = {}
    for path, field in profile.fields.items():
        if field.kinds and set(field.kinds) != {"object"} and len(".".join(path)) <= 200:
            name = "_".join(path)
            while name in named:
                name += "_"
            named[name] = field
    return named


def _declared_types(fields: Iterable[str]) -> dict[str, str]:
    """Fact types for the fields whose own name gives none, numbered in their order."""
    nameless = [name for name in fields if not _NAMES_TYPE.match(name) or name.upper() in RESERVED]
    return {name: f"FIELD_{number}" for number, name in enumerate(nameless, start=1)}


def _field(name: str, field: FieldProfile, n_records: int, fact_type: str | None) -> Iterator[str]:
    n_absent = n_records - (field.n_present - field.n_null)
    kinds = ", ".join(f"{kind} {n}" for kind, n in field.kinds.most_common())
    yield f"  - name: {quoted(name)}"
    if (name,) != field.path:
        yield f"    path: {quoted('.'.join(field.path))}"
    yield f"    {comment(f'{kinds}; absent or null in {n_absent} of {n_records}')}"
    if fact_type is not None:
        yield f"    fact_type: {fact_type}"
    yield from (f"    {line}" for line in _reading(field))
    if n_absent:
        yield "    optional: true"
    if any(value == MASK or _PSEUDONYM.fullmatch(value) for value in field.values):
        yield "    sensitive: true"


def _reading(field: FieldProfile) -> Iterator[str]:
    kind = field.kinds.most_common(1)[0][0]
    if kind == "list":
        yield from _list(field)
    elif kind != "string":
        yield f"type: {kind}" if kind != "object" else "type: string"
    else:
        yield from _text(field)


def _text(field: FieldProfile) -> Iterator[str]:
    values = list(field.values)
    for type_name, reads in (("date", _reads_date), ("datetime", _reads_datetime)):
        formats = _formats_for(values, reads)
        if formats is not None:
            yield f"type: {type_name}"
            if formats:
                yield f"formats: [{', '.join(map(quoted, formats))}]"
            return
    if _is_enum(field):
        yield "type: enum"
        yield "values:"
        for value, n in sorted(field.values.items(), key=lambda pair: (-pair[1], pair[0])):
            yield f"  - {quoted(value)}  {comment(str(n))}"
        return
    yield "type: string"


def _list(field: FieldProfile) -> Iterator[str]:
    yield "type: list"
    items = _item_types(field.items)
    if not items or field.item_kinds.most_common(1)[0][0] != "object":
        yield f"extract_strategy: {'join' if field.items is None else 'count'}"
        return
    timed = [name for name, type_name in items.items() if type_name == "datetime"]
    yield f"extract_strategy: {'latest_by_time' if timed and len(items) > 1 else 'count'}"
    yield "item_schema:"
    for name, type_name in items.items():
        yield f"  - {{name: {quoted(name)}, type: {type_name}}}"


def _item_types(items: AnswerProfile | None) -> dict[str, str]:
    """The plain fields of a list's objects; an enum of items is left a string."""
    if items is None:
        return {}
    types: dict[str, str] = {}
    for path, field in items.fields.items():
        kind = field.kinds.most_common(1)[0][0] if field.kinds else "object"
        if len(path) == 1 and kind in ("string", "number", "boolean"):
            line = next(_text(field)) if kind == "string" else f"type: {kind}"
            types[path[0]] = line.removeprefix("type: ").replace("enum", "string")
    return types


def _is_enum(field: FieldProfile) -> bool:
    n_seen = sum(field.values.values())
    return (
        not field.is_open
        and len(field.values) <= MAX_ENUM
        and n_seen >= _MIN_SEEN * len(field.values)
        and not _ID.fullmatch(field.path[-1])
        and all(0 < len(value) <= _MAX_CODE and value != MASK for value in field.values)
    )


def _reads_date(text: str, formats: Sequence[str]) -> bool:
    return read_date(text, [compile_format(form) for form in formats]) is not None


def _reads_datetime(text: str, formats: Sequence[str]) -> bool:
    return read_datetime(text, [compile_format(form) for form in formats], None) is not None


def _formats_for(
    values: Sequence[str], reads: Callable[[str, Sequence[str]], bool]
) -> tuple[str, ...] | None:
    """The declared formats that read every value, none for ISO alone; None when none do."""
    needed: list[str] = []
    for value in values:
        if reads(value, needed):
            continue
        fitting = [form for form in _FORMATS if reads(value, [form])]
        if not fitting:
            return None
        needed.append(fitting[0])
    return tuple(needed)
