"""The contracts in force, which can be exchanged while agents run (S3 §5.2, S4 §2.3)."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

from pipeline.contracts.arguments import ArgumentProblem, check_arguments
from pipeline.contracts.dangers import is_offered
from pipeline.contracts.errors import ContractError
from pipeline.contracts.files import read_contracts
from pipeline.contracts.model import Contract
from pipeline.contracts.tool_lists import TOOL_LISTS, ToolList


class Registry:
    """Contracts by name.

    A whole set is swapped at once: who took `contracts` keeps what it took.
    """

    def __init__(self, contracts: Iterable[Contract]) -> None:
        self._contracts = _by_name(contracts)
        self._generation = 0

    @classmethod
    def from_folder(cls, folder: Path) -> "Registry":
        """The contracts in a folder's files.

        Raises:
            ContractError: See `read_contracts`.
        """
        return cls(read_contracts(folder).values())

    @property
    def contracts(self) -> Mapping[str, Contract]:
        """All of them, those that are not on offer too."""
        return self._contracts

    @property
    def generation(self) -> int:
        """Grows with every exchange."""
        return self._generation

    def replace(self, contracts: Iterable[Contract]) -> None:
        """Put another set in force.

        Raises:
            ContractError: Two have one name; the set in force stays.
        """
        self._contracts = _by_name(contracts)
        self._generation += 1

    def get(self, name: str) -> Contract | None:
        """The contract of that name when it is on offer."""
        found = self._contracts.get(name)
        return found if found is not None and is_offered(found) else None

    def offered(self, names: Iterable[str] | None = None) -> tuple[Contract, ...]:
        """What may be shown to a model, in the order of `names`, or of the files when None.

        Tools that delete, change in bulk or move money are left out unless their contract
        declares the danger (S3 §7.1).
        """
        wanted = self._contracts if names is None else names
        return tuple(found for name in wanted if (found := self.get(name)) is not None)

    def tool_list(self, provider: str, names: Iterable[str] | None = None) -> ToolList:
        """What a model is shown: `openai`, `anthropic`, `mcp` or `genai`.

        Raises:
            ContractError: No such provider.
        """
        if provider not in TOOL_LISTS:
            raise ContractError([f"{provider}: expected one of {', '.join(TOOL_LISTS)}"])
        return TOOL_LISTS[provider](self.offered(names))

    def check(
        self, name: str, arguments: object, language: str = "zh"
    ) -> tuple[ArgumentProblem, ...]:
        """What is wrong with a call; a tool that is not on offer is one problem."""
        contract = self.get(name)
        if contract is None:
            return (ArgumentProblem("", "tool", _no_such_tool(name, language)),)
        return check_arguments(contract, arguments, language)


def _by_name(contracts: Iterable[Contract]) -> Mapping[str, Contract]:
    found: dict[str, Contract] = {}
    for contract in contracts:
        if contract.name in found:
            raise ContractError([f"name: {contract.name}: there are two; rename one"])
        found[contract.name] = contract
    return MappingProxyType(found)


def _no_such_tool(name: str, language: str) -> str:
    if language == "zh":
        return f"工具 {name[:80]} 不存在，请从可选工具清单中重新选择。"
    return f"There is no tool {name[:80]}; choose one from the list."
