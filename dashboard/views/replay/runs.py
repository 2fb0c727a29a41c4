"""The runs: start one, see its counts and verdict, and the runs before it."""

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

import streamlit as st

from dashboard import links
from dashboard.background import Background, Stopped
from dashboard.errors import DashboardError
from dashboard.filters import zone
from dashboard.formats import count_text, minute_text
from dashboard.i18n import t
from dashboard.replaying.report import report_html
from dashboard.views import working
from dashboard.views.facts import Fact, facts
from dashboard.views.replay import queries as replay_queries
from dashboard.views.replay.columns import listed
from dashboard.views.replay.results import results
from dashboard.views.replay.words import (
    chooser_text,
    interval_text,
    right_text,
    setup_text,
    verdict_text,
)
from replay_store.records import ReplayRun
from replay_store.replay import PlayedRun

_TRIED_KEYS: Final = {
    "code": "replay_try_code",
    "rules": "replay_try_rules",
    "lexical": "replay_try_lexical",
}
_NO_OTHER: Final = ""
_PLAYING: Final = "replay_playing"
_SAID: Final = "replay_problem"
"""Why nothing was played; None where somebody stopped it."""


def runs_view() -> None:
    """Draw the runs, or how to start the first one."""
    work = working.known(_PLAYING, _PLAYING)
    if work is not None and not working.is_working(_PLAYING, work, "replay_running"):
        _taken(work)
    known = replay_queries.runs()
    _start(is_first=not known)
    if not known:
        return
    chosen = _chosen(known, "run") or known[0]
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        _run_box(known, chosen)
        other = _other_box(known, chosen)
    played = replay_queries.run(chosen.run_id)
    _summary(played)
    results(played, None if other is None else replay_queries.run(other.run_id))
    _history(known)


def _start(*, is_first: bool) -> None:
    if is_first:
        st.markdown(t("replay_first"))
    with st.popover(t("replay_start"), icon=":material/play_arrow:", key="replay_start"):
        st.radio(
            t("replay_try"),
            replay_queries.TRIED,
            key="replay_tried",
            format_func=lambda tried: t(_TRIED_KEYS[tried]),
        )
        st.text_input(t("replay_by"), key="replay_by", max_chars=100)
        st.button(
            t("replay_play", n=count_text(len(replay_queries.cases()))),
            key="replay_play",
            type="primary",
            on_click=_play,
        )
        st.caption(t("replay_elsewhere"))
    if _SAID in st.session_state:
        problem = st.session_state.pop(_SAID)
        st.error(t("replay_failed"), icon=":material/error:")
        if problem is not None:
            st.code(problem, language=None)


def _play() -> None:
    """Begin; without a run in the address the newest one is shown, which this will be."""
    by = str(st.session_state.get("replay_by") or "").strip() or t("replay_by_page")
    play = replay_queries.player(str(st.session_state["replay_tried"]), by)
    for name in ("case", "change", "with", "run"):
        links.set_parameter(name, None)
    working.begin(_PLAYING, _PLAYING, play)
    work = working.known(_PLAYING, _PLAYING)
    if work is not None and work.is_over and (run := _taken(work)) is not None:
        links.set_parameter("run", str(run.run_id))


def _taken(work: Background[ReplayRun]) -> ReplayRun | None:
    """The run that came of it; None where none did, and why is said with the next drawing."""
    working.end(_PLAYING)
    try:
        return work.result()
    except Stopped:
        st.session_state[_SAID] = None
    except DashboardError as error:
        st.session_state[_SAID] = str(error)
    return None


def _chosen(known: Sequence[ReplayRun], parameter: str) -> ReplayRun | None:
    """The run that the address names; None for none."""
    try:
        wanted = UUID(st.query_params.get(parameter, ""))
    except ValueError:
        return None
    return next((run for run in known if run.run_id == wanted), None)


def _run_box(known: Sequence[ReplayRun], chosen: ReplayRun) -> None:
    key = "replay_run"

    def changed() -> None:
        links.set_parameter("case", None)
        links.set_parameter("run", st.session_state[key])

    st.session_state[key] = str(chosen.run_id)
    texts = {str(run.run_id): _run_text(run) for run in known}
    st.selectbox(
        t("replay_run"), list(texts), key=key, format_func=texts.__getitem__, on_change=changed
    )


def _other_box(known: Sequence[ReplayRun], chosen: ReplayRun) -> ReplayRun | None:
    """Another run to lay beside it; None for none."""
    key = "replay_with"

    def changed() -> None:
        links.set_parameter("with", st.session_state[key])

    found = _chosen(known, "with")
    other = None if found is None or found.run_id == chosen.run_id else found
    st.session_state[key] = _NO_OTHER if other is None else str(other.run_id)
    texts = {_NO_OTHER: t("replay_with_none")} | {
        str(run.run_id): _run_text(run) for run in known if run.run_id != chosen.run_id
    }
    st.selectbox(
        t("replay_with"), list(texts), key=key, format_func=texts.__getitem__, on_change=changed
    )
    return other


def _run_text(run: ReplayRun) -> str:
    return f"{minute_text(run.started_time_ns, zone())} · {setup_text(run.candidate)} · {run.created_by}"


def _summary(played: PlayedRun) -> None:
    run = played.run
    with st.container(horizontal=True, gap="medium", key="replay_summary"):
        st.metric(t("replay_broken"), count_text(run.n_broken))
        st.metric(t("replay_fixed"), count_text(run.n_fixed))
        same = t(
            "replay_same_help",
            right=count_text(run.n_same_right),
            wrong=count_text(run.n_same_wrong),
        )
        st.metric(t("replay_same"), count_text(run.n_same_right + run.n_same_wrong), help=same)
        st.metric(t("replay_skipped"), count_text(run.n_skipped))
        st.metric(t("replay_right"), right_text(run), help=t("replay_right_help"))
    if (bounds := interval_text(run)) is not None:
        st.caption(bounds)
    st.caption(verdict_text(run))
    told = (
        Fact(t("replay_column_candidate"), setup_text(run.candidate)),
        Fact(t("replay_column_baseline"), setup_text(run.baseline)),
        Fact(t("replay_chosen_by"), None if run.chooser is None else chooser_text(run.chooser)),
    )
    facts(told, "replay_run")
    st.download_button(
        t("replay_report"),
        report_html(played),
        file_name=f"replay-{run.run_id}.html",
        mime="text/html",
        key="replay_report",
        on_click="ignore",
    )


def _history(known: Sequence[ReplayRun]) -> None:
    st.subheader(t("replay_history"), anchor=False)
    in_zone = zone()
    columns: dict[str, Sequence[Any]] = {
        "replay_column_time": [minute_text(run.started_time_ns, in_zone) for run in known],
        "replay_column_candidate": [setup_text(run.candidate) for run in known],
        "replay_column_baseline": [setup_text(run.baseline) for run in known],
        "replay_column_cases": [run.n_cases for run in known],
        "replay_broken": [run.n_broken for run in known],
        "replay_fixed": [run.n_fixed for run in known],
        "replay_skipped": [run.n_skipped for run in known],
        "replay_right": [right_text(run) for run in known],
        "replay_by": [run.created_by for run in known],
    }
    listed("replay_history", columns)
