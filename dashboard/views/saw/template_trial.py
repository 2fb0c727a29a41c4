"""A template as somebody is writing it, tried on a recorded observation. Pure; nothing is stored."""

from collections.abc import Sequence
from dataclasses import dataclass

from dashboard.views.saw.panes import Pane, pane
from dashboard.views.saw.reading import Reading, Renderer
from pipeline.observation import TEMPLATES, Cell, CellKind, Coverage, TemplateError
from pipeline.observation.render import template_source


@dataclass(frozen=True, slots=True)
class TemplateTrial:
    """What a draft makes of an observation, beside what its template makes of it now."""

    before: Pane
    """The template as it stands, rendered now."""
    after: Pane
    broken: Sequence[Cell]
    """Critical facts and conflicts that the draft does not show in full."""


def source_of(renderer: Renderer, template: str, language: str) -> str | None:
    """The text of a template, the package's or an owner's; None when it is not written so."""
    try:
        if template in TEMPLATES:
            return template_source(template, language)
        return renderer.owned.source(template, language)
    except TemplateError:
        return None


def try_template(reading: Reading, renderer: Renderer, template: str, source: str) -> TemplateTrial:
    """Render a draft.

    Args:
        reading: One variant of an observation in one language.
        renderer: Renders it.
        template: The template that the draft was begun from.
        source: The draft.

    Returns:
        With a draft that cannot be used, `after` has no text and says why.
    """
    stands = source_of(renderer, template, reading.language)
    is_same = source == stands
    before = _pane(reading, renderer, template, None)
    after = before if is_same else _pane(reading, renderer, template, source)
    return TemplateTrial(before, after, _broken(reading, after))


def _pane(reading: Reading, renderer: Renderer, template: str, source: str | None) -> Pane:
    made, problem = renderer.render(
        reading.resolved, template, reading.language, reading.variant, source=source
    )
    return pane(template, None, made, problem, reading.cells, reading.wording(), reading.counter)


def _broken(reading: Reading, made: Pane) -> list[Cell]:
    if made.text is None:
        return []
    return [
        cell
        for cell in reading.cells
        if cell.type in reading.critical or cell.kind is CellKind.CONFLICT
        if made.coverage.get(cell.key) is not Coverage.SHOWN
    ]
