"""A row of small facts: a word above its value. Values may come from a trace."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st


@dataclass(frozen=True, slots=True)
class Fact:
    """One value under its word; None is left out."""

    label: str
    """From the catalogue."""
    value: str | None


def facts(items: Sequence[Fact], key: str) -> None:
    """Draw the facts that have a value, side by side, wrapping."""
    shown = [item for item in items if item.value is not None]
    if not shown:
        return
    with st.container(horizontal=True, gap="medium", key=f"facts_{key}"):
        for index, item in enumerate(shown):
            with st.container(gap=None, width="content", key=f"fact_{key}_{index}"):
                st.caption(item.label)
                st.text(item.value)
