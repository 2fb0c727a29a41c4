"""The box on every page into which a person pastes what a ticket says."""

from typing import Final

import streamlit as st

from dashboard import links, queries
from dashboard.i18n import t

__all__ = ["MAX_CHARS", "find_box", "open_found"]

MAX_CHARS: Final = 4_000
"""A line of a log; an address that holds more is refused by proxies."""
_KEY: Final = "find_box"


def find_box() -> None:
    """Draw the box. What is entered opens the trace that it names, or the page that says why not."""

    def entered() -> None:
        text = str(st.session_state[_KEY]).strip()
        st.session_state[_KEY] = ""
        if text:
            open_found(text)

    st.text_input(
        t("find_label"),
        key=_KEY,
        placeholder=t("find_placeholder"),
        icon=":material/search:",
        max_chars=MAX_CHARS,
        help=t("find_help"),
        on_change=entered,
    )


def open_found(text: str) -> None:
    """Open the one trace that a text names, at the span that it names; for callbacks only."""
    found = queries.find(text)
    if found.n == 1:
        [match] = found.matches
        links.go_to("trace", trace_id=match.trace_id, span=match.span_id)
    else:
        links.go_to("trace", trace_id=text)
