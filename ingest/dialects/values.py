"""Reading attribute values: the first key that is there, as the type that is wanted."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple, TypeAlias

import orjson

Attributes: TypeAlias = Mapping[str, Any]
Keys: TypeAlias = Sequence[str]

_MAX_NAMES: Final = 256
_MAX_NAMES_LENGTH: Final = 16 * 1024
"""Of the names whose plan is remembered."""
_MAX_DIGITS: Final = 1000
"""Python reads no number of many more."""


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
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()


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
    names = tuple(attributes)
    if len(names) > _MAX_NAMES or sum(map(len, names)) > _MAX_NAMES_LENGTH:
        return _by_name(attributes, prefix)
    plan = _plan(names, prefix)
    return _by_name(attributes, prefix) if plan is None else plan.built(attributes)


class _Plan(NamedTuple):
    """How the objects of one set of names are built.

    One instrumentation writes the same names on span after span.
    """

    n_items: int
    inner: Sequence[tuple[int, str]]
    """Of each object within another: the number of that other one, and its own name there."""
    leaves: Sequence[tuple[int, str, str]]
    """Of each value: the number of its object, its name there, and its attribute."""

    def built(self, attributes: Attributes) -> list[dict[str, Any]]:
        objects: list[dict[str, Any]] = [{} for _ in range(self.n_items)]
        for parent, name in self.inner:
            child: dict[str, Any] = {}
            objects[parent][name] = child
            objects.append(child)
        for number, name, key in self.leaves:
            objects[number][name] = attributes[key]
        return objects[: self.n_items]


@lru_cache(maxsize=512)
def _plan(names: tuple[str, ...], prefix: str) -> _Plan | None:
    """The plan; None where a name is both a value and an object, or an index has two spellings."""
    length = len(prefix) + 1
    parts = {name: name[length:].partition(".") for name in names if name.startswith(f"{prefix}.")}
    paths = {
        name: [index, *path.split(".")]
        for name, (index, _, path) in parts.items()
        if path and _is_index(index)
    }
    indexes = sorted({path[0] for path in paths.values()}, key=int)
    if len({int(index) for index in indexes}) < len(indexes):
        return None
    numbers: dict[tuple[str, ...], int] = {(index,): at for at, index in enumerate(indexes)}
    inner: list[tuple[int, str]] = []
    leaves = []
    for name, (*parents, last) in paths.items():
        for end in range(2, len(parents) + 1):
            if (inside := tuple(parents[:end])) not in numbers:
                inner.append((numbers[inside[:-1]], inside[-1]))
                numbers[inside] = len(indexes) + len(inner) - 1
        leaves.append((numbers[tuple(parents)], last, name))
    if any(tuple(path) in numbers for path in paths.values()):
        return None
    return _Plan(len(indexes), inner, leaves)


def _by_name(attributes: Attributes, prefix: str) -> list[dict[str, Any]]:
    """The objects, name by name: of two that contradict each other the later one wins."""
    start = prefix + "."
    length = len(start)
    flat = [item for item in attributes.items() if item[0].startswith(start)]
    found: dict[str, dict[str, Any]] = {}
    for key, value in flat:
        index, _, path = key[length:].partition(".")
        if path and _is_index(index):
            target = found.get(index)
            if target is None:
                target = found[index] = {}
            _put(target, path, value)
    if len(found) < 2:
        return list(found.values())
    return _by_index(found)


def _is_index(text: str) -> bool:
    return text.isdecimal() and len(text) <= _MAX_DIGITS


def _by_index(found: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """The objects in the order of their indexes; two spellings of one index are one object."""
    merged: dict[int, dict[str, Any]] = {}
    for index, item in found.items():
        number = int(index)
        if number in merged:
            merged[number].update(item)
        else:
            merged[number] = item
    return [merged[number] for number in sorted(merged)]


def numbered(value: Any) -> list[Any]:
    """The values of an object whose keys are indexes (`{"0": ..., "1": ...}`), by index."""
    if not isinstance(value, dict):
        return []
    return [value[key] for key in sorted((k for k in value if k.isdecimal()), key=int)]


def _put(target: dict[str, Any], path: str, value: Any) -> None:
    *parents, last = path.split(".")
    for part in parents:
        inner = target.get(part)
        if type(inner) is not dict:
            inner = target[part] = {}
        target = inner
    target[last] = value
