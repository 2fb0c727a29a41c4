"""Labels to take away."""

from collections.abc import Sequence

import streamlit as st

from dashboard.formats import count_text
from dashboard.i18n import t
from dashboard.views.audit.export import labels_csv, labels_jsonl
from replay_store.records import Label


def files(heading: str, labels: Sequence[Label], key: str) -> None:
    """Both files of some labels; both can be taken in again."""
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
