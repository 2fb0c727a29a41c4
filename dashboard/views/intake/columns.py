"""Tables of the Intake page: a column is a catalogue text and what each row shows in it."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from typing import Any, Final

import pandas as pd
import streamlit as st

from dashboard.formats import NO_VALUE, duration_text
from dashboard.i18n import t

__all__ = ["NS_PER_MINUTE", "NS_PER_MS", "base_name", "lag", "listed"]

NS_PER_MINUTE: Final = 60_000_000_000
NS_PER_MS: Final = 1_000_000
_PREFIX: Final = "intake_column_"
_SHORT: Final = 12
"""Rows up to which a table is as high as what is in it."""
_HEIGHT: Final = 400


def listed(key: str, rows: Sequence[Any], columns: Mapping[str, Callable[[Any], Any]]) -> None:
    """Draw a table; whole numbers get thousands separators.

    Args:
        key: Of the table.
        rows: One a line.
        columns: Keys of the headings, in order, and what a cell shows of a row.
    """
    names = {heading: heading.removeprefix(_PREFIX) for heading in columns}
    frame = pd.DataFrame(
        {names[heading]: _column([cell(row) for row in rows]) for heading, cell in columns.items()}
    )
    st.dataframe(
        frame,
        key=key,
        hide_index=True,
        height="content" if len(rows) <= _SHORT else _HEIGHT,
        column_config={name: _config(t(heading), frame[name]) for heading, name in names.items()},
    )


def _column(values: list[Any]) -> Any:
    """Whole numbers stay whole beside unknown ones."""
    is_whole = all(value is None or isinstance(value, int) for value in values)
    return pd.array(values, dtype="Int64") if is_whole else values


def _config(heading: str, column: "pd.Series[Any]") -> Any:
    if pd.api.types.is_integer_dtype(column):
        return st.column_config.NumberColumn(heading, format="localized")
    return st.column_config.TextColumn(heading)


def base_name(path: str) -> str:
    """The last part of a path; a way in, such as `otlp-http`, is its own."""
    return PurePath(path).name or path


def lag(milliseconds: int | None) -> str:
    """A wait with its unit."""
    return NO_VALUE if milliseconds is None else duration_text(milliseconds * NS_PER_MS)
