"""Cases from a trace: paste its id, and say what was right where no label does."""

from datetime import UTC, datetime
from typing import Final

import streamlit as st

from dashboard import links, queries
from dashboard.formats import count_text
from dashboard.i18n import t
from replay_store.replay import keep_cases
from replay_store.replay.capture import CaptureError, Wanted, capture

_TOLD: Final = "replay_made"
_FORM: Final = "replay_make"
_OPENED_FOR: Final = "replay_make_opened_for"
"""The trace by which the form was opened last: once closed, it stays so."""


def make_form() -> None:
    """Draw the form, open for who comes from a trace, and what the last use of it made."""
    named = st.query_params.get("trace_id", "")
    if named and st.session_state.get(_OPENED_FOR) != named:
        st.session_state[_OPENED_FOR] = named
        st.session_state[_FORM] = True
    with st.popover(t("replay_make"), icon=":material/add:", key=_FORM, on_change="rerun"):
        st.text_input(t("replay_make_trace"), key="replay_make_trace", max_chars=200, value=named)
        st.checkbox(t("replay_make_accept"), key="replay_make_accept")
        st.button(t("replay_make_go"), key="replay_make_go", type="primary", on_click=_make)
    told = st.session_state.pop(_TOLD, None)
    if told is not None:
        heading, lines = told
        st.info(heading, icon=":material/info:")
        if lines:
            st.code("\n".join(lines), language=None)


def _make() -> None:
    st.session_state[_FORM] = False
    text = str(st.session_state.get("replay_make_trace") or "")
    found = queries.resolve_trace_id(text)
    if len(found) != 1:
        st.session_state[_TOLD] = (t("replay_make_unknown", n=count_text(len(found))), ())
        return
    wanted = Wanted(accept=bool(st.session_state.get("replay_make_accept")))
    now = datetime.now(UTC).replace(microsecond=0).isoformat()
    try:
        captured = capture(queries.database(), found[0], wanted, now)
    except CaptureError as error:
        st.session_state[_TOLD] = (t("replay_make_nothing"), (str(error),))
        return
    keep_cases(queries.database(), captured.cases)
    heading = t("replay_made", n=count_text(len(captured.cases)))
    st.session_state[_TOLD] = (heading, captured.left_out)
    for name in ("kind", "tool"):
        links.set_parameter(name, None)
    links.set_parameter("case", captured.cases[0].case_id)
