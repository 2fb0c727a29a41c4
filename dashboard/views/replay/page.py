"""Replay: what a change would have changed in recorded situations, run by run and case by case."""

from typing import Final

import streamlit as st

from dashboard import links
from dashboard.i18n import t
from dashboard.views.loading import still_loading
from dashboard.views.replay import queries as replay_queries
from dashboard.views.replay.cases import cases_view
from dashboard.views.replay.make import make_form
from dashboard.views.replay.noise import noise_view
from dashboard.views.replay.runs import runs_view

_VIEWS: Final = {"runs": runs_view, "cases": cases_view, "noise": noise_view}
_LABELS: Final = {
    "runs": "replay_view_runs",
    "cases": "replay_view_cases",
    "noise": "replay_view_noise",
}


def render() -> None:
    """Draw the page, or how to make the first case."""
    st.header(t("page_replay"), anchor=False)
    if still_loading():
        return
    if not replay_queries.cases() and not replay_queries.runs():
        _no_cases()
        return
    _VIEWS[_view()]()


def _no_cases() -> None:
    st.info(t("replay_none"), icon=":material/inbox:")
    st.markdown(t("replay_none_body"))
    st.code("toolsight replay case TRACE_ID\ntoolsight ingest cases.jsonl", language=None)
    make_form()


def _view() -> str:
    key = "replay_view"

    def changed() -> None:
        links.set_parameter("view", st.session_state[key])

    wanted = st.query_params.get("view", "")
    st.session_state[key] = wanted if wanted in _VIEWS else "runs"
    st.segmented_control(
        t("replay_view"),
        list(_VIEWS),
        key=key,
        format_func=lambda name: t(_LABELS[name]),
        on_change=changed,
        required=True,
        label_visibility="collapsed",
    )
    return str(st.session_state[key])
