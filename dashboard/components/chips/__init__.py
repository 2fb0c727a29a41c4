"""Counts that are buttons: groups of chips, each a value and how often it is there.

Values may be text from a trace: the browser writes them as text, which no label of Streamlit does.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import streamlit as st

from dashboard.components.assets import asset

__all__ = ["Chip", "ChipGroup", "chips"]


@dataclass(frozen=True, slots=True)
class Chip:
    """One value; `value` comes back when a person chooses it."""

    value: str
    label: str
    n: str
    """How often, as it is to be read."""
    is_on: bool = False


@dataclass(frozen=True, slots=True)
class ChipGroup:
    """The values of one kind, in order."""

    name: str
    label: str
    chips: tuple[Chip, ...]


_mount = st.components.v2.component(
    "toolsight_chips",
    html='<div class="chips"></div>',
    css=asset(__name__, "chips.css"),
    js=asset(__name__, "chips.js"),
)


def chips(groups: Sequence[ChipGroup], *, key: str, on_chosen: Callable[[], None]) -> None:
    """Draw the groups side by side; none without a chip.

    Args:
        groups: In order.
        key: Of the component; `st.session_state[key].chosen` holds `{"name", "value"}` while
            `on_chosen` runs.
        on_chosen: Called when a person chooses a chip, one that is on too.
    """
    data = [asdict(group) for group in groups if group.chips]
    _mount(key=key, data={"groups": data}, on_chosen_change=on_chosen)
