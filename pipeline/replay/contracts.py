"""Contracts as files: one JSON object a tool, and what a set of them makes of a recorded offer.

Only what a model sees of a contract is read: name, description, input schema, version.
Source: S3 §5.1 (`contracts/`, one JSON each), §5.2 (`describe_all`).
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pipeline.replay.arguments import is_equal
from pipeline.replay.case import Offered
from pipeline.replay.errors import ReplayError


@dataclass(frozen=True, slots=True)
class Contracts:
    """The contracts of some tools; tools that are not among them stay as they were recorded."""

    tools: Mapping[str, Offered]
    removed: frozenset[str] = frozenset()
    """Tools that are gone: no longer offered."""

    def applied_to(self, offered: Iterable[Offered]) -> tuple[Offered, ...]:
        """The offer with these contracts, in its own order; nothing is added to it."""
        return tuple(
            self.tools.get(tool.name, tool) for tool in offered if tool.name not in self.removed
        )


@dataclass(frozen=True, slots=True)
class ContractChange:
    """One contract that differs between two sets."""

    name: str
    what: tuple[str, ...]
    """`added`, `removed`, or which of `description` and `input_schema` differ."""


def read_contracts(folder: Path) -> Contracts:
    """The contracts in the `*.json` files of a folder and below.

    Raises:
        ReplayError: No folder, no file, no contract, or two with one name; names the file.
    """
    import orjson

    if not folder.is_dir():
        raise ReplayError(f"{folder}: no such folder: expected contract files; name another")
    found: dict[str, Offered] = {}
    for path in sorted(folder.rglob("*.json")):
        try:
            value = orjson.loads(path.read_bytes())
        except orjson.JSONDecodeError as error:
            raise ReplayError(f"{path}: is no JSON ({error}); correct it") from error
        tool = _contract(value, path)
        if tool.name in found:
            raise ReplayError(f"{path}: name: {tool.name}: another file has it too; rename one")
        found[tool.name] = tool
    if not found:
        raise ReplayError(f"{folder}: no *.json file in it: expected contracts; name another")
    return Contracts(found)


def changed_contracts(base: Contracts, head: Contracts) -> Iterator[ContractChange]:
    """What a model would see differently, by name; a new version number alone is no change."""
    for name in sorted(base.tools.keys() | head.tools.keys()):
        before, after = base.tools.get(name), head.tools.get(name)
        if before is None or after is None:
            yield ContractChange(name, ("added" if before is None else "removed",))
        elif what := _differences(before, after):
            yield ContractChange(name, what)


def without_removed(base: Contracts, head: Contracts) -> Contracts:
    """The head set, in which tools that only the base set has are no longer offered."""
    return replace(head, removed=frozenset(base.tools.keys() - head.tools.keys()))


def _differences(before: Offered, after: Offered) -> tuple[str, ...]:
    found = []
    if (before.description or "") != (after.description or ""):
        found.append("description")
    if not is_equal(before.input_schema or {}, after.input_schema or {}):
        found.append("input_schema")
    return tuple(found)


def _contract(value: Any, path: Path) -> Offered:
    if not isinstance(value, dict) or not isinstance(value.get("name"), str) or not value["name"]:
        raise ReplayError(f"{path}: no contract: expected an object with a name; add it")
    name, schema = value["name"], value.get("input_schema")
    for key, kind, expected in (
        ("description", str, "a text"),
        ("input_schema", dict, "a JSON Schema"),
        ("version", str, "a text"),
    ):
        if value.get(key) is not None and not isinstance(value[key], kind):
            raise ReplayError(f"{path}: {key}: expected {expected}; correct it")
    return Offered(name, value.get("description"), schema, value.get("version"))
