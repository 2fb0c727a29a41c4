"""What a page shows while there is nothing to show: what to do next, with the exact commands."""

import streamlit as st

from dashboard import runtime
from dashboard.i18n import t


def empty_store() -> None:
    """The store holds no trace."""
    st.info(t("empty_title"), icon=":material/inbox:")
    st.markdown(t("empty_ingest"))
    db = runtime.current().settings.db
    st.code(f"toolsight ingest --db {db} PATH…", language=None)
    st.markdown(t("empty_demo"))
    st.code("toolsight demo", language=None)
