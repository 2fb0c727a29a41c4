"""A prompt's text cut by fact, so that templates can be laid side by side. Pure.

The package's templates tell each fact in lines of its own that begin with its label in brackets.
Whatever belongs to no fact (headings, notices, raw outputs) is kept as the frame around them.
"""

from collections import defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

_BRACKETS: Final = {"【": "】", "[": "]"}
_CONTINUES: Final = " "
"""How the further lines of a fact begin."""


@dataclass(frozen=True, slots=True)
class Blocks:
    """One prompt by fact; every line of it is in exactly one place, in order."""

    before: str
    """Everything above the first fact."""
    facts: Mapping[str, str]
    """By cell key."""
    after: str
    """What is not a fact and stands between or below the facts."""


def blocks(text: str, cells: Sequence[tuple[str, str]]) -> Blocks:
    """Cut a prompt.

    Args:
        text: The prompt.
        cells: Key and label of each fact that the prompt tells, in its order; labels may repeat.
    """
    waiting: dict[str, deque[str]] = defaultdict(deque)
    for key, label in cells:
        waiting[label].append(key)
    before: list[str] = []
    after: list[str] = []
    facts: dict[str, list[str]] = {}
    at = before
    for line in text.splitlines():
        begun = _label(line, waiting)
        if begun is not None:
            at = facts.setdefault(waiting[begun].popleft(), [])
        elif not line.startswith(_CONTINUES):
            at = after if facts else before
        at.append(line)
    joined = {key: "\n".join(lines) for key, lines in facts.items()}
    return Blocks("\n".join(before), joined, "\n".join(after))


def _label(line: str, waiting: Mapping[str, deque[str]]) -> str | None:
    """The label that a line begins with, if a fact of that label is still to come."""
    end = _BRACKETS.get(line[:1])
    if end is None:
        return None
    for label, keys in waiting.items():
        if keys and line.startswith(f"{line[0]}{label}{end}"):
            return label
    return None
