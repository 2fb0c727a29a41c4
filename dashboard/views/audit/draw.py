"""The form that draws an audit batch, and how large a draw has to be."""

import math
import time
from typing import Final

import streamlit as st

from dashboard import links, queries, runtime
from dashboard.filters import zone
from dashboard.formats import NO_VALUE, count_text, minute_text, zone_text
from dashboard.i18n import t
from dashboard.views.audit import queries as audit_queries
from dashboard.views.audit.queries import EarlierEffect
from dashboard.views.audit.sample_size import n_to_tell
from metrics import Scope
from pipeline.vocabulary import NO_CALL
from replay_store import audit
from replay_store.audit import MAX_ITEMS
from replay_store.audit_allocation import Allocation, Stratum, n_to_double
from replay_store.errors import AuditError

_PER_TRACE: Final = (1, 2, None)
_PER_TRACE_LABELS: Final = {
    1: "audit_per_trace_1",
    2: "audit_per_trace_2",
    None: "audit_per_trace_all",
}
_STRATA: Final = {
    Stratum.TOOL: "audit_stratum_tool",
    Stratum.VERSION: "audit_stratum_version",
    Stratum.SUSPICION: "audit_stratum_suspicion",
}
_ALLOCATIONS: Final = {
    Allocation.PROPORTIONAL: "audit_allocation_proportional",
    Allocation.EQUAL: "audit_allocation_equal",
    Allocation.NEYMAN: "audit_allocation_neyman",
}
_TRUTHS: Final = (0.80, 0.75)
_DEFAULT_N: Final = 50
_DEFAULT_DOUBLE: Final = 0
_ERROR: Final = "audit_draw_error"


def draw_form(scope: Scope, annotator: str, *, n_before: int) -> None:
    """Draw the form.

    Args:
        scope: The period to draw from.
        annotator: Who draws.
        n_before: Draws there are, for the name of the next one.
    """
    frame = audit_queries.frame_size(scope)
    in_zone = zone()
    st.caption(
        t(
            "audit_frame",
            n=count_text(frame.n_decisions),
            traces=count_text(frame.n_traces),
            start=minute_text(scope.start_time_ns, in_zone),
            end=minute_text(scope.end_time_ns, in_zone),
            zone=zone_text(in_zone, scope.end_time_ns),
        )
    )
    with st.form("audit_draw", border=False):
        st.text_input(
            t("audit_name"),
            value=t("audit_default_name", n=n_before + 1),
            max_chars=200,
            key="audit_draw_name",
        )
        with st.container(horizontal=True, gap="small"):
            _choices()
        with st.container(horizontal=True, gap="small"):
            _design()
        st.caption(_size_hint())
        st.form_submit_button(
            t("audit_draw"), type="primary", on_click=_draw, args=(scope, annotator)
        )
    _say_error()


def _choices() -> None:
    st.selectbox(
        t("audit_tool"),
        (None, *queries.filter_choices().tool_names, NO_CALL),
        key="audit_draw_tool",
        format_func=_tool_text,
    )
    st.number_input(
        t("audit_n"), min_value=1, max_value=MAX_ITEMS, value=_DEFAULT_N, key="audit_draw_n"
    )
    st.selectbox(
        t("audit_per_trace"),
        _PER_TRACE,
        key="audit_draw_per_trace",
        format_func=lambda n: t(_PER_TRACE_LABELS[n]),
        help=t("audit_per_trace_help"),
    )
    st.number_input(
        t("audit_seed"),
        min_value=0,
        max_value=2**31 - 1,
        value=1,
        key="audit_draw_seed",
        help=t("audit_seed_help"),
    )


def _design() -> None:
    st.multiselect(
        t("audit_strata"),
        list(_STRATA),
        key="audit_draw_strata",
        format_func=lambda stratum: t(_STRATA[stratum]),
        placeholder=t("audit_strata_none"),
        help=t("audit_strata_help"),
        width=440,
    )
    st.selectbox(
        t("audit_allocation"),
        list(_ALLOCATIONS),
        key="audit_draw_allocation",
        format_func=lambda allocation: t(_ALLOCATIONS[allocation]),
        help=t("audit_allocation_help"),
    )
    st.number_input(
        t("audit_double"),
        min_value=0,
        max_value=MAX_ITEMS,
        value=_DEFAULT_DOUBLE,
        key="audit_draw_double",
        help=t("audit_double_help", n=n_to_double(_DEFAULT_N), many=n_to_double(1_000)),
    )


def _tool_text(tool: str | None) -> str:
    if tool is None:
        return t("audit_any_tool")
    return t("audit_no_call") if tool == NO_CALL else tool


def _size_hint() -> str:
    limit = runtime.current().settings.thresholds.min_selection_accuracy
    earlier = audit_queries.earlier_effect()
    effect = 1.0 if earlier is None else earlier.effect
    parts = [
        t(
            "audit_size",
            truth=f"{truth:.0%}",
            limit=f"{limit:.0%}",
            n=_size_text(limit, truth, effect),
        )
        for truth in _TRUTHS
        if truth < limit < 1
    ]
    return " ".join([*parts, _size_note(earlier)])


def _size_note(earlier: EarlierEffect | None) -> str:
    """What the numbers rest on. The draw is named by its time: its name is anybody's text."""
    if earlier is None:
        return t("audit_size_note")
    per_trace, made = earlier.batch.per_trace, earlier.batch.created_time_ns
    in_zone = zone()
    return t(
        "audit_size_note_effect",
        effect=f"{earlier.effect:.1f}",
        n=count_text(earlier.n),
        per_trace=t(_PER_TRACE_LABELS.get(per_trace, "audit_per_trace_all")),
        time=minute_text(made, in_zone),
        zone=zone_text(in_zone, made),
    )


def _size_text(limit: float, truth: float, effect: float) -> str:
    n = n_to_tell(limit, truth)
    return NO_VALUE if n is None else count_text(math.ceil(n * effect))


def _draw(scope: Scope, annotator: str) -> None:
    state = st.session_state
    try:
        batch = audit.draw_batch(
            queries.database(),
            name=str(state["audit_draw_name"]),
            start_time_ns=scope.start_time_ns,
            end_time_ns=scope.end_time_ns,
            tool_name=state["audit_draw_tool"],
            n=int(state["audit_draw_n"]),
            per_trace=state["audit_draw_per_trace"],
            seed=int(state["audit_draw_seed"]),
            strata=state["audit_draw_strata"],
            allocation=state["audit_draw_allocation"],
            n_double=int(state["audit_draw_double"]),
            created_by=annotator,
            clock=time.time_ns,
        )
    except AuditError as error:
        state[_ERROR] = str(error)
        return
    links.set_parameter("batch", str(batch.batch_id))
    links.set_parameter("view", None)


def _say_error() -> None:
    sentence = st.session_state.pop(_ERROR, None)
    if sentence is not None:
        st.error(t("audit_draw_failed"), icon=":material/error:")
        st.code(sentence, language=None, wrap_lines=True)
