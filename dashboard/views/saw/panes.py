"""One template's text about an observation: where it is from, what it tells, and what that takes. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from dashboard.views.saw.blocks import Blocks, blocks
from pipeline.observation import Cell, Coverage, Prompt, TokenCounter
from pipeline.observation.display import Wording

MAX_LEFT_OUT: Final = 4_000_000
"""Characters that are counted to leave each fact out in turn; above that a fact's own words are
counted instead."""


@dataclass(frozen=True, slots=True)
class Pane:
    """One template's text."""

    template: str
    text: str | None
    """None when there is none: not recorded, and the template cannot be rendered."""
    n_tokens: int | None
    is_recorded: bool
    is_different: bool
    """Whether rendering it now gives another text than the recorded one."""
    coverage: Mapping[str, Coverage]
    """By cell key; of the text that is shown."""
    blocks: Blocks
    """The text by fact."""
    fact_tokens: Mapping[str, int] = field(default_factory=dict)
    """By cell key: what the text would take less without the fact. Facts that have no lines of their
    own in it are missing."""
    problem: str | None = None
    """Why it cannot be rendered now."""


def pane(
    template: str,
    text: str | None,
    made: Prompt | None,
    problem: str | None,
    cells: Sequence[Cell],
    wording: Wording,
    counter: TokenCounter,
) -> Pane:
    """A pane.

    Args:
        template: Its name.
        text: As recorded; None when it was not.
        made: As it renders now; None when it cannot be.
        problem: Why it cannot.
        cells: The facts, in the order in which prompts tell them.
        wording: Words for them.
        counter: Counts tokens.
    """
    is_different = text is not None and made is not None and made.text != text
    shown = text if text is not None else (made.text if made else None)
    coverage: dict[str, Coverage] = {}
    if made is not None and not is_different:
        coverage = {cell.key: cell.coverage for cell in made.cells}
    elif shown is not None:
        coverage = {cell.key: _found(cell, shown, wording) for cell in cells}
    told = [
        (cell.key, wording.label(cell))
        for cell in cells
        if coverage.get(cell.key) is not Coverage.OMITTED
    ]
    cut = blocks(shown or "", told)
    return Pane(
        template=template,
        text=shown,
        n_tokens=None if shown is None else counter.count(shown),
        is_recorded=text is not None,
        is_different=is_different,
        coverage=coverage,
        blocks=cut,
        fact_tokens=_fact_tokens(shown or "", cut, counter),
        problem=problem,
    )


def _found(cell: Cell, text: str, wording: Wording) -> Coverage:
    """What became of a fact in a text whose template cannot be asked."""
    surfaces = wording.surfaces(cell)
    if all(surface in text for surface in surfaces):
        return Coverage.SHOWN
    is_begun = wording.label(cell) in text or any(surface in text for surface in surfaces)
    return Coverage.CUT if is_begun else Coverage.OMITTED


def _fact_tokens(text: str, cut: Blocks, counter: TokenCounter) -> dict[str, int]:
    if len(text) * len(cut.facts) > MAX_LEFT_OUT:
        return {key: counter.count(block) for key, block in cut.facts.items()}
    whole = counter.count(text)
    return {key: whole - counter.count(_without(text, block)) for key, block in cut.facts.items()}


def _without(text: str, block: str) -> str:
    """The text without the lines of one fact."""
    at = text.find(block)
    return text if at < 0 else text[:at] + text[at + len(block) :].removeprefix("\n")
