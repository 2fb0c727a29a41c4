"""Labels to take away, and to bring back."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import streamlit as st

from dashboard import queries, runtime
from dashboard.auditing.importing import import_labels
from dashboard.auditing.label_files import labels_csv, labels_jsonl
from dashboard.errors import DashboardError
from dashboard.formats import count_text
from dashboard.i18n import t
from replay_store.records import Label

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile


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


_TAKEN: Final = "audit_labels_taken"


def take_in() -> None:
    """The place to drop a file of labels, and what became of the last one."""
    with st.popover(t("audit_take_in"), icon=":material/upload_file:", key="audit_take_in"):
        st.caption(t("audit_take_in_note"))
        found = st.file_uploader(
            t("audit_take_in_file"), type=["jsonl", "csv"], key="audit_labels_file"
        )
        if found is not None:
            st.button(t("audit_take_in_go"), type="primary", on_click=_take, args=(found,))
        if (said := st.session_state.pop(_TAKEN, None)) is not None:
            st.text(said)


def _take(found: "UploadedFile") -> None:
    settings = runtime.current().settings
    try:
        line = import_labels(queries.database(), settings, found.name, found.getvalue())
    except DashboardError as error:
        st.session_state[_TAKEN] = str(error)
        return
    st.session_state[_TAKEN] = t(
        "audit_taken_in",
        n=count_text(line.n_stored),
        known=count_text(line.n_merged),
        refused=count_text(line.n_rejected),
    )
