"""From what a tool sent to the records its rules read: decoded, unwrapped, never raising."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import orjson

from pipeline.observation.fragment import FragmentKind
from pipeline.observation.inputs import scalar_text
from pipeline.observation.long_list import LongList, long_list
from pipeline.observation.rules.model import ToolRules
from pipeline.vocabulary import ErrorClass

MAX_TEXT: Final = 4_000_000
"""Characters or bytes of text that are read; a longer answer is UNPARSED (`too_large`)."""
MAX_RECORDS: Final = 500
"""Records of one answer that are read; how many were not is told by an UNPARSED fragment
(`records_left_out`)."""
MAX_FACTS: Final = 500
"""Facts of one answer after which no further record is begun; told in the same way."""
MAX_ITEMS: Final = 100_000
"""Items of one list field; a longer one is UNPARSED (`too_many_items`), never half read."""
MAX_PARTS: Final = 100_000
"""Lists and objects that a text may open, counted with the brackets inside its strings; one with
more is UNPARSED (`too_many_parts`). Making them is what reading costs, whatever their size."""

_DIGITS_AS_ZERO: Final = bytes.maketrans(b"123456789", b"000000000")
_LONG_NUMBER: Final = b"0" * 19
"""What every integer that does not fit 64 bits looks like when all digits are zeros."""

_STATUS_CLASSES: Final = {
    "400": ErrorClass.INVALID_ARGUMENT,
    "422": ErrorClass.INVALID_ARGUMENT,
    "401": ErrorClass.AUTH,
    "403": ErrorClass.PERMISSION,
    "404": ErrorClass.NOT_FOUND,
    "408": ErrorClass.TIMEOUT,
    "504": ErrorClass.TIMEOUT,
    "413": ErrorClass.TOO_LARGE,
}


@dataclass(frozen=True, slots=True)
class Payload:
    """The records of an answer, or why there is none."""

    records: Sequence[Mapping[object, object]] = ()
    kind: FragmentKind = FragmentKind.FACT
    """FACT with records; EMPTY, FAILED or UNPARSED without."""
    reason: str | None = None
    error_class: ErrorClass | None = None
    n_left_out: int = 0
    """Records past `MAX_RECORDS`, and members that are no objects."""


def decode(body: object, *, is_lazy: bool = False) -> tuple[object, str | None]:
    """The JSON value of a body, and why there is none (`not_json`, `not_utf8`, `too_large`...).

    Text and bytes are parsed; everything else is taken as a parsed value already.

    Args:
        body: What a tool sent.
        is_lazy: Whether a long list of objects may come as a `LongList`.
    """
    if isinstance(body, bytes | bytearray | memoryview):
        raw = bytes(body[: MAX_TEXT + 1])
        if len(raw) > MAX_TEXT:
            return None, "too_large"
        try:
            body = raw.decode("utf-8-sig")
        except UnicodeDecodeError:
            return None, "not_utf8"
    if not isinstance(body, str):
        return body, None
    if len(body) > MAX_TEXT:
        return None, "too_large"
    return _parse(body, is_lazy=is_lazy)


def unwrap(value: object, rules: ToolRules) -> Payload:
    """The records inside a decoded answer: `data` first, `code` only when data is empty."""
    envelope = rules.envelope
    if isinstance(value, Mapping):
        if envelope.data in value and not _is_field(rules, envelope.data):
            data = value[envelope.data]
            return _without_data(value, rules) if is_empty(data) else _records(data)
        if envelope.code in value and not _has_field(rules, value):
            return _without_data(value, rules)
    return _records(value)


def is_empty(value: object) -> bool:
    """Whether an answer says that there is nothing: null, "", [] or {}."""
    return value is None or (isinstance(value, str | Sequence | Mapping) and len(value) == 0)


def error_class_of(name: object) -> ErrorClass:
    """The class of a failure by its name; UPSTREAM for a name that is no class."""
    try:
        return ErrorClass(str(name))
    except ValueError:
        return ErrorClass.UPSTREAM


def _parse(text: str, *, is_lazy: bool) -> tuple[object, str | None]:
    if not text.strip():
        return None, None
    if len(text) > MAX_PARTS and text.count("{") + text.count("[") > MAX_PARTS:
        return None, "too_many_parts"
    if is_lazy and (records := long_list(text)) is not None:
        return records, None
    try:
        return _value(text), None
    except RecursionError:
        return None, "too_deep"
    except ValueError:
        return None, "not_json"


def _value(text: str) -> object:
    """The JSON value, as `json` reads it; by orjson, in a third of the time, where both agree.

    orjson rounds integers past 64 bits and refuses NaN, infinities and lone surrogates, which
    Python's own reader takes.
    """
    try:
        data = text.encode()
        if _LONG_NUMBER not in data.translate(_DIGITS_AS_ZERO):
            return orjson.loads(data)
    except ValueError:
        pass
    return json.loads(text)


def _is_field(rules: ToolRules, key: object) -> bool:
    """Whether a rule reads its value under this key of the answer itself."""
    declared = any(key == path[0] for rule in rules.fields for path in rule.paths)
    return declared and not rules.envelope.is_declared


def _has_field(rules: ToolRules, value: Mapping[object, object]) -> bool:
    return any(path[0] in value for rule in rules.fields for path in rule.paths)


def _without_data(value: Mapping[object, object], rules: ToolRules) -> Payload:
    envelope = rules.envelope
    code = scalar_text(value.get(envelope.code))
    if code is None or code in envelope.ok_codes:
        return Payload(kind=FragmentKind.EMPTY, reason="no_data")
    known = envelope.error_classes.get(code) or _STATUS_CLASSES.get(code)
    return Payload(
        kind=FragmentKind.FAILED, reason="code", error_class=known or error_class_of(code)
    )


def _records(data: object) -> Payload:
    if is_empty(data):
        return Payload(kind=FragmentKind.EMPTY, reason="no_data")
    if isinstance(data, Mapping):
        return Payload([data])
    if isinstance(data, LongList):
        return Payload(data[:MAX_RECORDS], n_left_out=max(len(data) - MAX_RECORDS, 0))
    if not isinstance(data, list | tuple):
        return Payload(kind=FragmentKind.UNPARSED, reason="not_an_object")
    records = [item for item in data[:MAX_RECORDS] if isinstance(item, Mapping)]
    if not records:
        return Payload(kind=FragmentKind.UNPARSED, reason="not_an_object")
    return Payload(records, n_left_out=len(data) - len(records))
