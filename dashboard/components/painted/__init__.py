"""Tells when the browser has drawn what came before it."""

from collections.abc import Callable
from importlib.resources import files

import streamlit as st

__all__ = ["painted"]

_mount = st.components.v2.component(
    "toolsight_painted",
    js=files(__package__).joinpath("painted.js").read_text(encoding="utf-8"),
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
