"""What a set of contracts makes of a recorded offer.

Only what a model sees of a contract counts: name, description, input schema, version.
Source: S3 §5.2 (`describe_all`); the files: `pipeline.contracts`.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pipeline.contracts import Contract, ContractError
from pipeline.contracts import files as contract_files
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
    """The contracts in the `*.json` files of a folder and below, as a model sees them.

    Raises:
        ReplayError: No folder, no file, no contract, or two with one name; names the file.
    """
    try:
        found = contract_files.read_contracts(folder, seen_only=True)
    except ContractError as error:
        raise ReplayError(str(error)) from error
    return Contracts({name: _offered(contract) for name, contract in found.items()})


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


def _offered(contract: Contract) -> Offered:
    shown = contract.shown_description or None
    return Offered(contract.name, shown, contract.input_schema, contract.version)
