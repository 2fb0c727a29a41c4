"""Audit: a random draw of decisions, labelled by people, and the accuracy that follows from it."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

import streamlit as st

from dashboard import links, queries
from dashboard.filters import range_key, zone
from dashboard.formats import count_text, minute_text
from dashboard.i18n import t
from dashboard.views.audit import queries as audit_queries
from dashboard.views.audit.draw import draw_form
from dashboard.views.audit.labelling import labelling
from dashboard.views.audit.payload import Mode
from dashboard.views.audit.results import results
from dashboard.views.empty import empty_store
from dashboard.views.loading import still_loading
from metrics import Scope
from replay_store.records import AuditBatch

_ANNOTATOR: Final = "audit_annotator"
_VIEWS: Final = ("label", "adjudicate", "results")
_VIEW_LABELS: Final = {
    "label": "audit_view_label",
    "adjudicate": "audit_view_adjudicate",
    "results": "audit_view_results",
}


def render() -> None:
    """Draw the page, or what to do while there is nothing to judge."""
    st.header(t("page_audit"), anchor=False)
    if still_loading():
        return
    scope = queries.scope(range_key())
    if scope is None:
        empty_store()
        return
    drawn = audit_queries.batches()
    if not drawn and not audit_queries.frame_size(scope).n_decisions:
        st.info(t("audit_no_decisions"), icon=":material/inbox:")
        st.markdown(t("audit_no_decisions_why"))
        return
    annotator = _bar(drawn, scope)
    _body(_chosen(drawn), annotator, scope)


def _bar(drawn: Sequence[AuditBatch], scope: Scope) -> str:
    """Who labels which draw, and the form for another one; returns the annotator's name."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="audit_bar"):
        annotator = _annotator()
        if drawn:
            _batch_box(drawn)
            with st.popover(t("audit_new"), icon=":material/casino:", key="audit_new"):
                draw_form(scope, annotator, n_before=len(drawn))
    if not drawn:
        st.markdown(t("audit_first"))
        draw_form(scope, annotator, n_before=0)
    return annotator


def _annotator() -> str:
    key = "audit_annotator_box"

    def changed() -> None:
        name = str(st.session_state[key]).strip()
        st.session_state[_ANNOTATOR] = name
        links.set_parameter("rater", name)

    known = str(st.query_params.get("rater") or st.session_state.get(_ANNOTATOR, ""))[:200].strip()
    st.session_state[_ANNOTATOR] = known
    st.session_state[key] = known
    st.text_input(
        t("audit_annotator"),
        key=key,
        max_chars=200,
        placeholder=t("audit_annotator_hint"),
        help=t("audit_annotator_help"),
        on_change=changed,
        width=240,
    )
    return known


def _batch_box(drawn: Sequence[AuditBatch]) -> None:
    key = "audit_batch_box"
    by_id = {str(batch.batch_id): batch for batch in drawn}

    def changed() -> None:
        links.set_parameter("batch", st.session_state[key])

    chosen = _chosen(drawn)
    st.session_state[key] = str(chosen.batch_id) if chosen else None
    st.selectbox(
        t("audit_batch"),
        list(by_id),
        key=key,
        format_func=lambda batch_id: _batch_text(by_id[batch_id]),
        on_change=changed,
        width=460,
    )


def _batch_text(batch: AuditBatch) -> str:
    drawn = minute_text(batch.created_time_ns, zone())
    return f"{batch.name} · {count_text(batch.n_drawn)} · {batch.created_by} · {drawn}"


def _chosen(drawn: Sequence[AuditBatch]) -> AuditBatch | None:
    """The draw in the address, else the newest."""
    wanted = st.query_params.get("batch", "")
    known = {str(batch.batch_id): batch for batch in drawn}
    return known.get(_canonical(wanted)) or (drawn[0] if drawn else None)


def _canonical(text: str) -> str:
    try:
        return str(UUID(text))
    except ValueError:
        return ""


def _body(batch: AuditBatch | None, annotator: str, scope: Scope) -> None:
    if batch is None:
        if audit_queries.judged(scope):
            results(None, scope)
        return
    view = _view()
    if view == "results":
        results(batch, scope)
    elif not annotator:
        st.info(t("audit_who"), icon=":material/badge:")
    else:
        labelling(batch, annotator, Mode(view))


def _view() -> str:
    key = "audit_view"

    def changed() -> None:
        links.set_parameter("view", st.session_state[key])

    wanted = st.query_params.get("view", "")
    st.session_state[key] = wanted if wanted in _VIEWS else _VIEWS[0]
    st.segmented_control(
        t("audit_view"),
        _VIEWS,
        key=key,
        format_func=lambda name: t(_VIEW_LABELS[name]),
        on_change=changed,
        required=True,
        label_visibility="collapsed",
    )
    return str(st.session_state[key])
