"""Gates in words: what each asks, how it stands, and what would meet it."""

from collections.abc import Callable
from typing import Final, NamedTuple

from dashboard.formats import count_text, number_text, rate_text
from metrics.rule_gates import Gate, GateName, GateState

__all__ = ["GateWords", "gate_words"]

Say = Callable[..., str]
"""Text of a catalogue by key, its fields filled: `dashboard.i18n.t`, or one of a fixed language."""


class GateWords(NamedTuple):
    """The sentences about one gate. None of them holds text of a trace or of a rule file."""

    title: str
    said: str
    """How it stands, with its figures."""
    remedy: str | None
    """What would meet it; None where nothing has to be done."""


class _Keys(NamedTuple):
    title: str
    met: str
    closed: str
    remedy: str


_KEYS: Final = {
    GateName.SOUND: _Keys("gate_sound", "gate_sound_met", "gate_sound_closed", "gate_sound_remedy"),
    GateName.CRITICAL: _Keys(
        "gate_critical", "gate_critical_met", "gate_critical_closed", "gate_critical_remedy"
    ),
    GateName.UNKNOWN: _Keys(
        "gate_unknown", "gate_unknown_said", "gate_unknown_said", "gate_unknown_remedy"
    ),
    GateName.CONFLICTS: _Keys(
        "gate_conflicts", "gate_conflicts_said", "gate_conflicts_said", "gate_conflicts_remedy"
    ),
    GateName.TIME: _Keys("gate_time", "gate_time_said", "gate_time_said", "gate_time_remedy"),
    GateName.CASES: _Keys("gate_cases", "gate_cases_said", "gate_cases_said", "gate_cases_remedy"),
    GateName.COVERED: _Keys(
        "gate_covered", "gate_covered_met", "gate_covered_closed", "gate_covered_remedy"
    ),
    GateName.EXPLAINED: _Keys(
        "gate_explained", "gate_explained_said", "gate_explained_said", "gate_explained_remedy"
    ),
    GateName.APPROVED: _Keys(
        "gate_approved", "gate_approved_met", "gate_approved_closed", "gate_approved_remedy"
    ),
    GateName.TOKENS: _Keys(
        "gate_tokens", "gate_tokens_said", "gate_tokens_said", "gate_tokens_remedy"
    ),
    GateName.POWER: _Keys("gate_power", "gate_power_said", "gate_power_said", "gate_power_remedy"),
}
_SHARES: Final = frozenset(
    {"before", "after", "upper", "max_rise", "max_share", "rise", "power", "breaks", "fixes"}
)


def gate_words(gate: Gate, say: Say) -> GateWords:
    """The sentences about a gate.

    Args:
        gate: How it stands.
        say: Gives catalogue text in the reader's language.
    """
    keys = _KEYS[gate.name]
    figures = {name: _figure(name, value) for name, value in gate.figures.items()}
    figures.pop("approved_by", None)  # a person's name is shown beside the sentence, never in it
    is_met = gate.state is GateState.MET
    return GateWords(
        say(keys.title),
        say(_said_key(gate, keys, is_met=is_met), **figures),
        None if is_met else say(keys.remedy, **figures),
    )


def _said_key(gate: Gate, keys: _Keys, *, is_met: bool) -> str:
    if gate.name is GateName.APPROVED and is_met and gate.figures["approved_by"] is None:
        return "gate_approved_alone"
    if gate.name is GateName.TIME and gate.figures["p99_ms"] is None:
        return "gate_time_untouched"
    if gate.name is GateName.CONFLICTS and gate.figures["after"] is None:
        return "gate_conflicts_none"
    if gate.name is GateName.TOKENS and gate.figures["rise"] is None:
        return "gate_tokens_none"
    if gate.name is GateName.CASES and gate.figures["n"] == 0:
        return "gate_cases_none"
    if gate.name is GateName.POWER and gate.figures["n"] == 0:
        return "gate_power_none"
    return keys.met if is_met else keys.closed


def _figure(name: str, value: float | str | None) -> str:
    if value is None or isinstance(value, str):
        return value or "-"
    if name in _SHARES:
        return rate_text(value)
    return f"{number_text(value)} ms" if name.endswith("_ms") else count_text(value)
