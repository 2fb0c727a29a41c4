"""What raters of a draw disagreed on, who settled it, and the way to a replay case of it."""

from collections.abc import Sequence
from typing import Final

import streamlit as st

from dashboard import links
from dashboard.formats import count_text
from dashboard.i18n import t
from dashboard.views.audit import queries as audit_queries
from dashboard.views.audit.words import label_name
from replay_store.audit_labels import ADJUDICATION_SOURCE, decision_of
from replay_store.records import AuditBatch, Label

_MOST: Final = 20


def disputes(batch: AuditBatch) -> None:
    """Draw the disputes; nothing without any."""
    found = audit_queries.contested(batch.batch_id)
    if not found:
        return
    settled = {
        decision_of(label): label
        for label in audit_queries.batch_labels(batch.batch_id, ADJUDICATION_SOURCE)
    }
    n_open = sum(decision_of(said[0]) not in settled for said in found.values())
    heading = t("audit_disputes", n=count_text(len(found)), open=count_text(n_open))
    with st.expander(heading, icon=":material/gavel:"):
        st.caption(t("audit_disputes_note"))
        for said in list(found.values())[:_MOST]:
            _dispute(said, settled.get(decision_of(said[0])))
        if len(found) > _MOST:
            st.caption(t("audit_disputes_more", n=count_text(len(found) - _MOST)))


def _dispute(said: Sequence[Label], settled: Label | None) -> None:
    with st.container(border=True, gap="xsmall"):
        for label in said:
            st.text(f"{label.annotator}: {_words(label)}")
        if settled is None:
            st.caption(t("audit_dispute_open"))
            return
        st.text(f"{t('audit_dispute_settled')} · {settled.annotator}: {_words(settled)}")
        links.page_link(
            "replay",
            t("audit_dispute_case"),
            icon=":material/replay:",
            view="cases",
            trace_id=settled.trace_id,
        )


def _words(label: Label) -> str:
    parts = (label_name(label.label), label.expected_tool, label.note)
    return " · ".join(part for part in parts if part)
