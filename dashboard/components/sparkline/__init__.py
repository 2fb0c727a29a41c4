"""A small trend line for a card: gaps stay gaps, a limit is dashed."""

from collections.abc import Sequence

import streamlit as st

from dashboard.components.assets import asset

__all__ = ["sparkline"]


_mount = st.components.v2.component(
    "toolsight_sparkline",
    html='<div class="sparkline"></div>',
    css=asset(__name__, "sparkline.css"),
    js=asset(__name__, "sparkline.js"),
)


def sparkline(values: Sequence[float | None], *, limit: float | None, label: str, key: str) -> None:
    """Draw the values, oldest first; None leaves a gap.

    Args:
        values: One a bucket.
        limit: Drawn as a dashed line; None draws none.
        label: What a screen reader says.
        key: Of the component.
    """
    _mount(key=key, data={"values": list(values), "limit": limit, "label": label}, height=40)
