"""The shadow run: a draft beside the version in force on what arrives, without showing it to anybody."""

import time
from functools import partial
from typing import Final

import streamlit as st

from dashboard import queries
from dashboard.background import Background, Report, Stopped
from dashboard.filters import zone
from dashboard.formats import minute_text
from dashboard.i18n import t
from dashboard.tuning.shadow import shadow_impact
from dashboard.views import working
from dashboard.views.dictionaries.draft import Draft
from dashboard.views.dictionaries.effect import frame_text, impact_sentence
from dashboard.views.dictionaries.refused import refused
from dashboard.views.dictionaries.who import is_named
from dashboard.views.facts import Fact, facts
from pipeline.errors import ToolsightError
from replay_store import rule_shadows
from replay_store.backtest_impact import Impact
from replay_store.database import Database
from replay_store.rule_shadows import Shadow
from replay_store.rule_store import short, version_of

_LOOK: Final = "dictionaries_shadow_looking"


def shadow_section(draft: Draft | None, who: str) -> None:
    """Draw the run under way with what it saw, or the way to begin one with this draft.

    Args:
        draft: The one that is worked on; None without any.
        who: Who looks; empty when they did not say.
    """
    running = rule_shadows.running_shadow(queries.database())
    if running is None and draft is None:
        return
    with st.container(border=True, key="dictionaries_shadow"):
        st.markdown(t("dictionaries_shadow"))
        if running is not None:
            _running(running, who)
        if draft is None or (running and running.version == version_of(draft.texts)):
            return
        if st.button(
            t("dictionaries_shadow_start"),
            icon=":material/contrast:",
            key="dictionaries_shadow_start",
        ):
            _start(draft, who)


def _running(running: Shadow, who: str) -> None:
    facts(
        (
            Fact(t("dictionaries_version"), short(running.version)),
            Fact(t("dictionaries_since"), minute_text(running.started_time_ns, zone())),
            Fact(t("dictionaries_who"), running.author),
        ),
        key="dictionaries_shadow",
    )
    with st.container(horizontal=True, gap="small", key="dictionaries_shadow_bar"):
        wants_look = st.button(
            t("dictionaries_shadow_look"),
            icon=":material/visibility:",
            key="dictionaries_shadow_look",
        )
        wants_stop = st.button(
            t("dictionaries_shadow_stop"), icon=":material/stop:", key="dictionaries_shadow_stop"
        )
    of = (running.version, running.started_time_ns)
    if wants_look:
        working.begin(_LOOK, of, partial(_seen, queries.database(), running))
    work = working.known(_LOOK, of)
    if work is not None and not working.is_working(_LOOK, work, "dictionaries_running"):
        _look(work)
    if wants_stop and is_named(who):
        rule_shadows.stop_shadow(queries.database(), who, time.time_ns)
        st.rerun()


def _seen(database: Database, running: Shadow, report: Report) -> Impact:
    return shadow_impact(database, running, on_progress=report)


def _look(work: Background[Impact]) -> None:
    try:
        impact = work.result()
    except Stopped:
        st.caption(t("dictionaries_stopped"))
        return
    except ToolsightError as error:
        refused(t("dictionaries_refused"), error, "shadow")
        return
    if not impact.n_observations:
        st.info(t("dictionaries_shadow_nothing"), icon=":material/inbox:")
        return
    if impact.is_nothing:
        st.info(t("dictionaries_shadow_same"), icon=":material/equal:")
    else:
        st.markdown(impact_sentence(impact))
    st.caption(frame_text(impact))


def _start(draft: Draft, who: str) -> None:
    if not is_named(who):
        return
    try:
        rule_shadows.start_shadow(
            queries.database(), draft.base_version, draft.texts, who, time.time_ns
        )
    except ToolsightError as error:
        refused(t("dictionaries_refused"), error, "shadow")
        return
    st.rerun()
