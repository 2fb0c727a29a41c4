"""A small trend line for a card: gaps stay gaps, a limit is dashed."""

from collections.abc import Sequence
from importlib.resources import files

import streamlit as st

__all__ = ["sparkline"]


def _asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


_mount = st.components.v2.component(
    "toolsight_sparkline",
    html='<div class="sparkline"></div>',
    css=_asset("sparkline.css"),
    js=_asset("sparkline.js"),
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
