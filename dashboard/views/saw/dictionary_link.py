"""From a fact to the dictionary that read it. Pure."""

import json
from typing import NamedTuple

from dashboard.views.dictionaries.lookup import dictionary_of
from dashboard.views.saw.reading import Reading
from pipeline.observation import Cell


class DictionaryLink(NamedTuple):
    """What the page Dictionaries has to be asked for."""

    tool: str
    fact_type: str
    raw: str | None
    """The value that was read, as the tool wrote it; None where that is not known whole."""


def dictionary_link(reading: Reading, cell: Cell) -> DictionaryLink | None:
    """Where the words for a fact are kept; None for facts that no dictionary maps."""
    for fragment in cell.evidence:
        if dictionary_of(reading.rules.rule_set, fragment.tool, cell.type) is not None:
            return DictionaryLink(fragment.tool, cell.type, _text(fragment.raw))
    return None


def _text(raw: str | None) -> str | None:
    """The text inside a recorded raw value; other scalars as they stand."""
    if raw is None:
        return None
    try:
        value = json.loads(raw)
    except ValueError:
        return None
    if isinstance(value, str):
        return value
    return raw if isinstance(value, int | float) else None
