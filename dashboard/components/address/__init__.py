"""Makes the browser's Back return to the page before, in one step."""

from importlib.resources import files

import streamlit as st

__all__ = ["one_entry_a_navigation"]

_mount = st.components.v2.component(
    "toolsight_address",
    js=files(__package__).joinpath("address.js").read_text(encoding="utf-8"),
)


def one_entry_a_navigation() -> None:
    """Mount once a page; draws nothing."""
    _mount(key="address", height=1)
