"""The number that tells one record from another, whichever way it came."""

from hashlib import sha256
from typing import Final

_N_BYTES: Final = 8


def record_hash(text: bytes) -> int:
    """The first 64 bits of a SHA-256 over the record's canonical text.

    Args:
        text: The record as JSON, sorted by key, without its large objects and without provenance;
            then those objects as JSON, sorted by key, in the order of their fields.
    """
    return int.from_bytes(sha256(text).digest()[:_N_BYTES], "big")
