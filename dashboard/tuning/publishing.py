"""Publishing behind gates: refused while one is closed, with why and how each stood on record."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version as installed_version
from typing import Any

from dashboard.errors import GateClosedError
from dashboard.tuning.trial import Trial
from metrics import Scope
from metrics.rule_gates import Gate, is_publishable
from replay_store import rule_store
from replay_store.database import Database
from replay_store.rule_reviews import Frame, keep_backtest
from replay_store.rule_store import short

__all__ = ["Publication", "gate_json", "publish_gated"]


@dataclass(frozen=True, slots=True)
class Publication:
    """What is to be put in force, by whom, and why."""

    base_version: str
    texts: Mapping[str, str]
    author: str
    reason: str
    period: Scope
    """Of the trial."""


def publish_gated(
    database: Database,
    wanted: Publication,
    trial: Trial,
    gates: Sequence[Gate],
    clock: Callable[[], int],
) -> str:
    """Put a draft in force when every gate is open, and keep what it was judged by.

    Returns:
        The version.

    Raises:
        GateClosedError: A gate is closed; names each. Nothing was stored.
        RulesMovedError: Another version was put in force meanwhile; nothing was stored.
        RuleStoreError: The draft changes nothing, or author or reason is missing.
        RuleFileError: A file cannot be used.
    """
    if not is_publishable(gates):
        closed = ", ".join(gate.name.value for gate in gates if not gate.is_open)
        raise GateClosedError(
            f"draft {short(rule_store.version_of(wanted.texts))}: not published: closed gates: "
            f"{closed}; meet them, then publish again"
        )
    version = rule_store.publish(
        database, wanted.base_version, wanted.texts, wanted.author, wanted.reason, clock
    )
    keep_backtest(
        database,
        trial.impact,
        (wanted.base_version, version),
        Frame(
            start_time_ns=wanted.period.start_time_ns,
            end_time_ns=wanted.period.end_time_ns,
            n_cases=len(trial.compared),
            created_by=wanted.author.strip(),
            created_time_ns=clock(),
            code_version=installed_version("toolsight"),
        ),
        [gate_json(gate) for gate in gates],
    )
    return version


def gate_json(gate: Gate) -> dict[str, Any]:
    """A gate as a JSON value."""
    return {
        "gate": gate.name.value,
        "is_hard": gate.is_hard,
        "state": gate.state.value,
        "figures": dict(gate.figures),
        "items": list(gate.items),
    }
