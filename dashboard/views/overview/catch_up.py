"""Figures of a moment ago, while newer ones are being computed: says so, and draws the newer ones.

It follows the store as it was when the page was asked for, and no further: a page that nobody asked
to watch comes to rest.
"""

import time
from typing import Any, Final

import streamlit as st

from dashboard import queries
from dashboard.components.ticker import ticker
from dashboard.filters import range_key
from dashboard.i18n import t
from dashboard.refreshed import Answer

_SECONDS: Final = 1
_CAUGHT_UP: Final = "overview_caught_up"


def catch_up(answer: Answer[Any]) -> None:
    """Draw the note, until the figures are of now; nothing when they are.

    It stands on a line that is there anyway, so that nothing below moves when it comes and goes.
    """
    is_enough = st.session_state.pop(_CAUGHT_UP, False)
    if not answer.is_newest and not is_enough:
        _follow(queries.store_key().version)


@st.fragment
def _follow(wanted: int) -> None:
    if ticker(seconds=_SECONDS, asked=str(time.time_ns()), key="overview_catch_up"):
        answer = queries.report(range_key())
        if answer is None or answer.version >= wanted:
            st.session_state[_CAUGHT_UP] = True
            st.rerun()
    st.caption(t("figures_behind"), width="content", help=t("figures_behind_help"))
