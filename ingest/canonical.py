"""The identity of a record: the hash of its canonical form, provenance left out."""

from collections.abc import Collection, Sequence
from typing import Any, Final, NamedTuple

import orjson

from ingest.redaction import Redactor
from ingest.text import storable
from replay_store.json_object import JsonObject
from replay_store.record_hash import record_hash

_OBJECTS: Final = ("attributes", "resource")
"""Fields that are objects of their own in the store: written once, for the hash and the column."""

_NUL: Final = b"\\u0000"


class Canonical(NamedTuple):
    """The fields of a record as they are stored, and their hash."""

    fields: dict[str, Any]
    record_hash: int
    is_repaired: bool
    """Whether some text had to be escaped to be storable."""
    n_redacted: int = 0
    """Values that were taken out."""
    n_bytes: int = 0
    """Length of that JSON."""


def canonical(fields: dict[str, Any], redactor: Redactor | None = None) -> Canonical:
    """The fields with every text storable, and the 64-bit hash of their sorted JSON.

    The same export gives the same hash as JSON and as protobuf, in any file, at any time.

    Args:
        fields: Columns by name, without provenance; nested values are JSON values. Taken over: its
            objects are replaced by ones that know their text.
        redactor: Takes out what must not be kept; the hash is that of what is left.
    """
    item, is_repaired = _storable(fields)
    hits = redactor.hits(item.text) if redactor else ()
    if redactor and hits:
        return _cleaned(item, redactor, hits, is_repaired=is_repaired)
    return item.form(is_repaired=is_repaired)


def canonical_all(
    records: Sequence[dict[str, Any]], redactor: Redactor | None = None
) -> list[Canonical]:
    """The canonical form of each of several records, in their order."""
    written = [_storable(fields) for fields in records]
    hits = [redactor.hits(item.text) if redactor else () for item, _ in written]
    return [
        _cleaned(item, redactor, found, is_repaired=is_repaired)
        if redactor and found
        else item.form(is_repaired=is_repaired)
        for (item, is_repaired), found in zip(written, hits, strict=True)
    ]


def repaired_value(value: Any) -> Any:
    """A JSON value with every text in it storable, keys included."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, dict):
        return {storable(key): repaired_value(item) for key, item in value.items()}
    if isinstance(value, list):
        return [repaired_value(item) for item in value]
    return value


class _Written(NamedTuple):
    """A record and its JSON: all the rest first, then its objects, each as it is stored."""

    fields: dict[str, Any]
    text: bytes

    def form(self, *, is_repaired: bool, n_redacted: int = 0) -> Canonical:
        known = record_hash(self.text)
        return Canonical(self.fields, known, is_repaired, n_redacted, len(self.text))


def _storable(fields: dict[str, Any]) -> tuple[_Written, bool]:
    """The record with every text storable, and whether one had to be escaped for it."""
    try:
        written = _write(fields)
    except TypeError:  # a lone surrogate, which JSON cannot hold
        written = None
    if written is not None and _NUL not in written.text:
        return written, False
    repaired = {name: repaired_value(value) for name, value in fields.items()}
    return _write(repaired), repaired != fields


def _cleaned(
    item: _Written, redactor: Redactor, hits: Collection[int], *, is_repaired: bool
) -> Canonical:
    cleaned = redactor.fields(item.fields, hits)
    if not cleaned.n_removed:
        return item.form(is_repaired=is_repaired)
    return _write(cleaned.value).form(is_repaired=is_repaired, n_redacted=cleaned.n_removed)


def _write(fields: dict[str, Any]) -> _Written:
    rest, objects = fields.copy(), []
    for name in _OBJECTS:
        if (value := rest.pop(name, None)) is not None:
            written = fields[name] = value if type(value) is JsonObject else JsonObject(value)
            objects.append(written.text)
    return _Written(fields, b"".join((orjson.dumps(rest, option=orjson.OPT_SORT_KEYS), *objects)))
