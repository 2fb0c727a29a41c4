"""Asks again after a while, as long as somebody can see the page."""

import streamlit as st

from dashboard.components.assets import asset

__all__ = ["ticker"]

_mount = st.components.v2.component(
    "toolsight_ticker",
    js=asset(__name__, "ticker.js"),
)


def ticker(*, seconds: int, asked: str, key: str) -> bool:
    """Mount; draws nothing. The fragment it is in runs again after `seconds`.

    The next wait begins with the answer, so that a slow server is never asked twice at once. A tab
    that is hidden does not ask; one that comes back asks at once when its wait is over.

    Args:
        seconds: How long to wait.
        asked: Another text in every run: by it the browser knows that it was answered.
        key: Of the component.

    Returns:
        Whether this run is the answer to a tick.
    """
    mounted = _mount(
        key=key,
        data={"seconds": seconds, "asked": asked},
        height=1,
        on_tick_change=lambda: None,
    )
    return mounted.tick is not None
