"""Trace: one trace whole. Its spans in time, and everything known about the one that is open."""

import time
from typing import Final
from zoneinfo import ZoneInfo

import streamlit as st

from dashboard import links, queries
from dashboard.components.plain_text import plain_text
from dashboard.filters import zone
from dashboard.formats import count_text, duration_text, time_text, zone_text
from dashboard.i18n import t
from dashboard.views.facts import Fact, facts
from dashboard.views.loading import still_loading
from dashboard.views.saw import queries as saw_queries
from dashboard.views.status import status_badge
from dashboard.views.trace.beside import beside_page
from dashboard.views.trace.drill import drill
from dashboard.views.trace.found import absent, choice, found_by, nothing_chosen
from dashboard.views.trace.notes import note_form, note_list, notes_of, state_badge
from dashboard.views.trace.take_away import take_away
from pipeline.vocabulary import KeyKind
from replay_store.reader import TraceFilter
from replay_store.records import Trace
from replay_store.saw import ObservationFilter

_MAX_LINKED: Final = 5
_QUIET_NS: Final = 3_600_000_000_000
"""A run without an end of which nothing came for an hour has an unknown end: it may have been killed."""
_LINKED: Final = {
    KeyKind.CALL: "linked_by_call",
    KeyKind.MESSAGES: "linked_by_messages",
    KeyKind.RESPONSE: "linked_by_response",
    KeyKind.SAME: "linked_by_same",
    KeyKind.SESSION: "linked_by_session",
    KeyKind.LINK: "linked_by_link",
    KeyKind.MCP: "linked_by_mcp",
}


def render() -> None:
    """Draw the trace named in the address, or say how to find one."""
    wanted = st.query_params.get("trace_id", "").strip()
    if not wanted:
        nothing_chosen()
        return
    found = queries.find(wanted)
    if found.n > 1:
        choice(found)
        return
    trace = queries.trace(found.matches[0].trace_id) if found.matches else None
    if trace is None:
        if not still_loading():
            absent(wanted)
        return
    found_by(found.matches[0])
    _trace(trace, found.matches[0].span_id)


def _trace(trace: Trace, named_span: str | None) -> None:
    shown_in = zone()
    other = st.query_params.get("with", "").strip()
    if other:
        beside_page(trace, other)
        return
    _head(trace, shown_in)
    drill(trace, shown_in, named_span)


def _head(trace: Trace, shown_in: ZoneInfo) -> None:
    notes = notes_of(trace.trace_id)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="trace_title"):
        st.text(trace.name or t("trace_unnamed"))
        status_badge(trace.status)
        _incomplete_badges(trace)
        state_badge(notes)
        _saw_link(trace.trace_id)
        _replay_link(trace)
        note_form(trace.trace_id)
        take_away(trace)
    note_list(notes)
    if trace.error_message:
        plain_text(trace.error_message, key="trace_error")
    facts(
        (
            Fact(t("fact_trace_id"), trace.trace_id),
            Fact(t("fact_start"), _start(trace, shown_in)),
            Fact(t("fact_duration"), duration_text(trace.duration_ns)),
            Fact(t("fact_steps"), _visible(trace.n_steps)),
            Fact(t("fact_model_calls"), _with_errors(trace.n_llm_calls, trace.n_llm_errors)),
            Fact(t("fact_tool_calls"), _with_errors(trace.n_tool_calls, trace.n_tool_errors)),
            Fact(t("fact_retries"), _visible(trace.n_retries)),
            Fact(t("fact_tokens"), _tokens(trace)),
            Fact(t("fact_guard"), _guard(trace)),
            Fact(t("fact_agent"), trace.agent_name or trace.service_name),
            Fact(t("fact_models"), ", ".join(filter(None, trace.models)) or None),
            Fact(t("fact_session"), trace.session_id),
            Fact(t("fact_task"), _task(trace)),
        ),
        key="trace",
    )
    _linked(trace)


def _linked(trace: Trace) -> None:
    """The other traces of the task, as links; nothing for a trace on its own."""
    if trace.linked_by is None:
        return
    wanted = TraceFilter(task_id=trace.task_id)
    n, others = queries.count_traces(wanted), queries.find_traces(wanted, _MAX_LINKED + 1, 0)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="linked"):
        st.caption(t("linked_traces", n=count_text(n - 1)), width="content")
        for other in [each for each in others if each.trace_id != trace.trace_id][:_MAX_LINKED]:
            links.page_link(
                "trace",
                other.trace_id[:12],
                icon=":material/account_tree:",
                trace_id=other.trace_id,
            )
        if n - 1 > _MAX_LINKED:
            links.page_link("traces", t("found_all"), icon=":material/list_alt:", q=trace.task_id)


def _incomplete_badges(trace: Trace) -> None:
    if trace.n_orphan_spans:
        st.badge(
            t("badge_orphans", n=trace.n_orphan_spans), icon=":material/link_off:", color="orange"
        )
    if trace.is_finished:
        return
    quiet_ns = time.time_ns() - trace.last_received_time_ns
    text = t("badge_unfinished")
    if quiet_ns > _QUIET_NS:
        text = t("badge_unknown_end", quiet=duration_text(quiet_ns))
    st.badge(text, icon=":material/hourglass_empty:", color="orange")


def _saw_link(trace_id: str) -> None:
    """To what the model was told in this trace, if any of it was recorded."""
    n = saw_queries.count(ObservationFilter(trace_id=trace_id))
    if n:
        links.page_link(
            "saw", t("saw_link_trace", n=n), icon=":material/visibility:", trace_id=trace_id
        )


def _replay_link(trace: Trace) -> None:
    """To where cases are made of this trace, if it holds a model's choice."""
    if trace.n_llm_calls:
        links.page_link(
            "replay",
            t("replay_link_trace"),
            icon=":material/replay:",
            view="cases",
            trace_id=trace.trace_id,
        )


def _start(trace: Trace, shown_in: ZoneInfo) -> str:
    if trace.start_time_ns is None:
        return t("waterfall_untimed")
    zone_name = zone_text(shown_in, trace.start_time_ns)
    return f"{time_text(trace.start_time_ns, shown_in)} {zone_name}"


def _visible(count: int | None) -> str:
    return t("not_visible") if count is None else count_text(count)


def _task(trace: Trace) -> str | None:
    """The task of the trace, and by what it is linked to others; None for a trace on its own."""
    if trace.linked_by is None:
        return None if trace.task_id == trace.trace_id else trace.task_id
    kinds = ", ".join(t(_LINKED[KeyKind(kind)]) for kind in trace.linked_by.split(", "))
    return t("task_linked", task=trace.task_id, kinds=kinds)


def _with_errors(count: int | None, n_errors: int | None) -> str:
    if count is None or not n_errors:
        return _visible(count)
    return t("count_with_errors", n=count_text(count), errors=count_text(n_errors))


def _tokens(trace: Trace) -> str:
    if trace.input_tokens is None and trace.output_tokens is None:
        return t("not_visible")
    return t(
        "tokens_in_out", input=_visible(trace.input_tokens), output=_visible(trace.output_tokens)
    )


def _guard(trace: Trace) -> str:
    if not trace.n_guard_evaluations:
        return t("guard_none")
    return t("guard_hits_of", hits=trace.n_guard_hits, evaluations=trace.n_guard_evaluations)
