"""What the audit labels say: accuracy with interval and verdict, per tool, confusion, files."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

import pandas as pd
import streamlit as st

from dashboard.filters import zone
from dashboard.formats import NO_VALUE, count_text, minute_text, zone_text
from dashboard.i18n import t
from dashboard.metric_text import (
    STATES,
    counted_text,
    definition_text,
    headline,
    interval_text,
    limit_text,
    metric_name,
    note_text,
    part_text,
    reason_text,
    value_text,
)
from dashboard.views.audit import queries as audit_queries
from dashboard.views.audit.export import labels_csv, labels_jsonl
from dashboard.views.audit.words import LABEL_KEYS, label_name
from metrics import Metric, Scope
from pipeline.vocabulary import NO_CALL
from replay_store.audit_labels import JudgedDecision
from replay_store.records import AuditBatch, Label

_UNKNOWN: Final = ""


def results(batch: AuditBatch | None, scope: Scope) -> None:
    """Draw the results of a draw and of the time range.

    Args:
        batch: The draw that is chosen; None when labels came from files alone.
        scope: The time range of the page.
    """
    if batch is not None:
        _batch(batch)
        of_draw = Scope(batch.start_time_ns, batch.end_time_ns, batch.tool_name)
        if of_draw != scope:
            _accuracy(t("audit_of_draw", name=_plain(batch.name)), of_draw, "draw")
    _accuracy(t("audit_of_range"), scope, "range")
    judged = audit_queries.judged(scope)
    if not judged:
        return
    _by_tool(scope)
    _confusion(judged)
    _files(t("audit_files_range"), [item.label for item in judged], "range")


def _plain(name: str) -> str:
    """A name that people gave, in a heading: nothing in it may be read as markup."""
    return "".join(f"\\{char}" if char in "\\`*_{}[]()<>#+-.!|$:~" else char for char in name)


def _batch(batch: AuditBatch) -> None:
    labels = audit_queries.batch_labels(batch.batch_id)
    st.subheader(t("audit_batch_labels"), anchor=False)
    if not labels:
        st.caption(t("audit_batch_unlabelled"))
        return
    st.dataframe(_counts(labels), key="audit_counts", height="content", width="content")
    _files(t("audit_files_batch"), labels, "batch")


def _counts(labels: Sequence[Label]) -> pd.DataFrame:
    """One row an annotator, one column a label that was given."""
    given = Counter((label.annotator, label.label) for label in labels)
    shown = [known for known in LABEL_KEYS if any(label == known for _, label in given)]
    annotators = sorted({label.annotator for label in labels})
    return pd.DataFrame(
        [[given[annotator, label] for label in shown] for annotator in annotators],
        index=pd.Index(annotators, name=t("audit_column_annotator")),
        columns=[label_name(label) for label in shown],
    )


def _accuracy(heading: str, scope: Scope, key: str) -> None:
    found = audit_queries.accuracy(scope)
    st.subheader(heading, anchor=False)
    in_zone = zone()
    st.caption(
        t(
            "audit_period",
            start=minute_text(scope.start_time_ns, in_zone),
            end=minute_text(scope.end_time_ns, in_zone),
            zone=zone_text(in_zone, scope.end_time_ns),
        )
    )
    with st.container(horizontal=True, gap="small", key=f"audit_figures_{key}"):
        for metric in (found.selection, found.call):
            _figure(metric, key)


def _figure(metric: Metric, key: str) -> None:
    with st.container(border=True, gap="xsmall", key=f"audit_{metric.key}_{key}", width=380):
        st.metric(metric_name(metric.key), headline(metric), help=definition_text(metric.key))
        st.caption(f"**{t(STATES[metric.state])}** · {note_text(metric)}")
        parts = (counted_text(metric), interval_text(metric), limit_text(metric))
        st.caption(" · ".join(part for part in parts if part is not None))
        if metric.n:
            st.caption(t("audit_weighted", part=part_text(metric)))
        for item in metric.exclusions:
            st.caption(t("audit_left_out", n=count_text(item.n), reason=reason_text(item.reason)))


def _by_tool(scope: Scope) -> None:
    st.subheader(t("audit_by_tool"), anchor=False)
    rows = audit_queries.accuracy_by_tool(scope)
    text, number = st.column_config.TextColumn, st.column_config.NumberColumn
    st.dataframe(
        pd.DataFrame(
            {
                "tool": [_tool_text(tool) for tool in rows],
                "n": [metric.n for metric in rows.values()],
                "value": [value_text(metric.value, metric.unit) for metric in rows.values()],
                "interval": [_bounds(metric) for metric in rows.values()],
                "verdict": [t(STATES[metric.state]) for metric in rows.values()],
            }
        ),
        key="audit_by_tool",
        hide_index=True,
        height="content",
        column_config={
            "tool": text(t("audit_chosen"), width="medium"),
            "n": number(t("audit_column_n"), width="small", format="localized"),
            "value": text(metric_name("selection_accuracy"), width=150),
            "interval": text(t("audit_column_interval"), width=130),
            "verdict": text(t("audit_column_verdict"), width=130),
        },
    )


def _bounds(metric: Metric) -> str:
    """The interval under its heading; nothing without one."""
    if metric.interval is None:
        return NO_VALUE
    low, high = metric.interval.low, metric.interval.high
    return f"{value_text(low, metric.unit)} – {value_text(high, metric.unit)}"


def _confusion(judged: Sequence[JudgedDecision]) -> None:
    st.subheader(t("audit_confusion"), anchor=False)
    st.caption(t("audit_confusion_note"))
    pairs = Counter((item.expected_tool or _UNKNOWN, item.chosen_tool) for item in judged)
    expected = sorted({pair[0] for pair in pairs}, key=_no_call_last)
    chosen = sorted({pair[1] for pair in pairs}, key=_no_call_last)
    st.dataframe(
        pd.DataFrame(
            [[pairs[row, column] or None for column in chosen] for row in expected],
            index=pd.Index([_tool_text(row) for row in expected], name=t("audit_expected_chosen")),
            columns=[_tool_text(column) for column in chosen],
            dtype="Int64",
        ),
        key="audit_confusion",
        height="content",
        placeholder="·",
    )


def _no_call_last(tool: str) -> tuple[bool, bool, str]:
    return (tool == _UNKNOWN, tool == NO_CALL, tool)


def _tool_text(tool: str) -> str:
    if tool == _UNKNOWN:
        return t("audit_expected_unknown")
    return t("audit_no_call") if tool == NO_CALL else tool


def _files(heading: str, labels: Sequence[Label], key: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(heading, width="content")
        st.download_button(
            t("audit_jsonl", n=count_text(len(labels))),
            labels_jsonl(labels),
            file_name="labels.jsonl",
            mime="application/x-ndjson",
            key=f"audit_jsonl_{key}",
            on_click="ignore",
        )
        st.download_button(
            t("audit_csv", n=count_text(len(labels))),
            labels_csv(labels),
            file_name="labels.csv",
            mime="text/csv",
            key=f"audit_csv_{key}",
            on_click="ignore",
        )
