"""Small facts side by side, a word above its value: one element of a page instead of three a fact."""

from collections.abc import Sequence
from importlib.resources import files

import streamlit as st

__all__ = ["fact_row"]


def _asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


_mount = st.components.v2.component(
    "toolsight_fact_row",
    html='<dl class="facts"></dl>',
    css=_asset("fact_row.css"),
    js=_asset("fact_row.js"),
)


def fact_row(items: Sequence[tuple[str, str]], *, key: str) -> None:
    """Draw words and values in order, wrapping. Values may be of a trace.

    Args:
        items: A word and its value each.
        key: Of the component.
    """
    _mount(key=key, data={"facts": [list(item) for item in items]})
