"""Tells when the browser has drawn what came before it."""

from collections.abc import Callable

import streamlit as st

from dashboard.components.assets import asset

__all__ = ["painted"]

_mount = st.components.v2.component(
    "toolsight_painted",
    js=asset(__name__, "painted.js"),
)


def painted(*, key: str, on_painted: Callable[[], None] = lambda: None) -> bool:
    """Mount; draws nothing. The fragment it is in runs again once the browser is at rest.

    Args:
        key: Of the component.
        on_painted: Called first; may say what runs instead.

    Returns:
        Whether this run is the answer to that.
    """
    mounted = _mount(key=key, height=1, on_painted_change=on_painted)
    return mounted.painted is not None
