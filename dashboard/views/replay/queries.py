"""What the Replay page asks and does: cases, runs and robustness, cached by the store's state."""

import time
from collections.abc import Callable
from uuid import UUID

import streamlit as st

from dashboard import queries
from dashboard.background import Report
from dashboard.queries import StoreKey, store_key
from dashboard.replaying.plans import Plan, Wish, plan, rules_plan
from dashboard.replaying.running import play_plan
from metrics.robustness import Robustness, robustness
from pipeline.replay import Case, CaseKind
from pipeline.replay.choosers import LexicalChooser
from pipeline.replay.robustness import looks
from pipeline.replay.setup import Setup
from replay_store import replay, rule_store
from replay_store.records import ReplayRun
from replay_store.replay import PastResult, PlayedRun, StoredCase

TRIED = ("code", "rules", "lexical")
"""What the page can try: it reads no files, and calls nothing outside this process."""


def cases() -> list[StoredCase]:
    """The newest version of every case that is not retired, by id."""
    return _cases(store_key())


@st.cache_data(ttl=600, max_entries=4, show_spinner=False)
def _cases(store: StoreKey) -> list[StoredCase]:
    return replay.stored_cases(queries.database())


def runs() -> list[ReplayRun]:
    """Every run, newest first."""
    return _runs(store_key())


@st.cache_data(ttl=600, max_entries=4, show_spinner=False)
def _runs(store: StoreKey) -> list[ReplayRun]:
    return replay.runs(queries.database())


def run(run_id: UUID) -> PlayedRun:
    """One run with its results. A run is frozen: its key is its id."""
    return _run(store_key().store, run_id)


@st.cache_data(ttl=600, max_entries=16, show_spinner=False)
def _run(store: str, run_id: UUID) -> PlayedRun:
    return replay.get_run(queries.database(), run_id)


def history(case_id: str) -> list[PastResult]:
    """What became of one case in the latest runs, newest first."""
    return _history(store_key(), case_id)


@st.cache_data(ttl=600, max_entries=64, show_spinner=False)
def _history(store: StoreKey, case_id: str) -> list[PastResult]:
    return replay.case_history(queries.database(), case_id)


def player(tried: str, by: str) -> Callable[[Report], ReplayRun]:
    """What plays the stored cases and keeps the run; may be called in another thread.

    It raises `DashboardError` where no case fits; whatever ends it early, nothing is kept.

    Args:
        tried: One of `TRIED`.
        by: Who runs it.
    """
    plan, known, database = _plan(tried), [item.case for item in cases()], queries.database()

    def play(report: Report) -> ReplayRun:
        played = play_plan(plan, known, by, time.time_ns, report)
        replay.keep_run(database, played)
        return played.run

    return play


def _plan(tried: str) -> Plan:
    if tried == "rules":
        stored = rule_store.rules_in_force(queries.database())
        return rules_plan(f"dictionary {rule_store.short(stored.version)}", stored.rule_set)
    return plan(Wish(chooser=LexicalChooser()) if tried == "lexical" else Wish())


def disturbed() -> list[Robustness]:
    """What controlled noise takes from the stored cases, by kind and intensity."""
    return _disturbed(store_key().store, tuple((c.case.case_id, c.case_hash) for c in _noisy()))


@st.cache_data(ttl=3600, max_entries=4, show_spinner=False)
def _disturbed(store: str, versions: tuple[tuple[str, int], ...]) -> list[Robustness]:
    return robustness(looks([item.case for item in _noisy()], Setup("clean")))


def _noisy() -> list[StoredCase]:
    return [item for item in cases() if _reads_outputs(item.case)]


def _reads_outputs(case: Case) -> bool:
    return case.kind in (CaseKind.OBSERVATION, CaseKind.END_TO_END)
