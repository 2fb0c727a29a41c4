"""The draft: what it changes in the files, what it would have changed for the model, publishing."""

import time

import streamlit as st

from dashboard import queries
from dashboard.formats import count_text
from dashboard.i18n import t
from dashboard.views.dictionaries import queries as dictionaries_queries
from dashboard.views.dictionaries import state as dictionaries_state
from dashboard.views.dictionaries.draft import Draft, difference, moved_to
from dashboard.views.dictionaries.effect import effect
from dashboard.views.dictionaries.refused import refused
from dashboard.views.dictionaries.rereading import read_again
from dashboard.views.dictionaries.state import AUTHOR, Done
from metrics import Scope
from pipeline.errors import ToolsightError
from pipeline.observation import load_rules
from replay_store import rule_store
from replay_store.backtest import backtest
from replay_store.backtest_impact import Impact
from replay_store.rule_store import MAX_AUTHOR, MAX_REASON, StoredRules, short


def draft_section(stored: StoredRules, period: Scope) -> None:
    """Draw the draft; without one, what would start it."""
    st.subheader(t("dictionaries_draft"), anchor=False)
    draft = dictionaries_state.draft(stored)
    if not draft.is_changed:
        _no_draft()
        return
    if draft.base_version != stored.version:
        _moved(draft, stored)
    names = (short(draft.base_version), t("dictionaries_draft_name"))
    st.code(difference(draft.base, draft.texts, names), language="diff", wrap_lines=True)
    wants_effect = _bar()
    impact = _try(draft, period) if wants_effect else dictionaries_state.seen(draft, period)
    if impact is None:
        st.caption(t("dictionaries_effect_first"))
        return
    effect(impact, load_rules(draft.texts))
    _publish(draft)


def _no_draft() -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(t("dictionaries_draft_none"), width="content")
        if dictionaries_state.discarded() is not None:
            st.button(
                t("dictionaries_restore"),
                icon=":material/undo:",
                key="dictionaries_restore",
                on_click=dictionaries_state.restore_draft,
            )


def _moved(draft: Draft, stored: StoredRules) -> None:
    st.warning(t("dictionaries_moved"), icon=":material/alt_route:")
    names = (short(draft.base_version), short(stored.version))
    with st.expander(t("dictionaries_moved_what"), key="dictionaries_moved_what"):
        st.code(difference(draft.base, stored.texts, names), language="diff", wrap_lines=True)
    moved = moved_to(draft, stored.version, stored.texts)
    if moved.overwriting:
        st.caption(t("dictionaries_moved_overwriting"))
        st.code("\n".join(moved.overwriting), language=None)
    st.button(
        t("dictionaries_move"),
        icon=":material/merge:",
        key="dictionaries_move",
        on_click=dictionaries_state.keep_draft,
        args=(moved.draft,),
    )


def _bar() -> bool:
    with st.container(horizontal=True, gap="small", key="dictionaries_draft_bar"):
        wants_effect = st.button(
            t("dictionaries_effect"),
            type="primary",
            icon=":material/science:",
            key="dictionaries_effect",
        )
        st.button(
            t("dictionaries_discard"),
            icon=":material/delete:",
            key="dictionaries_discard",
            on_click=dictionaries_state.discard_draft,
        )
    return wants_effect


def _try(draft: Draft, period: Scope) -> Impact | None:
    """Run the back-test with a bar. Any click ends this run, and the back-test with it."""
    with st.container(key="dictionaries_running"):
        bar = st.progress(0.0, t("dictionaries_running", n=0, total=0))
        stop = st.empty()
        stop.button(t("dictionaries_cancel"), icon=":material/stop:", key="dictionaries_cancel")

    def report(n: int, total: int) -> None:
        text = t("dictionaries_running", n=count_text(n), total=count_text(total))
        bar.progress(n / total if total else 1.0, text)

    try:
        impact = backtest(
            queries.database(),
            load_rules(draft.base),
            load_rules(draft.texts),
            start_time_ns=period.start_time_ns,
            end_time_ns=period.end_time_ns,
            on_progress=report,
        )
    except ToolsightError as error:
        refused(t("dictionaries_refused"), error)
        return None
    bar.empty()
    stop.empty()
    dictionaries_state.keep_seen(draft, period, impact)
    return impact


def _publish(draft: Draft) -> None:
    with st.form("dictionaries_publish", enter_to_submit=False):
        st.markdown(t("dictionaries_publish_hint"))
        who = st.text_input(
            t("dictionaries_author"),
            dictionaries_state.author(),
            max_chars=MAX_AUTHOR,
            key="dictionaries_publish_author",
        )
        why = st.text_area(
            t("dictionaries_reason"),
            max_chars=MAX_REASON,
            height=80,
            key="dictionaries_publish_reason",
        )
        is_sent = st.form_submit_button(
            t("dictionaries_publish"), type="primary", icon=":material/publish:"
        )
    if not is_sent:
        return
    st.session_state[AUTHOR] = who
    if not who.strip() or not why.strip():
        st.error(t("dictionaries_signature"), icon=":material/edit:")
        return
    try:
        version = rule_store.publish(
            queries.database(), draft.base_version, draft.texts, who, why, time.time_ns
        )
    except ToolsightError as error:
        refused(t("dictionaries_refused"), error, "publish")
        return
    dictionaries_state.forget_draft()
    dictionaries_state.keep_done(Done("dictionaries_published", version, 0, draft.base_version))
    n_read = read_again(dictionaries_queries.in_force())
    done = Done("dictionaries_published_read", version, n_read, draft.base_version)
    dictionaries_state.keep_done(done)
    st.rerun()
