"""The progress of a first load: drawn at once, then by itself until everything is there."""

import streamlit as st

from dashboard import runtime
from dashboard.i18n import t


def is_loading() -> bool:
    """Whether the store is still being filled in the background."""
    loading = runtime.current().loading
    return loading is not None and not loading.state.is_finished


def load_error() -> None:
    """Say why a first load ended early, if it did."""
    loading = runtime.current().loading
    if loading is not None and loading.state.error is not None:
        st.error(t("loading_failed"), icon=":material/error:")
        st.code(loading.state.error, language=None, wrap_lines=True)


@st.fragment(run_every=0.5)
def loading_progress() -> None:
    """A bar that follows the load and runs the page again when it ends."""
    loading = runtime.current().loading
    if loading is None or loading.state.is_finished:
        st.rerun()
    state = loading.state
    st.progress(state.fraction, text=t("loading", percent=f"{state.fraction:.0%}"))
    st.text(state.label)
