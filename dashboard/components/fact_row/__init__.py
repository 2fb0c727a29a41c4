"""Small facts side by side, a word above its value: one element of a page instead of three a fact."""

from collections.abc import Sequence

import streamlit as st

from dashboard.components.assets import asset

__all__ = ["fact_row"]


_mount = st.components.v2.component(
    "toolsight_fact_row",
    html='<dl class="facts"></dl>',
    css=asset(__name__, "fact_row.css"),
    js=asset(__name__, "fact_row.js"),
)


def fact_row(items: Sequence[tuple[str, str]], *, key: str) -> None:
    """Draw words and values in order, wrapping. Values may be of a trace.

    Args:
        items: A word and its value each.
        key: Of the component.
    """
    _mount(key=key, data={"facts": [list(item) for item in items]})
