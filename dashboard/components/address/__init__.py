"""Makes the browser's Back return to the page before, in one step."""

import streamlit as st

from dashboard.components.assets import asset

__all__ = ["one_entry_a_navigation"]

_mount = st.components.v2.component(
    "toolsight_address",
    js=asset(__name__, "address.js"),
)


def one_entry_a_navigation() -> None:
    """Mount once a page; draws nothing."""
    _mount(key="address", height=1)
