"""A search in the text of spans: told as it goes, stopped when asked."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import streamlit as st

from dashboard import queries
from dashboard.formats import count_text, rate_text
from dashboard.i18n import t
from replay_store.reader import TraceFilter
from replay_store.text_search import MAX_FOUND, SearchState, TextSearch

__all__ = ["text_results"]

_KEY: Final = "text_search"
_EVERY_SECONDS: Final = 1.0


@dataclass(slots=True)
class _Running:
    asked: tuple[object, ...]
    search: TextSearch


def text_results(
    words: tuple[str, ...], wanted: TraceFilter, draw: Callable[[TraceFilter], None]
) -> None:
    """Draw how far the search is and what it found, which other conditions narrow.

    Args:
        words: Each must be in one span.
        wanted: The other conditions; its time bounds the search.
        draw: Draws the list of what passes a filter.
    """
    search = _search(words, wanted)
    every = None if search.state.is_done else _EVERY_SECONDS

    @st.fragment(run_every=every)
    def results() -> None:
        state = search.state
        _progress(state, search)
        if state.trace_ids:
            draw(replace(wanted, trace_ids=state.trace_ids, start_time_ns=None, end_time_ns=None))
        elif state.is_done:
            st.info(t("text_nothing"), icon=":material/search_off:")
        if state.is_done and every is not None:
            st.rerun()

    results()


def _search(words: tuple[str, ...], wanted: TraceFilter) -> TextSearch:
    """The search of this session; a new one when something else is asked, or the store moved."""
    asked = (words, wanted.start_time_ns, wanted.end_time_ns, queries.store_key())
    running = st.session_state.get(_KEY)
    if isinstance(running, _Running) and running.asked == asked:
        return running.search
    if isinstance(running, _Running):
        running.search.stop()
    search = TextSearch(
        queries.database(),
        words,
        start_time_ns=wanted.start_time_ns,
        end_time_ns=wanted.end_time_ns,
    )
    st.session_state[_KEY] = _Running(asked, search)
    search.start()
    return search


def _progress(state: SearchState, search: TextSearch) -> None:
    found = count_text(len(state.trace_ids))
    if not state.is_done:
        with st.container(horizontal=True, vertical_alignment="center", key="text_progress"):
            text = t("text_running", share=rate_text(state.fraction), n=found)
            st.progress(min(1.0, state.fraction), text=text)
            st.button(t("text_stop"), key="text_stop", icon=":material/stop:", on_click=search.stop)
        return
    if state.is_full:
        st.caption(t("text_full", n=count_text(MAX_FOUND)))
    elif state.is_stopped:
        st.caption(t("text_stopped", share=rate_text(state.fraction), n=found))
    else:
        st.caption(t("text_done", n=found))
