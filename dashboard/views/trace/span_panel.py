"""One span, whole: what was asked, what came back, what went wrong, and every attribute."""

from dataclasses import asdict, replace
from typing import Final
from zoneinfo import ZoneInfo

import pandas as pd
import streamlit as st

from dashboard import links, queries
from dashboard.components.waterfall import role_label
from dashboard.formats import duration_text, json_text, line_text, time_text
from dashboard.i18n import t
from dashboard.roles import caller
from dashboard.views.facts import Fact, facts
from dashboard.views.passages import passage, passages
from dashboard.views.trace import queries as trace_queries
from dashboard.views.trace.span_sections import Passage, Sections, sections
from dashboard.views.trace.story import observed_at
from dashboard.views.trace.withheld import readable
from pipeline.observation.attributes import SNAPSHOT_HASH
from replay_store.reader import SpanDetail
from replay_store.records import NoiseLog, Span, ToolCall

_TABS: Final = "span_tabs"
_OPEN: Final = "span_tab"
"""The name of the open tab, for the session; labels hold counts, and differ from span to span."""


def span_panel(trace_id: str, span_id: str | None, zone: ZoneInfo) -> None:
    """Draw the span, or say what to do when none is chosen or it is not there."""
    if span_id is None:
        st.info(t("span_choose"), icon=":material/left_click:")
        return
    detail = queries.span(trace_id, span_id)
    if detail is None:
        st.warning(t("span_unknown", span_id=span_id), icon=":material/help:")
        return
    detail = replace(detail, span=readable(detail.span, caller()))
    _head(detail, zone)
    _tabs(detail, zone)


def _head(detail: SpanDetail, zone: ZoneInfo) -> None:
    span = detail.span
    role = detail.role
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="span_title"):
        st.text(span.name)
        if role is not None:
            st.badge(role_label(role.role), color="blue")
        _status_badge(detail)
        _saw_link(span)
    facts(
        (
            Fact(t("fact_duration"), _duration(span)),
            Fact(t("fact_start"), time_text(span.start_time_ns, zone)),
            Fact(t("fact_service"), span.service_name),
            Fact(t("fact_error_type"), role.error_type if role else None),
            Fact(t("fact_span_id"), span.span_id),
            Fact(t("fact_versions"), str(detail.n_versions) if detail.n_versions > 1 else None),
        ),
        key="span_facts",
    )


def _saw_link(span: Span) -> None:
    """To the observation that this span is, or that was made of its output, or that it was given."""
    if SNAPSHOT_HASH in span.attributes:
        label, observation = t("saw_link_span"), span.span_id
    else:
        found = observed_at(trace_queries.steps(span.trace_id), span.span_id)
        if found is None:
            return
        label, observation = t("saw_link_step"), found
    links.page_link(
        "saw",
        label,
        icon=":material/visibility:",
        trace_id=span.trace_id,
        span=observation,
    )


def _duration(span: Span) -> str:
    if span.end_time_ns is None:
        return t("waterfall_unfinished")
    if span.duration_ns is None and span.start_time_ns is not None:
        return t("waterfall_reversed")
    return duration_text(span.duration_ns)


def _status_badge(detail: SpanDetail) -> None:
    is_error = detail.role.is_error if detail.role else detail.span.status_code == 2
    if is_error:
        st.badge(t("status_error"), icon=":material/error:", color="red")
    elif detail.span.end_time_ns is None:
        st.badge(t("status_unfinished"), icon=":material/hourglass_empty:", color="orange")
    elif detail.span.status_code == 1:
        st.badge(t("status_ok"), icon=":material/check_circle:", color="green")
    else:
        st.badge(t("status_unset"), icon=":material/radio_button_unchecked:", color="gray")


def _tabs(detail: SpanDetail, zone: ZoneInfo) -> None:
    """The span's tabs, of which only the open one is drawn; from span to span the same one is open."""
    span = detail.span
    labels = {
        "content": t("tab_content"),
        "attributes": t("tab_attributes", n=len(span.attributes)),
        "events": t("tab_events", n=len(span.events)),
        "raw": t("tab_raw"),
    }

    def chosen() -> None:
        label = st.session_state[_TABS]
        st.session_state[_OPEN] = next((x for x in labels if labels[x] == label), "content")

    name = st.session_state.get(_OPEN, "content")
    st.session_state[_TABS] = labels[name]
    tabs = st.tabs(list(labels.values()), key=_TABS, on_change=chosen)
    with tabs[list(labels).index(name)]:
        _tab(name, detail, zone)


