"""Who reads by which version: agents as they tell of themselves, services as their traces say."""

import time
from collections.abc import Sequence
from typing import Final

import pandas as pd
import streamlit as st

from dashboard.filters import zone
from dashboard.formats import NO_VALUE, count_text, duration_text, minute_text
from dashboard.i18n import t
from dashboard.views.dictionaries import queries as dictionaries_queries
from dashboard.views.dictionaries.text import version_text
from metrics import Scope
from pipeline.observation import package_rules
from replay_store.records import RuleWorker
from replay_store.rule_store import V0, Move, StoredRules
from replay_store.rule_workers import ReadBy

_MOST: Final = 50


def workers_section(stored: StoredRules, moves: Sequence[Move], period: Scope | None) -> None:
    """Draw both lists, folded; the head says how many read by another version than the one in force."""
    workers = dictionaries_queries.workers()
    readers = () if period is None else dictionaries_queries.readers(period)
    if not workers and not readers:
        return
    behind = [worker for worker in workers if worker.version != stored.version]
    label = (
        t("dictionaries_workers_behind", n=count_text(len(behind)), total=count_text(len(workers)))
        if behind
        else t("dictionaries_workers")
    )
    with st.expander(label, icon=":material/hub:", key="dictionaries_workers"):
        if workers:
            st.caption(t("dictionaries_workers_told"))
            _told(workers, stored, moves)
        if readers:
            st.caption(t("dictionaries_workers_traced"))
            _traced(readers, stored)


def _told(workers: Sequence[RuleWorker], stored: StoredRules, moves: Sequence[Move]) -> None:
    shown = workers[:_MOST]
    st.dataframe(
        pd.DataFrame(
            {
                "worker": [item.worker for item in shown],
                "version": [version_text(item.version or "") or NO_VALUE for item in shown],
                "state": [_state(item, stored, moves) for item in shown],
                "heard": [minute_text(item.time_ns, zone()) for item in shown],
                "problem": [item.problem or "" for item in shown],
            }
        ),
        key="dictionaries_workers_told",
        hide_index=True,
        height="content",
        row_height=32,
        column_config={
            "worker": st.column_config.TextColumn(t("dictionaries_worker"), width=200),
            "version": st.column_config.TextColumn(t("dictionaries_version"), width=130),
            "state": st.column_config.TextColumn(t("dictionaries_worker_state"), width=200),
            "heard": st.column_config.TextColumn(t("dictionaries_worker_heard"), width=140),
            "problem": st.column_config.TextColumn(t("dictionaries_error_problem")),
        },
    )


def _state(item: RuleWorker, stored: StoredRules, moves: Sequence[Move]) -> str:
    if item.version == stored.version:
        return t("dictionaries_in_force")
    if item.refused_version == stored.version:
        return t("dictionaries_worker_refused")
    if not moves:
        return t("dictionaries_worker_other")
    lag = duration_text(max(item.time_ns, time.time_ns()) - moves[0].moved_time_ns)
    return t("dictionaries_worker_behind", lag=lag)


def _named(rule_version: str | None) -> str:
    """A version as facts name it, as people do."""
    if rule_version == package_rules().version:
        return version_text(V0)
    return rule_version or NO_VALUE


def _traced(readers: Sequence[ReadBy], stored: StoredRules) -> None:
    shown = readers[:_MOST]
    in_force = stored.rule_set.version
    st.dataframe(
        pd.DataFrame(
            {
                "service": [item.service_name or NO_VALUE for item in shown],
                "instance": [item.instance or "" for item in shown],
                "version": [_named(item.rule_version) for item in shown],
                "state": [
                    t("dictionaries_in_force") if item.rule_version == in_force else ""
                    for item in shown
                ],
                "n": [item.n for item in shown],
                "last": [minute_text(item.last_time_ns, zone()) for item in shown],
            }
        ),
        key="dictionaries_workers_traced",
        hide_index=True,
        height="content",
        row_height=32,
        column_config={
            "service": st.column_config.TextColumn(t("dictionaries_worker_service"), width=160),
            "instance": st.column_config.TextColumn(t("dictionaries_worker_instance"), width=180),
            "version": st.column_config.TextColumn(t("dictionaries_version"), width=130),
            "state": st.column_config.TextColumn(t("dictionaries_worker_state"), width=110),
            "n": st.column_config.NumberColumn(t("dictionaries_worker_n"), width=110),
            "last": st.column_config.TextColumn(t("dictionaries_column_last"), width=140),
        },
    )
