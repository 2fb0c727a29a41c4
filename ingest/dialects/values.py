"""Reading attribute values: the first key that is there, as the type that is wanted."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import orjson

Attributes: TypeAlias = Mapping[str, Any]
Keys: TypeAlias = Sequence[str]


def first(attributes: Attributes, keys: Keys) -> Any:
    """The value of the first key that is present and not empty; None without one."""
    for key in keys:
        value = attributes.get(key)
        if value is not None and value != "":
            return value
    return None


def text(value: Any) -> str | None:
    """The value as text: strings as they are, everything else as JSON; None stays None."""
    if value is None or isinstance(value, str):
        return value
    return orjson.dumps(value).decode()


def number(value: Any) -> int | None:
    """The value as a whole number; None for anything that is not one."""
    if isinstance(value, bool) or value is None:
        return None
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError):
        return None


def parsed(value: Any) -> Any:
    """JSON text as its value (at most three layers deep); anything else as it is."""
    for _ in range(3):
        if not isinstance(value, str):
            return value
        try:
            value = orjson.loads(value)
        except orjson.JSONDecodeError:
            return value
    return value


def items(value: Any) -> list[Any]:
    """The value as a list: JSON text is read, one object becomes a list of one, else empty."""
    value = parsed(value)
    if isinstance(value, list):
        return value
    return [value] if isinstance(value, dict) else []


def unflatten(attributes: Attributes, prefix: str) -> list[dict[str, Any]]:
    """Index-flattened attributes (`<prefix>.0.a.b`) as a list of nested objects, by index.

    Indexes only order the objects: an absurd one costs nothing.
    """
    found: dict[int, dict[str, Any]] = {}
    start = prefix + "."
    for key, value in attributes.items():
        if key.startswith(start):
            index, _, path = key[len(start) :].partition(".")
            if index.isdecimal() and path:
                _put(found.setdefault(int(index), {}), path.split("."), value)
    return [found[index] for index in sorted(found)]


def numbered(value: Any) -> list[Any]:
    """The values of an object whose keys are indexes (`{"0": ..., "1": ...}`), by index."""
    if not isinstance(value, dict):
        return []
    return [value[key] for key in sorted((k for k in value if k.isdecimal()), key=int)]


def _put(target: dict[str, Any], path: Sequence[str], value: Any) -> None:
    for part in path[:-1]:
        inner = target.get(part)
        if not isinstance(inner, dict):
            inner = target[part] = {}
        target = inner
    target[path[-1]] = value
