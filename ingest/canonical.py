"""The identity of a record: the hash of its canonical form, provenance left out."""

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any, NamedTuple

import orjson

from ingest.redaction import Redactor
from ingest.text import storable


class Canonical(NamedTuple):
    """The fields of a record as they are stored, and their hash."""

    fields: dict[str, Any]
    record_hash: int
    is_repaired: bool
    """Whether some text had to be escaped to be storable."""
    n_redacted: int = 0
    """Values that were taken out."""


def canonical(fields: dict[str, Any], redactor: Redactor | None = None) -> Canonical:
    """The fields with every text storable, and the 64-bit hash of their sorted JSON.

    The same export gives the same hash as JSON and as protobuf, in any file, at any time.

    Args:
        fields: Columns by name, without provenance; nested values are JSON values.
        redactor: Takes out what must not be kept; the hash is that of what is left.
    """
    text, kept, is_repaired = _dumped(fields), fields, False
    if text is None or b"\\u0000" in text:
        kept = {name: repaired_value(value) for name, value in fields.items()}
        text, is_repaired = orjson.dumps(kept, option=orjson.OPT_SORT_KEYS), kept != fields
    if redactor is None or not (hits := redactor.hits(text)):
        return Canonical(kept, _hash(text), is_repaired)
    cleaned = redactor.fields(kept, hits)
    text = orjson.dumps(cleaned.value, option=orjson.OPT_SORT_KEYS)
    return Canonical(cleaned.value, _hash(text), is_repaired, cleaned.n_removed)


def repaired_value(value: Any) -> Any:
    """A JSON value with every text in it storable, keys included."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, dict):
        return {storable(key): repaired_value(item) for key, item in value.items()}
    if isinstance(value, list):
        return [repaired_value(item) for item in value]
    return value


def _dumped(fields: Mapping[str, Any]) -> bytes | None:
    """Sorted JSON; None for lone surrogates, which it cannot hold."""
    try:
        return orjson.dumps(fields, option=orjson.OPT_SORT_KEYS)
    except TypeError:
        return None


def _hash(text: bytes) -> int:
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big")
