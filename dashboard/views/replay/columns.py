"""Tables of the Replay page: a heading is a catalogue text, a column what stands under it."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pandas as pd
import streamlit as st

from dashboard.i18n import t

_PREFIX: Final = "replay_column_"
_SHORT: Final = 8
"""Rows up to which a table is as high as what is in it."""
_HEIGHT: Final = 320


def listed(key: str, columns: Mapping[str, Sequence[Any]]) -> None:
    """Draw a table; whole numbers get thousands separators.

    Args:
        key: Of the table.
        columns: By the key of their heading, in order; all of one length.
    """
    names = {heading: heading.removeprefix(_PREFIX) for heading in columns}
    frame = pd.DataFrame({names[heading]: list(values) for heading, values in columns.items()})
    st.dataframe(
        frame,
        key=key,
        hide_index=True,
        height="content" if len(frame) <= _SHORT else _HEIGHT,
        column_config={
            name: _config(t(heading), columns[heading]) for heading, name in names.items()
        },
    )


def _config(heading: str, values: Sequence[Any]) -> Any:
    if values and all(isinstance(value, int) for value in values):
        return st.column_config.NumberColumn(heading, format="localized")
    return st.column_config.TextColumn(heading)
