"""Dictionaries: what the tools' values mean, tried on recorded traffic before it counts."""

from typing import Final

import streamlit as st

from dashboard import links, queries
from dashboard.filters import range_key, zone
from dashboard.formats import minute_text
from dashboard.i18n import t
from dashboard.views.dictionaries import queries as dictionaries_queries
from dashboard.views.dictionaries import state as dictionaries_state
from dashboard.views.dictionaries.draft_form import draft_section
from dashboard.views.dictionaries.entry import entry_section
from dashboard.views.dictionaries.history import history_section, put_in_force
from dashboard.views.dictionaries.reading import reading_section
from dashboard.views.dictionaries.refused import refused
from dashboard.views.dictionaries.rereading import read_again
from dashboard.views.dictionaries.schema import schema_section
from dashboard.views.dictionaries.text import version_text
from dashboard.views.dictionaries.thresholds import thresholds_section
from dashboard.views.dictionaries.unmapped import unmapped_section
from dashboard.views.dictionaries.workers import workers_section
from dashboard.views.facts import Fact, facts
from metrics import Scope
from pipeline.errors import ToolsightError
from replay_store.rule_store import Move, StoredRules

_VALUES: Final = "values"
_THRESHOLDS: Final = "thresholds"
_SCHEMA: Final = "schema"
_READING: Final = "reading"


def render() -> None:
    """Draw the version in force, what no dictionary knows, the draft, and the history."""
    st.header(t("page_dictionaries"), anchor=False)
    st.caption(t("dictionaries_intro"))
    try:
        stored = dictionaries_queries.in_force()
    except ToolsightError as error:
        refused(t("dictionaries_unusable"), error)
        history_section(None)
        return
    _head(stored)
    _done(stored)
    period = queries.scope(range_key())
    workers_section(stored, dictionaries_queries.history(), period)
    if period is None:
        st.info(t("dictionaries_no_data"), icon=":material/inbox:")
    look = _look()
    if look == _THRESHOLDS:
        thresholds_section(stored, period or _everything())
    elif look == _SCHEMA:
        schema_section(stored)
    elif look == _READING:
        reading_section(stored)
    else:
        if period is not None:
            unmapped_section(stored, period)
        entry_section(stored, period)
    draft_section(stored, period or _everything())
    history_section(stored)


def _look() -> str:
    """What is looked at, as the address says; written there when a person chooses."""
    labels = {
        _VALUES: t("dictionaries_look_values"),
        _READING: t("dictionaries_look_reading"),
        _THRESHOLDS: t("dictionaries_look_thresholds"),
        _SCHEMA: t("dictionaries_look_schema"),
    }
    key = "dictionaries_look"
    wanted = st.query_params.get("look", _VALUES)
    st.session_state[key] = wanted if wanted in labels else _VALUES

    def changed() -> None:
        chosen = st.session_state[key]
        links.set_parameter("look", None if chosen == _VALUES else chosen)

    st.segmented_control(
        t("dictionaries_look"),
        tuple(labels),
        key=key,
        format_func=labels.__getitem__,
        on_change=changed,
        required=True,
        label_visibility="collapsed",
    )
    return str(st.session_state[key])


def _head(stored: StoredRules) -> None:
    moves = dictionaries_queries.history()
    with st.container(horizontal=True, vertical_alignment="bottom", key="dictionaries_head"):
        facts(
            (
                Fact(t("dictionaries_in_force"), version_text(stored.version)),
                *(_signature(moves[0]) if moves else ()),
            ),
            key="dictionaries",
        )
    n_unread = dictionaries_queries.n_unread(stored)
    if n_unread and dictionaries_state.done() is None:
        _unread(stored, n_unread)


def _signature(move: Move) -> tuple[Fact, ...]:
    return (
        Fact(t("dictionaries_since"), minute_text(move.moved_time_ns, zone())),
        Fact(t("dictionaries_who"), move.moved_by),
        Fact(t("dictionaries_why"), move.reason),
    )


def _unread(stored: StoredRules, n_unread: int) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="dictionaries_unread"):
        st.caption(t("dictionaries_unread", n=f"{n_unread:,}"), width="content")
        is_asked = st.button(
            t("dictionaries_read_now"), icon=":material/refresh:", key="dictionaries_read_now"
        )
    if is_asked:
        read_again(stored)
        st.rerun()


def _done(stored: StoredRules) -> None:
    done = dictionaries_state.done()
    if done is None:
        return
    st.success(
        t(done.key, version=version_text(stored.version), n=f"{done.n_read:,}"),
        icon=":material/check_circle:",
    )
    if done.undo_to is None:
        return
    if st.button(t("dictionaries_undo"), icon=":material/undo:", key="dictionaries_undo"):
        put_in_force(done.undo_to, dictionaries_state.author(), t("dictionaries_undo_reason"))


def _everything() -> Scope:
    return Scope(0, 2**62)
