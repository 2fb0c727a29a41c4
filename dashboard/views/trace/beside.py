"""Two traces side by side: their steps aligned, what differs in each, and both texts of one."""

from collections.abc import Sequence
from typing import Final

import pandas as pd
import streamlit as st

from dashboard import links, queries
from dashboard.filters import zone
from dashboard.formats import duration_text, time_text, zone_text
from dashboard.i18n import language, t
from dashboard.incident_text import act_text, step_text
from dashboard.roles import caller
from dashboard.views.passages import passage
from dashboard.views.status import status_badge
from dashboard.views.trace import queries as trace_queries
from dashboard.views.trace.span_sections import Passage, sections
from dashboard.views.trace.story import status_of
from dashboard.views.trace.withheld import readable
from metrics.incident.beside import Difference, Pair, beside
from replay_store.records import Trace
from replay_store.story import Step

__all__ = ["beside_page"]

_KEY: Final = "beside"
_WORDS: Final = {
    Difference.LEFT_ONLY: "beside_left_only",
    Difference.RIGHT_ONLY: "beside_right_only",
    Difference.STATUS: "beside_status",
    Difference.ERROR: "beside_error",
    Difference.ARGUMENTS: "beside_arguments",
    Difference.RESULT: "beside_result",
    Difference.FACTS: "beside_facts",
    Difference.ATTEMPTS: "beside_attempts",
    Difference.DURATION: "beside_duration",
}


def beside_page(left: Trace, wanted: str) -> None:
    """Draw both, or say that the other one is not there.

    Args:
        left: The trace of the page.
        wanted: What the address names as the other one.
    """
    found = queries.resolve_trace_id(wanted)
    right = queries.trace(found[0]) if len(found) == 1 else None
    if right is None:
        st.warning(t("beside_unknown"), icon=":material/search_off:")
        st.code(wanted[:200], language=None)
        return
    for column, trace in zip(st.columns(2, gap="small"), (left, right), strict=True):
        with column:
            _head(trace)
    steps = [trace_queries.steps(trace.trace_id) for trace in (left, right)]
    pairs = beside(*steps)
    n = sum(bool(pair.differs) for pair in pairs)
    st.caption(t("beside_hint", n=n, of=len(pairs)))
    chosen = _table(pairs)
    if chosen is not None:
        _texts((left, right), chosen)


def _head(trace: Trace) -> None:
    in_zone = zone()
    with st.container(border=True, gap="xsmall", key=f"beside_{trace.trace_id}"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.text(trace.name or t("trace_unnamed"))
            status_badge(trace.status)
        links.page_link(
            "trace", trace.trace_id, icon=":material/account_tree:", trace_id=trace.trace_id
        )
        start = f"{time_text(trace.start_time_ns, in_zone)} {zone_text(in_zone)}"
        st.text(f"{start} · {duration_text(trace.duration_ns)}")


def _table(pairs: Sequence[Pair]) -> Pair | None:
    text = st.column_config.TextColumn
    event = st.dataframe(
        _frame(pairs),
        key=_KEY,
        hide_index=True,
        on_select="rerun",
        selection_mode="single-cell",
        row_height=28,
        height="content" if len(pairs) <= 16 else 480,
        column_config={
            "act": text(t("story_act"), width=70),
            "subject": text(t("story_subject"), width=150),
            "left": text(t("beside_left"), width=90),
            "left_duration": text(t("fact_duration"), width=76),
            "left_detail": text(t("story_detail"), width=250),
            "right": text(t("beside_right"), width=90),
            "right_duration": text(t("fact_duration"), width=76),
            "right_detail": text(t("story_detail"), width=250),
            "differs": text(t("beside_differs"), width=190),
        },
    )
    cells = event.selection.cells
    if cells and cells[0][0] < len(pairs):
        return pairs[cells[0][0]]
    return next((pair for pair in pairs if pair.differs), None)


def _frame(pairs: Sequence[Pair]) -> pd.DataFrame:
    lang = language()
    either = [pair.left or pair.right for pair in pairs]
    return pd.DataFrame(
        {
            "differs": [", ".join(t(_WORDS[each]) for each in pair.differs) for pair in pairs],
            "act": [act_text(step, lang) if step else "" for step in either],
            "subject": [(step.subject or "") if step else "" for step in either],
            "left": [status_of(pair.left) for pair in pairs],
            "left_duration": [_duration(pair.left) for pair in pairs],
            "left_detail": [step_text(pair.left, lang) if pair.left else "" for pair in pairs],
            "right": [status_of(pair.right) for pair in pairs],
            "right_duration": [_duration(pair.right) for pair in pairs],
            "right_detail": [step_text(pair.right, lang) if pair.right else "" for pair in pairs],
        }
    )


def _duration(step: Step | None) -> str:
    return "" if step is None else duration_text(step.duration_ns)


def _texts(traces: tuple[Trace, Trace], pair: Pair) -> None:
    """Arguments, results and prompts of one step on both sides."""
    columns = st.columns(2, gap="small")
    for side, column, trace, step in zip(
        ("left", "right"), columns, traces, (pair.left, pair.right), strict=True
    ):
        with column.container(border=True, key=f"beside_text_{side}"):
            if step is None or step.span_id is None:
                st.caption(t("beside_nothing"))
                continue
            st.text(f"{act_text(step, language())} {step.subject or ''}")
            _step_texts(trace.trace_id, step.span_id, side)


def _step_texts(trace_id: str, span_id: str, side: str) -> None:
    detail = queries.span(trace_id, span_id)
    if detail is None:
        st.caption(t("beside_nothing"))
        return
    texts = sections(readable(detail.span, caller()))
    items = [*texts.errors, *texts.arguments, *texts.result, *texts.messages]
    prompts = [
        Passage(f"{prompt.variant} · {prompt.template} · {prompt.language}", prompt.text or "")
        for prompt in trace_queries.prompts(trace_id, span_id)
    ]
    for number, item in enumerate((*items, *prompts)):
        passage(item, f"beside_{side}_{number}_{span_id}")
    if not items and not prompts:
        st.caption(t("span_no_content"))
