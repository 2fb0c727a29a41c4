"""Tools as three folders of data, followed while agents run: contracts, adapters, rules (S4 §2.3).

A new tool is a contract, an adapter and a rule file; nothing is restarted. What is wrong in any of
them leaves all that is in force as it is, and is told.
"""

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pipeline.contracts import Contract, Registry, read_contracts
from pipeline.errors import ToolsightError
from pipeline.execution import Adapter, AdapterError
from pipeline.execution.adapters import AdapterSpec, HttpAdapter, read_adapters
from pipeline.observation import RuleSet, load_folder, package_rules

if TYPE_CHECKING:
    import httpx

CONTRACTS: Final = "contracts"
ADAPTERS: Final = "adapters"
RULES: Final = "rules"
_Stamp = frozenset[tuple[str, int, int]]


@dataclass(frozen=True, slots=True)
class _Read:
    """The three folders at one moment."""

    stamp: _Stamp
    contracts: Mapping[str, Contract]
    adapters: Mapping[str, Adapter]
    rules: RuleSet


@dataclass(slots=True)
class Toolbox:
    """The tools in a folder; also finds their adapters for an executor.

    Args:
        folder: With `contracts/`, and `adapters/` and `rules/` where there are any.
        client: Sends what HTTP adapters ask.
        credentials: By domain.
        functions: Adapters in code, by name; a file of the same name is refused.

    Raises:
        ToolsightError: Something in the folders cannot be used; names file and field.
    """

    folder: Path
    client: "httpx.AsyncClient"
    credentials: Mapping[str, str] = field(default_factory=dict, repr=False)
    functions: Mapping[str, Adapter] = field(default_factory=dict)
    problem: str | None = field(default=None, init=False)
    """Why the last look failed; None when it did not."""
    registry: Registry = field(init=False)
    """The contracts in force."""
    _read: _Read = field(init=False)

    def __post_init__(self) -> None:
        self._read = self._reading(self._stamp())
        self.registry = Registry(self._read.contracts.values())

    @property
    def rules(self) -> RuleSet:
        """The rules in force; the package's where the folder has none."""
        return self._read.rules

    def of(self, contract: Contract) -> Adapter | None:
        """The adapter of a tool, by the contract's adapter name, else by the tool's."""
        return self._read.adapters.get(contract.adapter or contract.name)

    def look(self) -> bool:
        """Look once whether a file changed, and put what is new in force.

        Returns:
            Whether something was exchanged. False also when what is new cannot be used: `problem`
            says why.
        """
        stamp = self._stamp()
        if stamp == self._read.stamp:
            return False
        try:
            read = self._reading(stamp)
        except ToolsightError as error:
            self.problem = str(error)
            return False
        self._read, self.problem = read, None
        self.registry.replace(read.contracts.values())
        return True

    def watch(self, every_seconds: float, stop: threading.Event) -> None:
        """Look again and again until told to stop; to be run in a thread of its own."""
        while not stop.wait(every_seconds):
            self.look()

    def _reading(self, stamp: _Stamp) -> _Read:
        contracts = read_contracts(self.folder / CONTRACTS)
        specs = self._specs()
        adapters = {**self.functions, **{name: self._adapter(specs[name]) for name in specs}}
        for contract in contracts.values():
            name = contract.adapter or contract.name
            if name not in adapters:
                raise AdapterError(
                    [f"{name}: no adapter for {contract.name}; add adapters/{name}.json"]
                )
            if name in specs:
                _agree(contract, specs[name])
        has_rules = any((self.folder / RULES).glob("*.yaml"))
        rules = load_folder(self.folder / RULES) if has_rules else package_rules()
        return _Read(stamp, contracts, adapters, rules)

    def _specs(self) -> Mapping[str, AdapterSpec]:
        specs = read_adapters(self.folder / ADAPTERS)
        if twice := specs.keys() & self.functions.keys():
            raise AdapterError([f"{name}: is a function too; rename one" for name in sorted(twice)])
        return specs

    def _adapter(self, spec: AdapterSpec) -> Adapter:
        return HttpAdapter(spec, self.client, self.credentials)

    def _stamp(self) -> _Stamp:
        found = []
        for path in self.folder.rglob("*"):
            if path.suffix in (".json", ".yaml"):
                status = path.stat()
                found.append((str(path), status.st_mtime_ns, status.st_size))
        return frozenset(found)


def _agree(contract: Contract, spec: AdapterSpec) -> None:
    """A tool uses the credentials of its own domain and of no other (S3 §7.1)."""
    domain = spec.auth_domain
    if domain is not None and contract.domain is not None and domain != contract.domain:
        raise AdapterError(
            [
                f"{spec.name}: auth.domain: {domain}: the contract {contract.name} says"
                f" {contract.domain}; make them one"
            ]
        )
