"""Prompts side by side, a row a fact: what each template says about it, and in which words."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import streamlit as st

from dashboard.components.assets import asset
from dashboard.components.prompt_diff.words import Part, changes, marked

__all__ = ["Column", "GridCell", "Part", "Row", "changes", "marked", "prompt_diff"]


@dataclass(frozen=True, slots=True)
class Column:
    """One text, at the head of its column."""

    title: str
    figure: str
    """Its size: `63 tokens`."""
    saving: str
    """Against the raw outputs; empty for those."""
    origin: str
    """Where the text is from."""
    tone: str
    """`plain`, `recorded`, `rendered` or `differs`: how the origin is marked."""
    is_base: bool = False


@dataclass(frozen=True, slots=True)
class GridCell:
    """What one text says about one fact."""

    parts: Sequence[Part]
    status: str
    """`shown`, `cut`, `omitted`, or `none` where there is nothing to judge."""
    note: str = ""
    """The status in words."""
    is_broken: bool = False
    """Whether the template had to show it and does not."""


@dataclass(frozen=True, slots=True)
class Row:
    """One fact, or what stands around the facts."""

    title: str
    entity: str
    notes: Sequence[str]
    tone: str
    """The kind of the fact in lower case; `frame` around the facts."""
    cells: Sequence[GridCell]


_mount = st.components.v2.component(
    "toolsight_prompt_diff",
    html='<div class="prompt-diff"></div>',
    css=asset(__name__, "prompt_diff.css"),
    js=asset(__name__, "prompt_diff.js"),
)


def prompt_diff(columns: Sequence[Column], rows: Sequence[Row], *, fact: str, key: str) -> None:
    """Draw the grid. Every word goes in as text.

    Args:
        columns: Left to right.
        rows: Top to bottom; each has a cell a column.
        fact: The head of the first column.
        key: Of the component.
    """
    data = {
        "fact": fact,
        "columns": [asdict(column) for column in columns],
        "rows": [_row(row) for row in rows],
    }
    _mount(key=key, data=data)


def _row(row: Row) -> dict[str, object]:
    cells = [
        {
            "parts": [[part.text, part.mark] for part in cell.parts],
            "status": cell.status,
            "note": cell.note,
            "broken": cell.is_broken,
        }
        for cell in row.cells
    ]
    return {
        "title": row.title,
        "entity": row.entity,
        "notes": list(row.notes),
        "tone": row.tone,
        "cells": cells,
    }
