"""Arguments of a call in one form, so that equal calls have equal hashes."""

import ast
import hashlib
from functools import lru_cache
from typing import Any, Final, NamedTuple

import orjson

from ingest.dialects.values import parsed, text


class Arguments(NamedTuple):
    """The arguments of one call."""

    text: str
    """As written."""
    hash: int
    """64 bits over the canonical form; equal for calls that mean the same."""
    is_valid: bool
    """False when the written text is neither JSON nor a Python literal, nor a plain value."""


_REMEMBERED_LENGTH: Final = 4096
_WRAPPERS = frozenset({"args", "kwargs", "sanitize_inputs_outputs", "inputs", "tags", "metadata"})
_INPUTS = _WRAPPERS | {"input_str", "name"}
"""What stands beside `inputs` where those are the arguments."""


def read_arguments(value: Any) -> Arguments | None:
    """The arguments of a call; None when the span does not show any.

    JSON text is read through up to three encodings; wrappers of frameworks (`{"args": [],
    "kwargs": {...}}`) are taken off; an empty text means no arguments.
    """
    if value is None:
        return None
    if isinstance(value, str) and len(value) <= _REMEMBERED_LENGTH:
        return _remembered(value)
    return _read(value)


@lru_cache(maxsize=512)
def _remembered(value: str) -> Arguments:
    """A request, its run and its repeats carry the same text: it is read once."""
    return _read(value)


def _read(value: Any) -> Arguments:
    written = text(value) or ""
    content = _content(value)
    is_valid = not (isinstance(content, str) and content.lstrip()[:1] in ("{", "["))
    canonical = orjson.dumps(_canonical(_unwrapped(content)), option=orjson.OPT_SORT_KEYS)
    return Arguments(written, _hash(canonical), is_valid)


def _content(value: Any) -> Any:
    content = parsed(value)
    if content in (None, ""):
        return {}
    if isinstance(content, str) and content.lstrip()[:1] in ("{", "["):
        return _literal(content)
    return content


def _literal(written: str) -> Any:
    """A Python literal (`{'a': 1}`), as some frameworks write one; the text itself when it is none."""
    try:
        return ast.literal_eval(written) if len(written) < 100_000 else written
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return written


def _unwrapped(value: Any) -> Any:
    if isinstance(value, dict) and len(value) > 1 and _INPUTS.issuperset(value):
        inputs = value.get("inputs")
        if isinstance(inputs, dict) and inputs:
            return inputs
    while isinstance(value, dict) and "kwargs" in value and _WRAPPERS.issuperset(value):
        if value.get("args"):
            return {"args": value["args"], **(value["kwargs"] or {})}
        value = value["kwargs"] or {}
    return value


def _canonical(value: Any) -> Any:
    if type(value) is str:
        return value.strip()
    if isinstance(value, dict):
        return {str(key): _canonical(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [_canonical(item) for item in value]
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    return value if isinstance(value, (int, float, bool, type(None))) else str(value)


def _hash(data: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(data, digest_size=8).digest())