def _tab(name: str, detail: SpanDetail, zone: ZoneInfo) -> None:
    span = detail.span
    texts = sections(span)
    if name == "content":
        _content(detail, texts)
    elif name == "attributes":
        _attributes(span, texts)
    elif name == "events":
        _events(span, zone)
    else:
        passage(Passage("span", json_text(asdict(span))), f"raw_{span.span_id}")


def _content(detail: SpanDetail, texts: Sections) -> None:
    span = detail.span
    call = trace_queries.call_of(span.trace_id, span.span_id)
    noise = [row for row in queries.noise(span.trace_id) if row.span_id == span.span_id]
    arguments, result = texts.arguments, texts.result
    if call is not None:
        _call_facts(call)
        arguments = arguments or _preview(t("call_arguments"), call.arguments_preview)
        result = result or _preview(t("call_result"), call.result_preview)
    passages(t("span_errors"), texts.errors or _role_error(detail), f"errors_{span.span_id}")
    passages(t("span_arguments"), arguments, f"arguments_{span.span_id}")
    passages(t("span_result"), result, f"result_{span.span_id}")
    passages(t("span_messages"), texts.messages, f"messages_{span.span_id}")
    if noise:
        st.markdown(f"**{t('span_noise')}**")
        noise_table(noise, key=f"noise_{span.span_id}")
    if not any((arguments, result, texts.messages, texts.errors, noise)):
        st.caption(t("span_no_content"))


def _preview(name: str, text: str | None) -> tuple[Passage, ...]:
    return () if text is None else (Passage(name, text),)


def _role_error(detail: SpanDetail) -> tuple[Passage, ...]:
    return _preview("error", detail.role.error_message if detail.role else None)


def _call_facts(call: ToolCall) -> None:
    retry = None if call.retry_of is None else t("call_retry_of", number=call.retry_of + 1)
    facts(
        (
            Fact(t("call_tool"), call.tool_name),
            Fact(t("call_number"), str(call.call_index + 1)),
            Fact(t("call_attempts"), str(call.n_attempts)),
            Fact(t("call_retry"), retry),
            Fact(t("call_error"), call.error_message),
            Fact(t("call_degradation"), call.degradation),
        ),
        key="call_facts",
    )


def _attributes(span: Span, texts: Sections) -> None:
    rows = [(name, line_text(value)) for name, value in texts.attributes.items()]
    _name_value_table(rows, key=f"attributes_{span.span_id}")
    passages(t("span_long"), texts.long, f"long_{span.span_id}")
    resource = [(name, line_text(value)) for name, value in span.resource.items()]
    if resource:
        st.markdown(f"**{t('span_resource')}**")
        _name_value_table(resource, key=f"resource_{span.span_id}")


def _name_value_table(rows: list[tuple[str, str]], key: str) -> None:
    if not rows:
        st.caption(t("table_empty"))
        return
    frame = pd.DataFrame(rows, columns=["name", "value"])
    st.dataframe(
        frame,
        key=key,
        hide_index=True,
        height="content" if len(rows) <= 12 else 460,
        column_config={
            "name": st.column_config.TextColumn(t("column_name")),
            "value": st.column_config.TextColumn(t("column_value"), width="large"),
        },
    )


def _events(span: Span, zone: ZoneInfo) -> None:
    if not span.events:
        st.caption(t("table_empty"))
    for index, event in enumerate(span.events):
        st.text(time_text(event["time_ns"], zone))
        item = Passage(event["name"], json_text(event["attributes"]))
        passage(item, f"event_{span.span_id}_{index}")


def noise_table(rows: list[NoiseLog], key: str) -> None:
    """The noise rows as a table: what was changed, into what, and why."""
    frame = pd.DataFrame(
        {
            "kind": [row.kind for row in rows],
            "entity": [row.entity_ref or "" for row in rows],
            "fact": [row.fact_type or "" for row in rows],
            "original": [row.original_value or "" for row in rows],
            "injected": [row.injected_value or "" for row in rows],
            "reason": [row.reason or "" for row in rows],
            "whitelisted": [row.is_whitelisted for row in rows],
            "profile": [row.profile or "" for row in rows],
            "seed": [row.seed for row in rows],
            "span": [row.span_id or "" for row in rows],
        }
    )
    text = st.column_config.TextColumn
    st.dataframe(
        frame,
        key=key,
        hide_index=True,
        column_config={
            "kind": text(t("noise_kind")),
            "entity": text(t("noise_entity")),
            "fact": text(t("noise_fact")),
            "original": text(t("noise_original")),
            "injected": text(t("noise_injected")),
            "reason": text(t("noise_reason")),
            "whitelisted": st.column_config.CheckboxColumn(t("noise_whitelisted")),
            "profile": text(t("noise_profile")),
            "seed": st.column_config.NumberColumn(t("noise_seed"), format="%d"),
            "span": text(t("fact_span_id")),
        },
    )
