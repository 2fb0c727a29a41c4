"""The number that tells one record from another, whichever way it came."""

from collections.abc import Iterable
from hashlib import sha256
from typing import Final

_N_BYTES: Final = 8


def record_hash(plain: bytes, objects: Iterable[bytes] = ()) -> int:
    """The first 64 bits of a SHA-256 over the record's canonical texts.

    Args:
        plain: The record as JSON, sorted by key, without its large objects and without provenance.
        objects: Those objects as JSON, sorted by key, in the order of their fields.
    """
    digest = sha256(plain)
    for text in objects:
        digest.update(text)
    return int.from_bytes(digest.digest()[:_N_BYTES], "big")
