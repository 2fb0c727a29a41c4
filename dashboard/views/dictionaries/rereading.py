"""Recorded observations read again by a version that was just put in force, with a bar."""

import time

import streamlit as st

from dashboard import queries
from dashboard.i18n import t
from replay_store.backtest_reread import reread_all
from replay_store.rule_store import StoredRules


def read_again(stored: StoredRules) -> int:
    """Read what this version has not read; broken off by any click, and taken up again later.

    Returns:
        How many observations were read.
    """
    with st.container(key="dictionaries_rereading"):
        bar = st.progress(0.0, t("dictionaries_rereading"))

        def report(n_done: int, n_total: int) -> None:
            bar.progress(n_done / n_total, t("dictionaries_rereading"))

        n_read = reread_all(queries.database(), stored, time.time_ns, on_progress=report)
        bar.empty()
    return n_read
