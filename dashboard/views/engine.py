"""What every page says of a cluster that it reads: that nothing is kept there, and what is missing."""

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from dashboard import queries
from dashboard.i18n import t
from replay_store.errors import ClusterError, EngineError

__all__ = ["engine_caption", "engine_notice"]


def engine_caption() -> None:
    """In the sidebar: that a cluster is read, and only read."""
    if queries.database().is_engine:
        st.caption(t("engine_read_only"))


@contextmanager
def engine_notice() -> Iterator[None]:
    """Around a page: above it, whether a shard is missing from it; in its place, why there is no answer."""
    place = st.empty()
    try:
        yield
    except (ClusterError, EngineError) as error:
        st.error(t("engine_failed"), icon=":material/cloud_off:")
        st.text(str(error))
    else:
        if queries.database().is_partial:
            place.warning(t("engine_partial"), icon=":material/warning:")
