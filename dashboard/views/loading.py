"""The progress of a first load: drawn at once, then by itself until everything is there."""

import streamlit as st

from dashboard import runtime
from dashboard.i18n import t


def still_loading() -> bool:
    """Whether the store is still being filled in the background, which is drawn then.

    Of a first load that ended early it says why.
    """
    loading = runtime.current().loading
    if loading is None:
        return False
    if loading.state.error is not None:
        st.error(t("loading_failed"), icon=":material/error:")
        st.code(loading.state.error, language=None, wrap_lines=True)
    if loading.state.is_finished:
        return False
    _loading_progress()
    return True


@st.fragment(run_every=0.5)
def _loading_progress() -> None:
    """A bar that follows the load and runs the page again when it ends."""
    loading = runtime.current().loading
    if loading is None or loading.state.is_finished:
        st.rerun()
    state = loading.state
    st.progress(state.fraction, text=t("loading", percent=f"{state.fraction:.0%}"))
    st.text(state.label)
