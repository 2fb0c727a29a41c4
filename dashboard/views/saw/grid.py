"""The grid of one observation: templates side by side, a row a fact, differences marked."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from dashboard.components.prompt_diff import Column, GridCell, Part, Row, changes, marked
from dashboard.formats import NO_VALUE
from dashboard.i18n import t
from dashboard.views.saw.panes import Pane
from dashboard.views.saw.reading import Reading
from dashboard.views.saw.text import (
    age_words,
    coverage_text,
    entity_words,
    kind_word,
    origin_text,
    origin_tone,
    saving_text,
    tokens_text,
)
from pipeline.observation import Cell, Coverage, FragmentKind, SemanticFragment

MAX_CELL: Final = 12_000
"""Characters of one cell that the grid shows; the plain view shows all of them."""


def columns(reading: Reading, base: str, *, is_raw_shown: bool = True) -> list[Column]:
    """The heads: the raw outputs, then each template."""
    raw = Column(
        title=t("saw_raw"),
        figure=tokens_text(reading.raw_tokens, reading.counter),
        saving="",
        origin=t("saw_raw_origin") if reading.raw_tokens is not None else t("saw_raw_part"),
        tone="plain",
    )
    heads = [head(reading, pane, is_base=pane.template == base) for pane in reading.panes]
    return [raw, *heads] if is_raw_shown and reading.caller.sees_raw else heads


def head(
    reading: Reading, pane: Pane, title: str | None = None, *, is_base: bool = False
) -> Column:
    """The head of one text: its template unless another title is given, its size, where it is from."""
    return Column(
        title=title or pane.template,
        figure=tokens_text(pane.n_tokens, reading.counter),
        saving=saving_text(reading.saved(pane), reading.raw_tokens),
        origin=origin_text(reading, pane),
        tone=origin_tone(pane),
        is_base=is_base,
    )


def rows(reading: Reading, base: str) -> list[Row]:
    """A row a fact; words that the base template lacks are marked, and in it those that others lack.

    Args:
        reading: One variant in one language.
        base: The template that the others are compared with.
    """
    panes = reading.panes
    found = [_frame(reading, t("saw_before"), [pane.blocks.before for pane in panes], base)]
    for cell in reading.cells:
        texts = [pane.blocks.facts.get(cell.key, "") for pane in panes]
        compared = _compared(texts, panes, base)
        cells = [
            grid_cell(reading, cell, pane, parts)
            for pane, parts in zip(panes, compared, strict=True)
        ]
        found.append(fact_row(reading, cell, [*_evidence(reading, cell), *cells]))
    found.append(_frame(reading, t("saw_after"), [pane.blocks.after for pane in panes], base))
    return [row for row in found if row is not None]


def change_rows(clean: Reading, noisy: Reading) -> list[Row]:
    """A row a fact; what noise took out of each template's words and what it put in."""
    alike = _marks(clean, noisy)
    found: list[Row] = []
    for cell in _all_cells(clean, noisy):
        cells = [
            grid_cell(noisy, cell, after, bounded(changed(cell, before, after, alike)))
            for before, after in zip(clean.panes, noisy.panes, strict=True)
        ]
        found.append(fact_row(noisy, cell, cells))
    return found


def changed(cell: Cell, before: Pane, after: Pane, alike: Sequence[str]) -> list[Part]:
    """What became of the words about one fact from one text to another."""
    key = cell.key
    return changes(before.blocks.facts.get(key, ""), after.blocks.facts.get(key, ""), alike)


def _all_cells(clean: Reading, noisy: Reading) -> list[Cell]:
    """The facts of both, noisy ones where there are both, in the order of the clean ones."""
    after = {cell.key: cell for cell in noisy.cells}
    kept = [after.pop(cell.key, cell) for cell in clean.cells]
    return [*kept, *after.values()]


def _marks(clean: Reading, noisy: Reading) -> tuple[str, ...]:
    """The marks around free text name their snapshot: another one is no change of the text."""
    hashes = [r.resolved.snapshot_hash for r in (clean, noisy) if r.resolved is not None]
    return tuple(text[:8] for text in hashes)


def _compared(texts: Sequence[str], panes: Sequence[Pane], base: str) -> list[list[Part]]:
    by_template = {pane.template: text for pane, text in zip(panes, texts, strict=True)}
    found = []
    for pane, text in zip(panes, texts, strict=True):
        others = _others(pane.template, base, by_template)
        found.append(bounded(marked(text, others)) if text else [])
    return found


def _others(template: str, base: str, by_template: Mapping[str, str]) -> list[str]:
    """What a template's text is compared with: the base; the base itself with all others."""
    if template != base:
        return [by_template.get(base, "")]
    return [text for name, text in by_template.items() if name != base and text]


def bounded(parts: Sequence[Part]) -> list[Part]:
    """The parts up to `MAX_CELL` characters; `…` says that more follows."""
    return list(_until(parts, MAX_CELL))


def _until(parts: Sequence[Part], room: int) -> Iterator[Part]:
    for part in parts:
        if len(part.text) > room:
            yield Part(f"{part.text[:room]} …", part.mark)
            return
        room -= len(part.text)
        yield part


def _frame(reading: Reading, title: str, texts: Sequence[str], base: str) -> Row | None:
    if not any(texts):
        return None
    raw = [GridCell((), "none")] if reading.caller.sees_raw else []
    cells = [GridCell(parts, "none") for parts in _compared(texts, reading.panes, base)]
    return Row(title, "", (), "frame", [*raw, *cells])


def fact_row(reading: Reading, cell: Cell, cells: Sequence[GridCell]) -> Row:
    """A row of the grid: what is known about a fact, beside what each text says."""
    wording = reading.wording()
    age = age_words(cell, reading.language)
    notes = [kind_word(cell.kind), t("saw_confidence", value=f"{cell.confidence:.2f}")]
    notes += [t("saw_age", age=age)] if age else []
    notes += [t("saw_critical")] if cell.type in reading.critical else []
    return Row(
        title=wording.label(cell),
        entity=entity_words(cell, wording),
        notes=[" · ".join(notes)],
        tone=cell.kind.value.lower(),
        cells=cells,
    )


def grid_cell(reading: Reading, cell: Cell, pane: Pane, parts: Sequence[Part]) -> GridCell:
    """What one text says about one fact: its words, what became of it, and what that takes."""
    coverage = pane.coverage.get(cell.key)
    if coverage is None:
        return GridCell(parts, "none")
    is_required = cell.type in reading.critical or cell.kind.value == "CONFLICT"
    is_broken = is_required and coverage is not Coverage.SHOWN
    note = coverage_text(pane, cell.key, coverage)
    if is_broken:
        note = t("saw_broken", word=note)
    return GridCell(parts, coverage.value, note, is_broken)


def _evidence(reading: Reading, cell: Cell) -> list[GridCell]:
    """The raw values that a fact was read from, each with its source; of a derived one its formula.

    Nothing for callers who may not see them.
    """
    if not reading.caller.sees_raw:
        return []
    lines = [f"{fragment.source}: {_raw(fragment)}" for fragment in cell.evidence]
    return [GridCell(bounded([Part("\n".join(lines), "same")]), "none")]


def _raw(fragment: SemanticFragment) -> str:
    if fragment.raw is not None:
        return fragment.raw
    if fragment.kind is FragmentKind.DERIVED and fragment.reason:
        return f"= {fragment.reason}"
    return NO_VALUE
