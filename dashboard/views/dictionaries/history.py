"""Who put which version in force, when and why; the way back; the difference of any two."""

import time
from collections.abc import Sequence
from typing import Final
from zoneinfo import ZoneInfo

import pandas as pd
import streamlit as st

from dashboard import queries
from dashboard.filters import zone
from dashboard.formats import NO_VALUE, count_text, minute_text, zone_text
from dashboard.i18n import t
from dashboard.tuning.approval import Approval
from dashboard.tuning.difference import difference
from dashboard.views.dictionaries import queries as dictionaries_queries
from dashboard.views.dictionaries import state as dictionaries_state
from dashboard.views.dictionaries.refused import refused
from dashboard.views.dictionaries.rereading import read_again
from dashboard.views.dictionaries.state import AUTHOR, Done
from dashboard.views.dictionaries.text import version_text
from pipeline.errors import ToolsightError
from replay_store import rule_store
from replay_store.rule_reviews import KeptBacktest
from replay_store.rule_store import MAX_AUTHOR, MAX_REASON, V0, Move, StoredRules, short

_TABLE: Final = "dictionaries_history"


def history_section(stored: StoredRules | None) -> None:
    """Draw the history; None for `stored` when the version in force cannot be used."""
    st.subheader(t("dictionaries_history"), anchor=False)
    moves = dictionaries_queries.history()
    if not moves:
        st.caption(t("dictionaries_history_none"))
        return
    _table(moves, zone())
    versions = list(dict.fromkeys([*(move.version for move in moves), V0]))
    left, right = st.columns(2, gap="medium")
    with left:
        _way_back(versions, moves)
    with right:
        _difference(versions, moves[0].version)


def put_in_force(version: str, who: str, why: str) -> None:
    """Roll back to a version, read again by it, and say so; a refusal is said where it happens."""
    moves = dictionaries_queries.history()
    try:
        rule_store.roll_back(queries.database(), version, who, why, time.time_ns)
        stored = dictionaries_queries.in_force()
    except ToolsightError as error:
        refused(t("dictionaries_refused"), error, "roll_back")
        return
    undo_to = moves[0].version if moves else None
    dictionaries_state.keep_done(Done("dictionaries_rolled_back", version, 0, undo_to))
    n_read = read_again(stored)
    dictionaries_state.keep_done(Done("dictionaries_rolled_back", version, n_read, undo_to))
    st.rerun()


def _table(moves: Sequence[Move], in_zone: ZoneInfo) -> None:
    newest = moves[0].moved_time_ns
    approvals = dictionaries_queries.approvals()
    text = st.column_config.TextColumn
    st.dataframe(
        pd.DataFrame(
            {
                "state": [t("dictionaries_in_force") if i == 0 else "" for i in range(len(moves))],
                "version": [version_text(move.version) for move in moves],
                "what": [
                    t("dictionaries_returned") if move.is_return else t("dictionaries_new")
                    for move in moves
                ],
                "when": [minute_text(move.moved_time_ns, in_zone) for move in moves],
                "who": [move.moved_by for move in moves],
                "approved": [_approved(approvals[move.moved_time_ns][0]) for move in moves],
                "facts": [_n_facts(approvals[move.moved_time_ns][1]) for move in moves],
                "why": [move.reason for move in moves],
            }
        ),
        key=_TABLE,
        hide_index=True,
        height="content" if len(moves) <= 12 else 420,
        row_height=32,
        column_config={
            "state": text("", width=90),
            "version": text(t("dictionaries_version"), width=130),
            "what": text(t("dictionaries_what"), width=120),
            "when": text(t("dictionaries_when", zone=zone_text(in_zone, newest)), width=150),
            "who": text(t("dictionaries_who"), width=110),
            "approved": text(t("dictionaries_approved_by"), width=110),
            "facts": text(t("dictionaries_facts_changed"), width=110),
            "why": text(t("dictionaries_why")),
        },
    )


def _approved(found: Approval) -> str:
    return t("dictionaries_team_of_one") if found.is_team_of_one else found.by or NO_VALUE


def _n_facts(kept: KeptBacktest | None) -> str:
    return NO_VALUE if kept is None else count_text(kept.backtest.n_facts_changed)


def _way_back(versions: Sequence[str], moves: Sequence[Move]) -> None:
    others = [version for version in versions if version != moves[0].version]
    with st.form("dictionaries_roll_back", enter_to_submit=False):
        st.markdown(t("dictionaries_roll_back_hint"))
        version = st.selectbox(t("dictionaries_version"), others, format_func=version_text)
        known = dictionaries_state.signed_in()
        who = known or st.text_input(
            t("dictionaries_author"),
            dictionaries_state.author(),
            max_chars=MAX_AUTHOR,
            key="dictionaries_back_author",
        )
        why = st.text_input(
            t("dictionaries_reason"), max_chars=MAX_REASON, key="dictionaries_back_reason"
        )
        is_sent = st.form_submit_button(t("dictionaries_roll_back"), icon=":material/history:")
    if not is_sent or version is None:
        return
    st.session_state[AUTHOR] = who
    if not who.strip() or not why.strip():
        st.error(t("dictionaries_signature"), icon=":material/edit:")
        return
    put_in_force(version, who, why)


def _difference(versions: Sequence[str], in_force: str) -> None:
    before = next((n for n, version in enumerate(versions) if version != in_force), 0)
    with st.container(border=True, key="dictionaries_difference"):
        st.markdown(t("dictionaries_difference_hint"))
        old, new = st.columns(2, gap="small")
        with old:
            left = st.selectbox(
                t("dictionaries_from"),
                versions,
                before,
                key="dictionaries_diff_from",
                format_func=version_text,
            )
        with new:
            right = st.selectbox(
                t("dictionaries_to"),
                versions,
                versions.index(in_force),
                key="dictionaries_diff_to",
                format_func=version_text,
            )
        texts = [dictionaries_queries.texts_of(version) for version in (left, right)]
        found = difference(texts[0], texts[1], (short(left), short(right)))
        if found:
            st.code(found, language="diff", wrap_lines=True)
        else:
            st.caption(t("dictionaries_no_difference"))
