"""Drafts that others began, and what to do when two people change one."""

import streamlit as st

from dashboard.filters import zone
from dashboard.formats import count_text, minute_text
from dashboard.i18n import t
from dashboard.tuning.difference import difference
from dashboard.views.dictionaries import workspace
from dashboard.views.dictionaries.draft import Draft
from dashboard.views.dictionaries.workspace import Clash
from replay_store.rule_drafts import KeptDraft

_MOST = 5


def other_drafts(current: Draft) -> None:
    """List the other open drafts, each with a way in; draws nothing without any."""
    found = workspace.others(current)
    if not found:
        return
    st.caption(t("dictionaries_open_drafts", n=count_text(len(found))))
    for kept in found[:_MOST]:
        _row(kept)


def _row(kept: KeptDraft) -> None:
    with st.container(
        horizontal=True, vertical_alignment="center", key=f"dictionaries_other_{kept.draft_id}"
    ):
        st.text(_title(kept), width="content")
        st.button(
            t("dictionaries_open_draft"),
            icon=":material/folder_open:",
            key=f"dictionaries_open_{kept.draft_id}",
            on_click=workspace.open_draft,
            args=(kept.draft_id,),
        )


def _title(kept: KeptDraft) -> str:
    """Names are people's own text: never markup."""
    names = ", ".join(kept.authors) or t("dictionaries_somebody")
    return f"{kept.draft_id[:8]} · {names} · {minute_text(kept.saved_time_ns, zone())}"


def clash_question(found: Clash) -> None:
    """Ask how to go on where two people changed one draft; nothing of either is lost meanwhile."""
    st.warning(t("dictionaries_clash"), icon=":material/call_merge:")
    st.text(_title(found.theirs))
    names = (t("dictionaries_clash_seen"), t("dictionaries_clash_theirs"))
    st.code(difference(found.base.texts, found.theirs.texts, names), language="diff")
    st.caption(t("dictionaries_clash_mine"))
    names = (t("dictionaries_clash_seen"), t("dictionaries_clash_yours"))
    st.code(difference(found.base.texts, found.mine.texts, names), language="diff")
    overwriting = workspace.joined(found).overwriting
    if overwriting:
        st.caption(t("dictionaries_moved_overwriting"))
        st.code("\n".join(overwriting), language=None)
    with st.container(horizontal=True, gap="small", key="dictionaries_clash_bar"):
        for key, label, with_mine in (
            ("dictionaries_clash_join", t("dictionaries_clash_join"), True),
            ("dictionaries_clash_drop", t("dictionaries_clash_drop"), False),
        ):
            st.button(
                label,
                type="primary" if with_mine else "secondary",
                key=key,
                on_click=workspace.settle,
                args=(found,),
                kwargs={"with_mine": with_mine},
            )


def changed_meanwhile(current: Draft) -> None:
    """Say that somebody else changed this draft since it was opened here."""
    kept = workspace.changed_by_others(current)
    if kept is None:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="dictionaries_newer"):
        st.warning(t("dictionaries_newer"), icon=":material/sync:")
        st.button(
            t("dictionaries_newer_show"),
            key="dictionaries_newer_show",
            on_click=workspace.open_draft,
            args=(kept.draft_id,),
        )
