"""Bounded JSON text of anything: never raises, never walks more than it shows.

What fits is JSON that reads back as the same value; what does not ends in `…`.
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Final, TypeAlias

RAW_LIMIT: Final = 500
"""Characters of a raw value that a fragment keeps."""
MASK: Final = "***"
"""What stands where a sensitive value was."""
Masks: TypeAlias = Mapping[str, Callable[[object], str]]
"""By key: what to show instead of the value beneath it."""
_NO_MASKS: Final[Masks] = {}
_ESCAPES: Final = str.maketrans(
    {chr(code): f"\\u{code:04x}" for code in range(32)}
    | {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
)
_json_quoted: Final = json.encoder.encode_basestring
_PLAIN: Final = frozenset({str, int, float, bool, type(None)})
_LONGEST_ESCAPE: Final = len("\\u0000")
_SHORTEST_ITEM: Final = len("0, ")
_SHORTEST_PAIR: Final = len('"": 0, ')
_MAX_INT_BITS: Final = 4096


class _Pair(tuple[object, object]):
    __slots__ = ()


class _Mark(str):
    """Punctuation on the stack, told apart from text of the value."""

    __slots__ = ()


_COMMA: Final = _Mark(", ")


def preview(value: object, limit: int = RAW_LIMIT, masks: Masks = _NO_MASKS) -> str:
    """The value as JSON-like text of at most `limit` characters, with `…` where it was cut.

    Values under a key in `masks` show as that function says, at any depth.

    Works without recursion, so depth does not matter, and stops after `limit` characters, so size
    does not either. Objects that are not JSON show as `<type>`.
    """
    if type(value) is str and len(value) * _LONGEST_ESCAPE + 2 <= limit:
        return _quoted(value, limit)  # fits whatever has to be escaped: the short way
    parts: list[str] = []
    room = limit
    stack: list[object] = [value]
    while stack:
        part = _part(stack.pop(), stack, limit, masks)
        parts.append(part)
        room -= len(part)
        if room < 0:
            return "".join(parts)[: limit - 1] + "…"
    return "".join(parts)


def _part(item: object, stack: list[object], limit: int, masks: Masks) -> str:
    """The text with which an item begins; what follows it goes on the stack."""
    if isinstance(item, _Mark):
        return item
    if type(item) is dict and (flat := _flat(item, limit, masks)) is not None:
        return flat
    if type(item) in _PLAIN:
        return _scalar(item, limit)
    if isinstance(item, _Pair):
        key = item[0] if isinstance(item[0], str) else _scalar(item[0], limit)
        mask = masks.get(key)
        stack.append(item[1] if mask is None else mask(item[1]))
        return f"{_quoted(key, limit)}: "
    if isinstance(item, list | tuple):
        stack += _reversed(item[: limit // _SHORTEST_ITEM + 1], "]")
        return "["
    if isinstance(item, Mapping):
        head = islice(item.items(), limit // _SHORTEST_PAIR + 1)
        stack += _reversed([_Pair(pair) for pair in head], "}")
        return "{"
    return _scalar(item, limit)


def _flat(item: dict[object, object], limit: int, masks: Masks) -> str | None:
    """An object of a few plain values, as most are, in one go; None for any other."""
    if len(item) > limit // _SHORTEST_PAIR:
        return None
    pairs = []
    for key, value in item.items():
        if type(key) is not str or key in masks:
            return None
        if type(value) is str:
            pairs.append(f"{_json_quoted(key[:limit])}: {_json_quoted(value[:limit])}")
        elif type(value) in _PLAIN:
            pairs.append(f"{_json_quoted(key[:limit])}: {_scalar(value, limit)}")
        else:
            return None
    text = f"{{{', '.join(pairs)}}}"
    return None if "\\b" in text or "\\f" in text else text


def _reversed(items: Sequence[object], end: str) -> list[object]:
    """The items with commas between them and their end, for a stack: the last one first."""
    stack: list[object] = [_COMMA] * (2 * len(items))
    stack[:1] = [_Mark(end)]
    stack[1::2] = reversed(items)
    return stack


def _scalar(value: object, limit: int) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _quoted(value, limit)
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, int):
        return str(value) if value.bit_length() < _MAX_INT_BITS else "<huge number>"
    if isinstance(value, bytes):
        return _quoted(value[:limit].decode("utf-8", "backslashreplace"), limit)
    return f"<{type(value).__name__}>"


def _float(value: float) -> str:
    if math.isfinite(value):
        return repr(value)
    return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")


def _quoted(text: str, limit: int) -> str:
    quoted = _json_quoted(text[: limit + 1])
    if "\\b" in quoted or "\\f" in quoted:  # perhaps what JSON writes shorter than we do
        return f'"{text[: limit + 1].translate(_ESCAPES)}"'
    return quoted
