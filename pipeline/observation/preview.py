"""Bounded JSON text of anything: never raises, never walks more than it shows.

What fits is JSON that reads back as the same value; what does not ends in `…`.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
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
    length = 0
    for part in _parts(value, limit, masks):
        parts.append(part)
        length += len(part)
        if length > limit:
            return "".join(parts)[: limit - 1] + "…"
    return "".join(parts)


def _parts(value: object, limit: int, masks: Masks) -> Iterator[str]:
    stack: list[object] = [value]
    while stack:
        item = stack.pop()
        if type(item) is _Mark:
            yield item
        elif type(item) in _PLAIN:
            yield _scalar(item, limit)
        elif isinstance(item, _Pair):
            key = item[0] if isinstance(item[0], str) else _scalar(item[0], limit)
            yield f"{_quoted(key, limit)}: "
            mask = masks.get(key)
            stack.append(item[1] if mask is None else mask(item[1]))
        elif isinstance(item, list | tuple):
            yield "["
            stack += _reversed(item[: limit // _SHORTEST_ITEM + 1], "]")
        elif isinstance(item, Mapping):
            yield "{"
            head = islice(item.items(), limit // _SHORTEST_PAIR + 1)
            stack += _reversed([_Pair(pair) for pair in head], "}")
        else:
            yield _scalar(item, limit)


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
    return f'"{text[: limit + 1].translate(_ESCAPES)}"'
