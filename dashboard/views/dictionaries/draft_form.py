"""The draft: what it changes in the files, what it would have changed for the model, publishing."""

import streamlit as st

from dashboard import queries, runtime
from dashboard.i18n import t
from dashboard.tuning.difference import difference
from dashboard.tuning.trial import gates_of
from dashboard.views.dictionaries import state as dictionaries_state
from dashboard.views.dictionaries import workspace
from dashboard.views.dictionaries.citing import citing_section
from dashboard.views.dictionaries.draft import Draft, moved_to
from dashboard.views.dictionaries.effect import effect
from dashboard.views.dictionaries.gates import Judged, gates_section
from dashboard.views.dictionaries.open_drafts import (
    changed_meanwhile,
    clash_question,
    other_drafts,
)
from dashboard.views.dictionaries.publish_form import publish_form
from dashboard.views.dictionaries.shadow_run import shadow_section
from dashboard.views.dictionaries.state import Seen
from dashboard.views.dictionaries.trying import tried
from dashboard.views.dictionaries.who import who_field
from dashboard.views.facts import Fact, facts
from metrics import Scope
from pipeline.observation import load_rules
from replay_store.rule_reviews import reviewed
from replay_store.rule_store import StoredRules, short, version_of


def draft_section(stored: StoredRules, period: Scope) -> None:
    """Draw the draft; without one, what would start it."""
    st.subheader(t("dictionaries_draft"), anchor=False)
    clash = workspace.clash()
    if clash is not None:
        clash_question(clash)
        return
    draft = workspace.draft(stored)
    other_drafts(draft)
    if not draft.is_changed:
        _no_draft()
        shadow_section(None, dictionaries_state.author())
        return
    with st.container(horizontal=True, vertical_alignment="bottom", key="dictionaries_signed"):
        who = who_field()
        facts((Fact(t("dictionaries_authors"), ", ".join(draft.authors) or None),), key="authors")
    changed_meanwhile(draft)
    if draft.base_version != stored.version:
        _moved(draft, stored)
    names = (short(draft.base_version), t("dictionaries_draft_name"))
    st.code(difference(draft.base, draft.texts, names), language="diff", wrap_lines=True)
    wants_effect = _bar(draft)
    seen = tried(draft, period, is_asked=wants_effect)
    if seen is None:
        shadow_section(draft, who)
        return
    judged = _judged(draft, seen, who)
    effect(judged, load_rules(draft.texts), who)
    gates_section(judged, who)
    citing_section(judged.trial.citing, load_rules(draft.texts), draft.draft_id or "")
    shadow_section(draft, who)
    publish_form(judged, who)


def _judged(draft: Draft, seen: Seen, who: str) -> Judged:
    said = reviewed(queries.database(), draft.base_version, version_of(draft.texts))
    gates = gates_of(
        seen.trial,
        said,
        draft.authors,
        who or None,
        needs_approval=not runtime.current().settings.team_of_one,
    )
    return Judged(draft, seen.period, seen.trial, said, gates)


def _no_draft() -> None:
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(t("dictionaries_draft_none"), width="content")
        if workspace.has_discarded():
            st.button(
                t("dictionaries_restore"),
                icon=":material/undo:",
                key="dictionaries_restore",
                on_click=workspace.restore,
            )


def _moved(draft: Draft, stored: StoredRules) -> None:
    st.warning(t("dictionaries_moved"), icon=":material/alt_route:")
    names = (short(draft.base_version), short(stored.version))
    with st.expander(t("dictionaries_moved_what"), key="dictionaries_moved_what"):
        st.code(difference(draft.base, stored.texts, names), language="diff", wrap_lines=True)
    moved = moved_to(draft, stored.version, stored.texts)
    if moved.overwriting:
        st.caption(t("dictionaries_moved_overwriting"))
        st.code("\n".join(moved.overwriting), language=None)
    st.button(
        t("dictionaries_move"),
        icon=":material/merge:",
        key="dictionaries_move",
        on_click=_keep,
        args=(draft, moved.draft),
    )


def _keep(before: Draft, changed: Draft) -> None:
    workspace.keep(before, changed)


def _bar(draft: Draft) -> bool:
    with st.container(horizontal=True, gap="small", key="dictionaries_draft_bar"):
        wants_effect = st.button(
            t("dictionaries_effect"),
            type="primary",
            icon=":material/science:",
            key="dictionaries_effect",
        )
        st.button(
            t("dictionaries_set_aside"),
            icon=":material/bookmark:",
            key="dictionaries_set_aside",
            help=t("dictionaries_set_aside_help"),
            on_click=workspace.close,
        )
        st.button(
            t("dictionaries_discard"),
            icon=":material/delete:",
            key="dictionaries_discard",
            on_click=workspace.discard,
            args=(draft,),
        )
    return wants_effect
