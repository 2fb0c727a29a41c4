"""A page's title, and beside it whether the page keeps itself up to date.

The choice is in the address (`live=5`). A page that watches asks for the state of what it shows, and
runs again as a whole only when that has moved; everything on it keeps its place, because every part
keeps its key.
"""

import time
from collections.abc import Callable, Hashable
from datetime import datetime
from typing import Final

import streamlit as st

from dashboard import links, queries
from dashboard.components.ticker import ticker
from dashboard.filters import zone
from dashboard.formats import zone_text
from dashboard.i18n import t

__all__ = ["INTERVALS", "live_header", "live_seconds"]

INTERVALS: Final = (2, 5, 15, 60)
"""Seconds between two looks at the store that a person can choose."""
_PARAMETER: Final = "live"
_CHOICE: Final = "live_choice"
_OFF: Final = 0
State = Callable[[], Hashable]
"""What is compared to know whether there is anything new."""


def live_seconds() -> int:
    """Seconds between two looks, as the address spells them; 0 for a page that stays as it is."""
    wanted = st.query_params.get(_PARAMETER, "")
    return next((seconds for seconds in INTERVALS if str(seconds) == wanted), _OFF)


def live_header(
    title: str, state: State = queries.store_key, clock: Callable[[], float] = time.time
) -> None:
    """Draw the title and the choice; call it before anything of the page is asked for.

    Args:
        title: From the catalogue.
        state: Changes when the page would show something else.
        clock: Seconds since the epoch, now.
    """
    seconds = live_seconds()
    drawn = state() if seconds else None
    with st.container(
        horizontal=True,
        horizontal_alignment="distribute",
        vertical_alignment="center",
        key="live_header",
    ):
        st.header(title, anchor=False, width="content")
        with st.container(
            horizontal=True,
            width="content",
            gap="small",
            vertical_alignment="center",
            key="live",
        ):
            if seconds:
                _watch(drawn, state, seconds, clock)
            _choice(seconds)


def _choice(seconds: int) -> None:
    def changed() -> None:
        links.set_parameter(_PARAMETER, str(st.session_state[_CHOICE] or ""))

    st.session_state[_CHOICE] = seconds
    st.selectbox(
        t("live_label"),
        (_OFF, *INTERVALS),
        key=_CHOICE,
        format_func=lambda n: t("live_every", n=n) if n else t("live_off"),
        on_change=changed,
        label_visibility="collapsed",
        width=168,
        help=t("live_help"),
    )


@st.fragment
def _watch(drawn: Hashable, state: State, seconds: int, clock: Callable[[], float]) -> None:
    """Say since when nothing has moved; run the page again when something has."""
    now = clock()
    if ticker(seconds=seconds, asked=str(now), key="live_ticker") and state() != drawn:
        st.rerun()
    in_zone = zone()
    at = datetime.fromtimestamp(now, in_zone).strftime("%H:%M:%S")
    st.caption(t("live_at", time=at, zone=zone_text(in_zone, int(now * 1e9))), width="content")
