"""Conditions on traces as data: each term is one text of SQL, its values are parameters."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from replay_store.statements import statement

__all__ = ["NUMBERS", "TEXTS", "Term", "conditions"]

TEXTS: Final = (
    "tool",
    "error",
    "status",
    "agent",
    "name",
    "session",
    "task",
    "model",
    "version",
    "guard",
)
"""Terms with a text, in which `*` stands for anything."""
NUMBERS: Final = ("duration", "steps", "calls", "errors", "retries", "tokens", "spans")
"""Terms with bounds; a duration is in nanoseconds."""
_PARAMETER: Final = re.compile(r"\$(value|low|high)\b")
_NOTHING: Final = "true"


@dataclass(frozen=True, slots=True)
class Term:
    """One condition. A trace of which the spans do not show the value does not meet it."""

    kind: str
    """A name in `TEXTS` or `NUMBERS`, `sign`, `observed` or `note`."""
    value: str | tuple[str, ...] | None = None
    """A text, or the names of signs."""
    low: int | None = None
    high: int | None = None
    """Bounds of a number, both inclusive."""
    is_negated: bool = False


def conditions(terms: Sequence[Term]) -> tuple[str, dict[str, Any]]:
    """One SQL condition for all terms, and its parameters; `true` without terms."""
    parts: list[str] = []
    parameters: dict[str, Any] = {}
    for number, term in enumerate(terms):
        text = re.sub(r"--.*", "", statement(f"sql/term/{term.kind}")).strip()
        named = _PARAMETER.sub(rf"$\1_{number}", text)
        given = {"value": _value(term), "low": term.low, "high": term.high}
        asked = {match[1] for match in _PARAMETER.finditer(text)}
        parameters |= {f"{name}_{number}": given[name] for name in asked}
        parts.append(f"{'not ' if term.is_negated else ''}coalesce(({named}), false)")
    return "\n    and ".join(parts) or _NOTHING, parameters


def _value(term: Term) -> Any:
    if term.kind not in TEXTS:
        return list(term.value) if isinstance(term.value, tuple) else term.value
    escaped = re.sub(r"([\\%_])", r"\\\1", str(term.value))
    return escaped.replace("*", "%")
