"""What came of playing one case once, and of playing it twice: before and after a change."""

import difflib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from pipeline.replay.case import Case
from pipeline.vocabulary import SelectionLabel

MAX_DIFF: Final = 200
"""Sentences about one case; more help nobody."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came out of one case."""

    is_right: bool | None
    """None when it could not be judged: see `skipped`."""
    label: SelectionLabel | None = None
    """Of a decision."""
    tool: str | None = None
    """What a decision chose."""
    facts: tuple[str, ...] | None = None
    """One line a statement, sorted; None where no facts are read."""
    prompt: str | None = None
    shown: Mapping[str, Any] = field(default_factory=dict)
    """Everything else as JSON values, for people: arguments, reason, answer, calls."""
    problems: tuple[str, ...] = ()
    """Why it is not right, one sentence each."""
    skipped: str | None = None
    """Why it could not be judged."""

    def as_json(self) -> dict[str, Any]:
        """The outcome as a JSON value; what is absent is left out."""
        values: dict[str, Any] = {
            "is_right": self.is_right,
            "label": None if self.label is None else self.label.value,
            "tool": self.tool,
            "facts": None if self.facts is None else list(self.facts),
            "prompt": self.prompt,
            "problems": list(self.problems) or None,
            "skipped": self.skipped,
            **self.shown,
        }
        return {name: value for name, value in values.items() if value is not None}


class Change(StrEnum):
    """What a change did to one case."""

    BROKEN = "broken"
    FIXED = "fixed"
    SAME_RIGHT = "same_right"
    SAME_WRONG = "same_wrong"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Compared:
    """One case before and after."""

    case: Case
    before: Outcome
    after: Outcome

    @property
    def change(self) -> Change:
        """What the change did to this case."""
        if self.before.is_right is None or self.after.is_right is None:
            return Change.SKIPPED
        if self.before.is_right:
            return Change.SAME_RIGHT if self.after.is_right else Change.BROKEN
        return Change.FIXED if self.after.is_right else Change.SAME_WRONG

    @property
    def diff(self) -> tuple[str, ...]:
        """One line for each thing that differs: `- before`, `+ after`; empty when nothing does."""
        return tuple(_diff(self.before, self.after))[:MAX_DIFF]


def _diff(before: Outcome, after: Outcome) -> Iterator[str]:
    one, other = before.as_json(), after.as_json()
    for name in ("tool", "label", *(key for key in {**one, **other} if key not in _LONG)):
        if one.get(name) != other.get(name):
            yield from (f"- {name}: {_text(one[name])}",) if name in one else ()
            yield from (f"+ {name}: {_text(other[name])}",) if name in other else ()
    yield from _line_diff("fact", before.facts or (), after.facts or ())
    yield from _line_diff(
        "prompt", (before.prompt or "").splitlines(), (after.prompt or "").splitlines()
    )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


_LONG: Final = frozenset({"tool", "label", "facts", "prompt", "is_right", "problems", "skipped"})
"""What is compared on its own, follows from the rest, or is told beside it."""


def _line_diff(what: str, before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    for line in difflib.ndiff(before, after):
        if line[:2] in ("- ", "+ "):
            yield f"{line[:2]}{what}: {line[2:]}"
