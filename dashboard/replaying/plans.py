"""What a run compares: a baseline and a candidate, from what a person names."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from dashboard.errors import DashboardError
from pipeline.observation import RuleSet, load_folder, package_rules
from pipeline.replay.case import Case, CaseKind
from pipeline.replay.choosers import Chooser, LexicalChooser, RecordedChooser, load_function
from pipeline.replay.contracts import Contracts, read_contracts, without_removed
from pipeline.replay.setup import AS_RECORDED, Setup

__all__ = ["Against", "Plan", "Wish", "plan", "rules_plan"]


class Against(StrEnum):
    """What a run tries."""

    CODE = "code"
    """This installation: its rules, parsers and templates."""
    CONTRACTS = "contracts"
    RULES = "rules"
    ADAPTER = "adapter"
    CHOOSER = "chooser"


_KINDS = {
    Against.CODE: frozenset(CaseKind) - {CaseKind.ADAPTER},
    Against.CONTRACTS: frozenset({CaseKind.DECISION, CaseKind.END_TO_END}),
    Against.RULES: frozenset({CaseKind.OBSERVATION, CaseKind.END_TO_END}),
    Against.ADAPTER: frozenset({CaseKind.ADAPTER}),
    Against.CHOOSER: frozenset({CaseKind.DECISION, CaseKind.END_TO_END}),
}


@dataclass(frozen=True, slots=True)
class Wish:
    """What a person named; None for what they left out."""

    against: Against | None = None
    contracts: Path | None = None
    base_contracts: Path | None = None
    rules: Path | None = None
    base_rules: Path | None = None
    adapter: str | None = None
    chooser: Chooser | None = None
    base_chooser: Chooser | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """Two setups, and which cases tell them apart."""

    against: Against
    before: Setup
    after: Setup
    kinds: frozenset[CaseKind]

    def cases(self, cases: Sequence[Case]) -> list[Case]:
        """Those that this run is about."""
        return [case for case in cases if case.kind in self.kinds]

    @property
    def chooser_name(self) -> str | None:
        """Who chose; None where nobody had to."""
        is_chosen = self.against not in (Against.RULES, Against.ADAPTER)
        is_named = not isinstance(self.after.chooser, RecordedChooser)
        return self.after.chooser.name if is_chosen or is_named else None


def rules_plan(name: str, rules: RuleSet) -> Plan:
    """A rule set against what was recorded."""
    return Plan(Against.RULES, AS_RECORDED, Setup(name, rules=rules), _KINDS[Against.RULES])


def plan(wish: Wish) -> Plan:
    """What to compare.

    Raises:
        DashboardError: What the run is to try was not named.
        ReplayError: A folder of contracts, or a function, cannot be used.
        RuleFileError: A folder of rules cannot be used.
    """
    against = wish.against or _guessed(wish)
    before, after = _SETUPS[against](wish)
    return Plan(against, before, after, _KINDS[against])


def _guessed(wish: Wish) -> Against:
    named = {
        Against.CONTRACTS: wish.contracts,
        Against.RULES: wish.rules,
        Against.ADAPTER: wish.adapter,
        Against.CHOOSER: wish.chooser,
    }
    return next((what for what, value in named.items() if value is not None), Against.CODE)


def _code(_: Wish) -> tuple[Setup, Setup]:
    rules = package_rules()
    return AS_RECORDED, Setup(f"this installation, rules {rules.version}", rules=rules)


def _contracts(wish: Wish) -> tuple[Setup, Setup]:
    if wish.contracts is None:
        raise DashboardError("--against contracts: what to try is missing; give --contracts DIR")
    chooser = wish.chooser or LexicalChooser()
    after, base = read_contracts(wish.contracts), Contracts({})
    name = "contracts as recorded"
    if wish.base_contracts is not None:
        base = read_contracts(wish.base_contracts)
        name, after = _folder_name("contracts", wish.base_contracts), without_removed(base, after)
    candidate = _folder_name("contracts", wish.contracts)
    return Setup(name, chooser, base), Setup(candidate, chooser, after)


def _rules(wish: Wish) -> tuple[Setup, Setup]:
    if wish.rules is None:
        raise DashboardError("--against rules: what to try is missing; give --rules DIR")
    chooser = wish.chooser or RecordedChooser()
    after = Setup(_folder_name("rules", wish.rules), chooser, rules=load_folder(wish.rules))
    if wish.base_rules is None:
        if wish.chooser is not None:
            raise DashboardError(
                "--rules with --chooser: both sides are played by the chooser: give --base-rules DIR"
            )
        return AS_RECORDED, after
    before: RuleSet = load_folder(wish.base_rules)
    return Setup(_folder_name("rules", wish.base_rules), chooser, rules=before), after


def _adapter(wish: Wish) -> tuple[Setup, Setup]:
    if wish.adapter is None:
        raise DashboardError(
            "--against adapter: what to try is missing; give --adapter module:function"
        )
    name = f"adapter {Path(wish.adapter).name}"
    return AS_RECORDED, Setup(name, adapter=load_function(wish.adapter))


def _chooser(wish: Wish) -> tuple[Setup, Setup]:
    chooser = wish.chooser or LexicalChooser()
    before = wish.base_chooser or RecordedChooser()
    return Setup(f"chooser {before.name}", before), Setup(f"chooser {chooser.name}", chooser)


_SETUPS = {
    Against.CODE: _code,
    Against.CONTRACTS: _contracts,
    Against.RULES: _rules,
    Against.ADAPTER: _adapter,
    Against.CHOOSER: _chooser,
}


def _folder_name(what: str, folder: Path) -> str:
    """The folder and a hash of its files: two runs over the same files can be told to be so."""
    digest = hashlib.sha256()
    for path in sorted(item for item in folder.rglob("*") if item.is_file()):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return f"{what} {folder.name} ({digest.hexdigest()[:12]})"
