"""What people noted about a trace and made of it, and the form to say more."""

import time
from collections.abc import Mapping, Sequence
from typing import Final

import streamlit as st

from dashboard import queries
from dashboard.filters import zone
from dashboard.formats import minute_text
from dashboard.i18n import t
from pipeline.errors import ToolsightError
from replay_store.kept_by_people import STATES, keep_note, state_of, trace_notes
from replay_store.records import TraceNote

__all__ = ["note_form", "note_list", "notes_of", "state_badge"]

_NAME: Final = "alerts_author"
"""The name a person gave, for the session; the same as on the Alerts page."""
_STATES: Final[Mapping[str, str]] = {
    "investigating": "note_investigating",
    "explained": "note_explained",
    "fixed": "note_fixed",
    "no_fault": "note_no_fault",
}


def notes_of(trace_id: str) -> list[TraceNote]:
    """The notes of a trace, as they are now."""
    return trace_notes(queries.database(), trace_id)


def state_badge(notes: Sequence[TraceNote]) -> None:
    """What was last made of the trace; nothing while nobody said."""
    state = state_of(list(notes))
    if state is not None:
        st.badge(t(_STATES[state]), icon=":material/flag:", color="blue")


def note_list(notes: Sequence[TraceNote]) -> None:
    """The notes, oldest first."""
    in_zone = zone()
    for note in notes:
        state = "" if note.state is None else f"[{t(_STATES[note.state])}] "
        st.text(f"{minute_text(note.time_ns, in_zone)}  {note.author}  {state}{note.note or ''}")


def note_form(trace_id: str) -> None:
    """Draw the form in its menu; what is sent is kept, and the page drawn anew."""
    with st.popover(t("note_add"), icon=":material/edit_note:", key="note_add"):
        known = st.session_state.get(_NAME) or str(st.user.get("email") or "")
        with st.form(f"note_{trace_id}", border=False, clear_on_submit=True):
            note = st.text_area(t("note_text"), max_chars=4_000, height=96)
            state = st.selectbox(
                t("note_state"),
                ("", *STATES),
                format_func=lambda name: t(_STATES[name]) if name else t("note_same"),
            )
            author = st.text_input(t("alerts_name"), value=known, max_chars=200)
            is_sent = st.form_submit_button(t("note_keep"), type="primary")
        if is_sent:
            _keep(trace_id, author, note, state or None)


def _keep(trace_id: str, author: str, note: str, state: str | None) -> None:
    try:
        keep_note(
            queries.database(),
            trace_id,
            author=author,
            note=note,
            state=state,
            clock=time.time_ns,
        )
    except ToolsightError as error:
        st.error(t("note_refused"))
        st.text(str(error))
        return
    st.session_state[_NAME] = author
    st.rerun()
