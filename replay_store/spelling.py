"""What a pasted text may name: ids in every spelling, and the words beside them. Pure.

People paste what they have: a `traceparent` header, a line of a log, an address, the decimal id of
another tracer, the first digits of an id. Nothing here knows which of it is in a store.
"""

import base64
import binascii
import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

__all__ = ["MIN_PREFIX", "Spelled", "hashed_trace_id", "spelled"]

MIN_PREFIX: Final = 6
"""Digits that the beginning of an id needs, so that few ids share it."""
_MAX_CHARS: Final = 20_000
_MAX_WORDS: Final = 40
_MAX_WORD_CHARS: Final = 300
_LEAST_WORD_CHARS: Final = 4
_TRACE_DIGITS: Final = 32
_SPAN_DIGITS: Final = 16

_QUOTES: Final = "\"'`<>()[]{},;.…*"
_INVISIBLE: Final = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")
_HEX: Final = re.compile(r"[0-9a-f]+")
_WHOLE_ID: Final = re.compile(r"(?<![0-9a-fA-F])[0-9a-fA-F]{32}(?![0-9a-fA-F])")
_HALF_ID: Final = re.compile(r"(?<![0-9a-fA-F])[0-9a-fA-F]{16}(?![0-9a-fA-F])")
_UUID: Final = re.compile(r"(?<![0-9a-fA-F-])[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_BASE64: Final = re.compile(r"(?<![\w+/-])[\w+/-]{11,43}={1,2}(?![\w=])", re.ASCII)
_BARE_BASE64: Final = re.compile(r"(?:[\w+/-]{11}|[\w+/-]{22}|[\w+/-]{43})", re.ASCII)
_DECIMAL: Final = re.compile(r"(?<![\w.])[0-9]{10,39}(?![\w.])", re.ASCII)
_NAMED_PREFIX: Final = re.compile(
    r"trace[_.-]?id[\"']?\s*[=:]\s*[\"']?(?:0x)?([0-9a-f]{6,31})(?![0-9a-f])", re.IGNORECASE
)
_BETWEEN_WORDS: Final = re.compile(r"[\s\"'`<>(){}\[\],;|&?=]+")


@dataclass(frozen=True, slots=True)
class Spelled:
    """What a text may name, in the order in which it is to be believed."""

    trace_ids: tuple[str, ...]
    """Whole trace ids, 32 lower hex digits."""
    span_ids: tuple[str, ...]
    """16 lower hex digits: spans, or the lower half of a trace id that a 64-bit tracer tells."""
    prefixes: tuple[str, ...]
    """Beginnings of trace ids, 6 to 31 lower hex digits."""
    words: tuple[str, ...]
    """What may be the id of a session, a task or a call, or an idempotency key: the text, its parts."""


def spelled(text: str) -> Spelled:
    """Everything that a pasted text may name; empty tuples for a text that can name nothing."""
    whole = _INVISIBLE.sub("", text[:_MAX_CHARS]).strip().strip(_QUOTES).strip()
    plain = unquote(whole, errors="replace")
    compact = re.sub(r"[\s:_-]", "", whole).lower().removeprefix("0x")
    digits = compact if _HEX.fullmatch(compact) else ""
    return Spelled(
        trace_ids=_distinct(_trace_ids(plain, whole, digits)),
        span_ids=_distinct(_span_ids(plain, whole, digits)),
        prefixes=_distinct(_prefixes(plain, digits)),
        words=_distinct(_words(whole, plain)),
    )


def hashed_trace_id(container: str, native: str) -> str:
    """The trace id that stands for one which is not OpenTelemetry's: 32 lower hex digits."""
    text = f"{container}|{native}".encode("utf-8", "surrogatepass")
    return hashlib.sha256(text).hexdigest()[:_TRACE_DIGITS]


def _trace_ids(plain: str, whole: str, digits: str) -> Iterator[str]:
    yield from (match[0].lower() for match in _WHOLE_ID.finditer(plain))
    yield from (match[0].replace("-", "").lower() for match in _UUID.finditer(plain))
    if MIN_PREFIX <= len(digits) <= _TRACE_DIGITS:
        yield digits.zfill(_TRACE_DIGITS)
    for data in _decoded(plain, whole):
        if len(data) == _TRACE_DIGITS // 2:
            yield data.hex()
        elif len(data) == _TRACE_DIGITS and _HEX.fullmatch(data.decode("ascii", "replace").lower()):
            yield data.decode("ascii").lower()
    for number in _numbers(plain):
        if number < 1 << 128:
            yield f"{number:032x}"


def _span_ids(plain: str, whole: str, digits: str) -> Iterator[str]:
    yield from (match[0].lower() for match in _HALF_ID.finditer(plain))
    if MIN_PREFIX <= len(digits) <= _SPAN_DIGITS:
        yield digits.zfill(_SPAN_DIGITS)
    for data in _decoded(plain, whole):
        if len(data) == _SPAN_DIGITS // 2:
            yield data.hex()
    for number in _numbers(plain):
        if number < 1 << 64:
            yield f"{number:016x}"


def _prefixes(plain: str, digits: str) -> Iterator[str]:
    if MIN_PREFIX <= len(digits) < _TRACE_DIGITS:
        yield digits
    yield from (match[1].lower() for match in _NAMED_PREFIX.finditer(plain))


def _numbers(plain: str) -> Iterator[int]:
    yield from (int(match[0]) for match in _DECIMAL.finditer(plain))


def _decoded(plain: str, whole: str) -> Iterator[bytes]:
    found = [match[0] for match in _BASE64.finditer(plain)]
    if _BARE_BASE64.fullmatch(whole):
        found.append(whole)
    for text in found:
        padded = text.rstrip("=")
        padded += "=" * (-len(padded) % 4)
        try:
            yield base64.b64decode(padded.translate(_URL_SAFE), validate=True)
        except binascii.Error:
            continue


_URL_SAFE: Final = str.maketrans("-_", "+/")


def _words(whole: str, plain: str) -> Iterator[str]:
    if 0 < len(whole) <= _MAX_WORD_CHARS:
        yield whole
    parts = (part.strip(_QUOTES + ":") for part in _BETWEEN_WORDS.split(plain))
    fitting = (part for part in parts if _LEAST_WORD_CHARS <= len(part) <= _MAX_WORD_CHARS)
    for _, part in zip(range(_MAX_WORDS), fitting, strict=False):
        yield part
        yield from _after_colon(part)


def _after_colon(part: str) -> Iterator[str]:
    """`session:conv-7` may be a session, or a session's name and its id."""
    _, colon, rest = part.partition(":")
    if colon and len(rest) >= _LEAST_WORD_CHARS:
        yield rest


def _distinct(found: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(item for item in found if item.strip("0")))
