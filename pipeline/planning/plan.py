"""A plan as JSON: steps with tool, params and reason, or `unavailable` (S4 §2.2, §3.1, §4.2)."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pipeline.contracts import Contract, check_arguments
from pipeline.planning.errors import PlanError

UNAVAILABLE: Final = "unavailable"
MAX_STEPS: Final = 10
MAX_REASON: Final = 60
"""The seed asks for twenty characters; a model that writes some more has still planned."""
_FIELDS: Final = frozenset({"tool", "params", "reason"})
_MAX_CHARACTERS: Final = 65_536


@dataclass(frozen=True, slots=True)
class Step:
    """One planned call."""

    tool: str
    params: Mapping[str, Any]
    reason: str


@dataclass(frozen=True, slots=True)
class Plan:
    """Steps in their order."""

    steps: tuple[Step, ...]
    unavailable: str | None = None
    """Why no tool can help; None when there are steps, or nothing is left to do."""

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to do but to answer."""
        return not self.steps and self.unavailable is None


def parse_plan(text: str, offered: Sequence[Contract], language: str = "zh") -> Plan:
    """The plan in what a model wrote: a JSON array and nothing around it.

    An empty array says that nothing is left to do.

    Args:
        text: As written.
        offered: Tools that may be planned; parameters are checked by their schemas.
        language: Of the sentences about parameters.

    Raises:
        PlanError: Everything that is wrong with it.
    """
    rows = _rows(text)
    contracts = {contract.name: contract for contract in offered}
    problems: list[str] = []
    for at, row in enumerate(rows):
        problems += [f"[{at}]: {problem}" for problem in _problems(row, contracts, language)]
    if problems:
        raise PlanError(problems)
    steps = tuple(Step(row["tool"], row["params"], row["reason"]) for row in rows)
    refusals = [step.reason for step in steps if step.tool == UNAVAILABLE]
    if refusals:
        return Plan((), refusals[0] or UNAVAILABLE)
    return Plan(steps)


def _rows(text: str) -> list[Any]:
    if len(text) > _MAX_CHARACTERS:
        raise PlanError([f"more than {_MAX_CHARACTERS} characters; write the array alone"])
    try:
        rows = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise PlanError(["no JSON; write the array alone, without any other characters"]) from error
    if not isinstance(rows, list):
        raise PlanError([f"{type(rows).__name__}: expected a JSON array of steps"])
    if len(rows) > MAX_STEPS:
        raise PlanError([f"{len(rows)} steps: expected at most {MAX_STEPS}"])
    return rows


def _problems(row: Any, contracts: Mapping[str, Contract], language: str) -> list[str]:
    if not isinstance(row, Mapping):
        return ["expected an object with tool, params and reason"]
    if row.keys() != _FIELDS:
        missing, extra = sorted(_FIELDS - row.keys()), sorted(row.keys() - _FIELDS)
        found = [f"{name}: missing" for name in missing]
        return [*found, *(f"{str(name)[:40]}: no such field" for name in extra)]
    if not isinstance(row["reason"], str) or len(row["reason"]) > MAX_REASON:
        return [f"reason: expected a text of at most {MAX_REASON} characters"]
    if row["tool"] == UNAVAILABLE:
        return []
    contract = contracts.get(row["tool"]) if isinstance(row["tool"], str) else None
    if contract is None:
        return [f"tool: {str(row['tool'])[:80]!r}: expected one of {', '.join(contracts)}"]
    return [problem.text for problem in check_arguments(contract, row["params"], language)]
