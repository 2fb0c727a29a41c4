"""Trace and span ids in every spelling that exporters use, to lower hex.

Hex is tried before base64, because 32 hex digits are valid base64 too. Source: the OTLP/JSON
mapping (hex, not base64) and what exporters really send: protobuf's default base64, base64 of the
hex text, UUIDs with dashes, `0x`, Jaeger's 64-bit trace ids, Node buffers, byte arrays.
"""

import base64
import binascii
import re
from typing import Final

TRACE_ID_BYTES: Final = 16
SPAN_ID_BYTES: Final = 8

_HEX = re.compile(r"[0-9a-fA-F]+")
_USUAL = {n: re.compile(rf"(?!0+\Z)[0-9a-f]{{{2 * n}}}") for n in (TRACE_ID_BYTES, SPAN_ID_BYTES)}
"""How nearly every id is written: as it is kept."""
_HEX_BYTES = re.compile(rb"[0-9a-fA-F]+")


def trace_id(value: object) -> str | None:
    """The trace id as 32 lower hex digits; 64-bit ids are padded on the left.

    Returns:
        None for anything that is no id: missing, a number, a wrong length, all zero.
    """
    return _identifier(value, TRACE_ID_BYTES)


def span_id(value: object) -> str | None:
    """The span id as 16 lower hex digits; None as in `trace_id`."""
    return _identifier(value, SPAN_ID_BYTES)


def is_absent(value: object) -> bool:
    """Whether an id is simply not given: missing, empty, or all zeros. A root's parent is."""
    if isinstance(value, str):
        return value.strip().strip("0-") in ("", "x", "X")
    return not any(value) if isinstance(value, bytes) else value is None


def describe(field: str, value: object, n_bytes: int) -> str:
    """The sentence for an id that cannot be read."""
    expected = f"expected {n_bytes * 2} hex digits or the base64 of {n_bytes} bytes"
    return f"{field}: {_problem(value)}: {expected}; check what wrote this record"


def _problem(value: object) -> str:
    if value is None or value in ("", b""):
        return "missing"
    if is_absent(value):
        return "all zeros"
    if isinstance(value, str):
        return f"{value[:40]!r} ({len(value)} characters) is no id"
    if isinstance(value, bytes):
        return f"{len(value)} bytes ({value[:20].hex()}) are no id"
    return f"a {type(value).__name__} is no id"


def _identifier(value: object, n_bytes: int) -> str | None:
    if isinstance(value, bytes):
        return _from_bytes(value, n_bytes)
    if isinstance(value, str):
        return value if _USUAL[n_bytes].fullmatch(value) else _from_text(value, n_bytes)
    if isinstance(value, dict) and value.get("type") == "Buffer":
        value = value.get("data")
    if isinstance(value, list) and all(type(item) is int and 0 <= item < 256 for item in value):
        return _from_bytes(bytes(value), n_bytes)
    return None


def _from_text(value: str, n_bytes: int) -> str | None:
    text = value.strip()
    if text[:2] in ("0x", "0X"):
        text = text[2:]
    if "-" in text:
        text = text.replace("-", "")
    if len(text) in _hex_lengths(n_bytes) and _HEX.fullmatch(text):
        return _checked(text, n_bytes)
    try:
        decoded = base64.b64decode(value.strip(), validate=True)
    except (binascii.Error, ValueError):
        return None
    # Base64 without its padding is refused: ordinary words of 11 letters would pass as ids.
    if not value.strip().endswith("="):
        return None
    if len(decoded) in _hex_lengths(n_bytes) and _HEX_BYTES.fullmatch(decoded):
        return _checked(decoded.decode("ascii"), n_bytes)
    return _from_bytes(decoded, n_bytes)


def _from_bytes(value: bytes, n_bytes: int) -> str | None:
    if len(value) == n_bytes:
        return value.hex() if any(value) else None
    if n_bytes == TRACE_ID_BYTES and len(value) == SPAN_ID_BYTES:
        return _checked(value.hex(), n_bytes)
    if len(value) == n_bytes * 2 and _HEX_BYTES.fullmatch(value):
        return _checked(value.decode("ascii"), n_bytes)
    return None


def _hex_lengths(n_bytes: int) -> tuple[int, ...]:
    return (32, 16) if n_bytes == TRACE_ID_BYTES else (16,)


def _checked(text: str, n_bytes: int) -> str | None:
    padded = text.lower().zfill(n_bytes * 2)
    return padded if padded.strip("0") else None
