"""The grid of one observation: templates side by side, a row a fact, differences marked."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from dashboard.components.prompt_diff import Column, GridCell, Part, Row, changes, marked
from dashboard.formats import NO_VALUE
from dashboard.i18n import t
from dashboard.views.saw.blocks import Blocks, blocks
from dashboard.views.saw.reading import Pane, Reading
from dashboard.views.saw.text import (
    age_words,
    coverage_word,
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


@dataclass(frozen=True, slots=True)
class _Cut:
    """One pane, cut by fact."""

    pane: Pane
    blocks: Blocks


def columns(reading: Reading, base: str, *, is_raw_shown: bool = True) -> list[Column]:
    """The heads: the raw outputs, then each template."""
    raw = Column(
        title=t("saw_raw"),
        figure=tokens_text(reading.raw_tokens, reading.counter),
        saving="",
        origin=t("saw_raw_origin") if reading.raw_tokens is not None else t("saw_raw_part"),
        tone="plain",
    )
    heads = [
        Column(
            title=pane.template,
            figure=tokens_text(pane.n_tokens, reading.counter),
            saving=saving_text(reading.saved(pane), reading.raw_tokens),
            origin=origin_text(reading, pane),
            tone=origin_tone(pane),
            is_base=pane.template == base,
        )
        for pane in reading.panes
    ]
    return [raw, *heads] if is_raw_shown else heads


def rows(reading: Reading, base: str) -> list[Row]:
    """A row a fact; words that the base template lacks are marked, and in it those that others lack.

    Args:
        reading: One variant in one language.
        base: The template that the others are compared with.
    """
    cuts = [_Cut(pane, _blocks(reading, pane)) for pane in reading.panes]
    found = [_frame(t("saw_before"), [cut.blocks.before for cut in cuts], cuts, base)]
    for cell in reading.cells:
        texts = [cut.blocks.facts.get(cell.key, "") for cut in cuts]
        compared = _compared(texts, cuts, base)
        cells = [
            _grid_cell(reading, cell, cut.pane, parts)
            for cut, parts in zip(cuts, compared, strict=True)
        ]
        found.append(_fact_row(reading, cell, [_evidence(cell), *cells]))
    found.append(_frame(t("saw_after"), [cut.blocks.after for cut in cuts], cuts, base))
    return [row for row in found if row is not None]


def change_rows(clean: Reading, noisy: Reading) -> list[Row]:
    """A row a fact; what noise took out of each template's words and what it put in."""
    before = [_Cut(pane, _blocks(clean, pane)) for pane in clean.panes]
    after = [_Cut(pane, _blocks(noisy, pane)) for pane in noisy.panes]
    alike = _marks(clean, noisy)
    found: list[Row] = []
    for cell in _all_cells(clean, noisy):
        pairs = zip(before, after, strict=True)
        texts = [
            (b.blocks.facts.get(cell.key, ""), a.blocks.facts.get(cell.key, "")) for b, a in pairs
        ]
        cells = [
            _grid_cell(noisy, cell, cut.pane, _bounded(changes(*text, alike)))
            for cut, text in zip(after, texts, strict=True)
        ]
        found.append(_fact_row(noisy, cell, cells))
    return found


def _all_cells(clean: Reading, noisy: Reading) -> list[Cell]:
    """The facts of both, noisy ones where there are both, in the order of the clean ones."""
    after = {cell.key: cell for cell in noisy.cells}
    kept = [after.pop(cell.key, cell) for cell in clean.cells]
    return [*kept, *after.values()]


def _marks(clean: Reading, noisy: Reading) -> tuple[str, ...]:
    """The marks around free text name their snapshot: another one is no change of the text."""
    hashes = [r.resolved.snapshot_hash for r in (clean, noisy) if r.resolved is not None]
    return tuple(text[:8] for text in hashes)


def _blocks(reading: Reading, pane: Pane) -> Blocks:
    wording = reading.wording()
    told = [
        (cell.key, wording.label(cell))
        for cell in reading.cells
        if pane.coverage.get(cell.key) is not Coverage.OMITTED
    ]
    return blocks(pane.text or "", told)


def _compared(texts: Sequence[str], cuts: Sequence[_Cut], base: str) -> list[list[Part]]:
    by_template = {cut.pane.template: text for cut, text in zip(cuts, texts, strict=True)}
    found = []
    for cut, text in zip(cuts, texts, strict=True):
        template = cut.pane.template
        others = _others(template, base, by_template)
        found.append(_bounded(marked(text, others)) if text else [])
    return found


def _others(template: str, base: str, by_template: Mapping[str, str]) -> list[str]:
    """What a template's text is compared with: the base; the base itself with all others."""
    if template != base:
        return [by_template.get(base, "")]
    return [text for name, text in by_template.items() if name != base and text]


def _bounded(parts: Sequence[Part]) -> list[Part]:
    return list(_until(parts, MAX_CELL))


def _until(parts: Sequence[Part], room: int) -> Iterator[Part]:
    for part in parts:
        if len(part.text) > room:
            yield Part(f"{part.text[:room]} …", part.mark)
            return
        room -= len(part.text)
        yield part


def _frame(title: str, texts: Sequence[str], cuts: Sequence[_Cut], base: str) -> Row | None:
    if not any(texts):
        return None
    cells = [GridCell(parts, "none") for parts in _compared(texts, cuts, base)]
    return Row(title, "", (), "frame", [GridCell((), "none"), *cells])


def _fact_row(reading: Reading, cell: Cell, cells: Sequence[GridCell]) -> Row:
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


def _grid_cell(reading: Reading, cell: Cell, pane: Pane, parts: Sequence[Part]) -> GridCell:
    coverage = pane.coverage.get(cell.key)
    if coverage is None:
        return GridCell(parts, "none")
    is_required = cell.type in reading.critical or cell.kind.value == "CONFLICT"
    is_broken = is_required and coverage is not Coverage.SHOWN
    note = t("saw_broken", word=coverage_word(coverage)) if is_broken else coverage_word(coverage)
    return GridCell(parts, coverage.value, note, is_broken)


def _evidence(cell: Cell) -> GridCell:
    """The raw values that a fact was read from, each with its source; of a derived one its formula."""
    lines = [f"{fragment.source}: {_raw(fragment)}" for fragment in cell.evidence]
    return GridCell(_bounded([Part("\n".join(lines), "same")]), "none")


def _raw(fragment: SemanticFragment) -> str:
    if fragment.raw is not None:
        return fragment.raw
    if fragment.kind is FragmentKind.DERIVED and fragment.reason:
        return f"= {fragment.reason}"
    return NO_VALUE
