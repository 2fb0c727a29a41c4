"""What is shown where a pasted text names no trace, or several."""

from collections.abc import Mapping
from typing import Final

import streamlit as st

from dashboard import links, queries
from dashboard.filters import zone
from dashboard.formats import NO_VALUE, count_text, duration_text, time_text, zone_text
from dashboard.i18n import t
from dashboard.views.removed import removed_note
from dashboard.views.status import status_cell
from replay_store.finding import Found, FoundBy, Match
from replay_store.records import Reject, Trace

__all__ = ["absent", "choice", "found_by", "nothing_chosen"]

_BY: Final[Mapping[FoundBy, str]] = {
    FoundBy.NATIVE: "found_by_native",
    FoundBy.SPAN: "found_by_span",
    FoundBy.HALF: "found_by_half",
    FoundBy.CALL: "found_by_call",
    FoundBy.KEY: "found_by_key",
    FoundBy.TASK: "found_by_task",
    FoundBy.SESSION: "found_by_session",
    FoundBy.PREFIX: "found_by_prefix",
}
_SHOWN_CHARS: Final = 400


def nothing_chosen() -> None:
    """Say how to open a trace."""
    st.header(t("trace_none_title"), anchor=False)
    st.markdown(t("trace_none_body"))
    _to_traces()


def found_by(match: Match) -> None:
    """Say by what the one trace was found, when that was not its id."""
    if match.by in _BY:
        with st.container(horizontal=True, gap="small", key="found_by"):
            st.caption(t(_BY[match.by]), width="content")
            st.text(match.value, width="content")


def choice(found: Found) -> None:
    """The traces that a text may mean, each with what tells it from the others."""
    first = found.matches[0]
    title = t("trace_ambiguous_title", n=count_text(found.n))
    if first.by in _BY:
        title = t("found_several", n=count_text(found.n), by=t(_BY[first.by]))
    st.header(title, anchor=False)
    if first.by in _BY:
        st.code(first.value, language=None)
    known = {trace.trace_id: trace for trace in queries.traces(_ids(found))}
    in_zone = zone()
    newest = next((trace.start_time_ns for trace in known.values()), None)
    st.caption(t("found_zone", zone=zone_text(in_zone, newest)))
    for match in found.matches:
        _row(match, known.get(match.trace_id))
    if found.n > len(found.matches):
        st.caption(t("found_more", shown=count_text(len(found.matches)), n=count_text(found.n)))
        links.page_link("traces", t("found_all"), icon=":material/list_alt:", q=first.value)


def _ids(found: Found) -> tuple[str, ...]:
    return tuple(match.trace_id for match in found.matches)


def _row(match: Match, trace: Trace | None) -> None:
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", key=f"found_{match.trace_id}"
    ):
        links.page_link(
            "trace",
            match.trace_id,
            icon=":material/account_tree:",
            trace_id=match.trace_id,
            span=match.span_id,
        )
        if trace is not None:
            start = time_text(trace.start_time_ns, zone())
            parts = (start, status_cell(trace.status), duration_text(trace.duration_ns))
            name = trace.name or NO_VALUE
            st.text(" · ".join((*parts, name)))


def absent(wanted: str) -> None:
    """Say what is known of a trace that is not there: arriving, refused, removed, or never seen."""
    absence = queries.why_absent(wanted)
    if absence.waiting_since_ns is not None:
        title = t("trace_waiting_title")
    elif absence.removed is not None:
        title = t("trace_removed_title")
    elif absence.rejects:
        title = t("trace_rejected_title")
    else:
        title = t("trace_unknown_title")
    st.header(title, anchor=False)
    st.code(wanted[:_SHOWN_CHARS], language=None, wrap_lines=True)
    if absence.waiting_since_ns is not None:
        _waiting(absence.waiting_since_ns)
    if absence.removed is not None:
        removed_note(absence.removed)
    if absence.rejects:
        _rejected(absence.rejects)
    if absence.is_never_seen:
        _never_seen()
    _to_traces()


@st.fragment(run_every=2)
def _waiting(since_ns: int) -> None:
    """A trace that came and is being read: the page opens it as soon as that is done."""
    in_zone = zone()
    text = t("trace_waiting_body", time=time_text(since_ns, in_zone), zone=zone_text(in_zone))
    st.info(text, icon=":material/hourglass_top:")
    if queries.find(st.query_params.get("trace_id", "")).n:
        st.rerun()


def _rejected(rejects: tuple[Reject, ...]) -> None:
    in_zone = zone()
    st.markdown(t("trace_rejected_body", n=len(rejects)))
    for reject in rejects:
        when = f"{time_text(reject.received_time_ns, in_zone)} {zone_text(in_zone)}"
        sender = reject.source or reject.path
        st.code(
            f"{when} · {sender} · {reject.place}\n{reject.detail}", language=None, wrap_lines=True
        )
    links.page_link("intake", t("page_intake"), icon=":material/move_to_inbox:")


def _never_seen() -> None:
    held = queries.data_range()
    if held is not None:
        in_zone = zone()
        first, last = (time_text(x, in_zone)[:16] for x in (held.first_time_ns, held.last_time_ns))
        st.markdown(t("trace_unknown_range", first=first, last=last, zone=zone_text(in_zone)))
    st.markdown(t("trace_unknown_body"))


def _to_traces() -> None:
    links.page_link("traces", t("trace_search"), icon=":material/search:")
