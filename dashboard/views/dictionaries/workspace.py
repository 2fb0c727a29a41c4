"""The draft that a session works on: kept in the store at every change, named in the address."""

import time
from dataclasses import dataclass, replace
from typing import Final, Literal

import streamlit as st

from dashboard import links, queries
from dashboard.views.dictionaries import queries as dictionaries_queries
from dashboard.views.dictionaries import state as dictionaries_state
from dashboard.views.dictionaries.draft import Draft, Moved, moved_to
from dashboard.views.dictionaries.edit_json import (
    edits_from_json,
    edits_to_json,
    written_from_json,
)
from replay_store import rule_drafts
from replay_store.errors import RuleDraftMovedError
from replay_store.rule_drafts import KeptDraft
from replay_store.rule_store import StoredRules

_ADDRESS: Final = "draft"
_DRAFT: Final = "dictionaries_draft"
_DISCARDED: Final = "dictionaries_discarded"
_CLASH: Final = "dictionaries_clash"
_UNSIGNED: Final = "dictionaries_unsigned"
"""Id of the draft that this session changed before its person said who they are."""


@dataclass(frozen=True, slots=True)
class Clash:
    """Two people changed one draft: nothing is kept until this one says how to go on."""

    mine: Draft
    base: Draft
    """What this person had seen of it."""
    theirs: KeptDraft


def draft(stored: StoredRules) -> Draft:
    """The draft that the address names, or one that changes nothing."""
    wanted = st.query_params.get(_ADDRESS, "")
    held = st.session_state.get(_DRAFT)
    if isinstance(held, Draft) and held.draft_id == wanted:
        return held
    kept = rule_drafts.kept_draft(queries.database(), wanted) if wanted else None
    if kept is None or kept.state != "open":
        return Draft(stored.version, stored.texts, stored.texts)
    opened = _opened(kept)
    st.session_state[_DRAFT] = opened
    return opened


def open_draft(draft_id: str) -> None:
    """Work on a draft of the list; for callbacks only."""
    st.session_state.pop(_DRAFT, None)
    st.session_state.pop(_CLASH, None)
    links.set_parameter(_ADDRESS, draft_id)


def close() -> None:
    """Work on no draft; it stays among the open ones."""
    st.session_state.pop(_DRAFT, None)
    links.set_parameter(_ADDRESS, None)


def keep(before: Draft, changed: Draft) -> bool:
    """Keep a change of the draft.

    Returns:
        False when somebody else changed it meanwhile: `clash` then holds both.
    """
    try:
        draft_id = rule_drafts.save_draft(
            queries.database(),
            changed.base_version,
            changed.texts,
            edits_to_json(changed.edits, changed.written),
            dictionaries_state.author() or None,
            time.time_ns,
            draft_id=changed.draft_id,
            expected_version=changed.kept_version,
        )
    except RuleDraftMovedError:
        theirs = rule_drafts.kept_draft(queries.database(), changed.draft_id or "")
        if theirs is not None:
            st.session_state[_CLASH] = Clash(changed, before, theirs)
        return False
    _hold(draft_id, changed)
    st.session_state[_UNSIGNED] = None if dictionaries_state.author() else draft_id
    return True


def sign() -> None:
    """Put this person's name to what this session changed before they said who they are."""
    held = st.session_state.get(_DRAFT)
    if isinstance(held, Draft) and held.draft_id == st.session_state.get(_UNSIGNED):
        keep(held, held)


def clash() -> Clash | None:
    """What another person did to this draft meanwhile; None when nobody did."""
    found = st.session_state.get(_CLASH)
    return found if isinstance(found, Clash) else None


def joined(found: Clash) -> Moved:
    """This person's change made on what the other left; the base of publishing stays theirs."""
    mine = replace(
        found.mine,
        base_version=found.theirs.base_version,
        base=found.base.texts,
        edits=found.mine.edits[len(found.base.edits) :],
        written=found.mine.written - found.base.written,
    )
    moved = moved_to(mine, found.theirs.base_version, found.theirs.texts)
    opened = _opened(found.theirs)
    whole = replace(
        opened,
        texts=moved.draft.texts,
        edits=(*opened.edits, *mine.edits),
        written=opened.written | mine.written,
    )
    return Moved(whole, moved.overwriting)


def settle(found: Clash, *, with_mine: bool) -> None:
    """Go on with both changes, or with the other's alone; for callbacks only."""
    st.session_state.pop(_CLASH, None)
    opened = _opened(found.theirs)
    st.session_state[_DRAFT] = opened
    if with_mine:
        keep(opened, joined(found).draft)


def discard(changed: Draft) -> None:
    """Put the draft aside; `restore` brings it back. For callbacks only."""
    if changed.draft_id is not None:
        _close_kept(changed.draft_id, "discarded")
    st.session_state[_DISCARDED] = changed.draft_id
    close()


def restore() -> None:
    """Bring back the draft that was put aside; for callbacks only."""
    draft_id = st.session_state.pop(_DISCARDED, None)
    if isinstance(draft_id, str):
        _close_kept(draft_id, "open")
        open_draft(draft_id)


def has_discarded() -> bool:
    """Whether this session put a draft aside."""
    return isinstance(st.session_state.get(_DISCARDED), str)


def published(changed: Draft) -> None:
    """The draft is a version now."""
    if changed.draft_id is not None:
        _close_kept(changed.draft_id, "published")
    st.session_state.pop(_DRAFT, None)
    st.query_params.pop(_ADDRESS, None)
    dictionaries_state.forget_seen()


def others(current: Draft) -> list[KeptDraft]:
    """Open drafts besides the one that is worked on, the one changed last first."""
    found = rule_drafts.open_drafts(queries.database())
    return [kept for kept in found if kept.draft_id != current.draft_id]


def changed_by_others(current: Draft) -> KeptDraft | None:
    """The draft as somebody else left it since this person looked; None when nobody did."""
    if current.draft_id is None:
        return None
    kept = rule_drafts.kept_draft(queries.database(), current.draft_id)
    return None if kept is None or kept.version == current.kept_version else kept


def _hold(draft_id: str, changed: Draft) -> None:
    kept = rule_drafts.kept_draft(queries.database(), draft_id)
    if kept is not None:
        st.session_state[_DRAFT] = replace(
            changed, draft_id=draft_id, kept_version=kept.version, authors=kept.authors
        )
    st.query_params[_ADDRESS] = draft_id


def _opened(kept: KeptDraft) -> Draft:
    return Draft(
        base_version=kept.base_version,
        base=dictionaries_queries.texts_of(kept.base_version),
        texts=kept.texts,
        edits=edits_from_json(kept.edits),
        written=written_from_json(kept.edits),
        draft_id=kept.draft_id,
        kept_version=kept.version,
        authors=kept.authors,
    )


def _close_kept(draft_id: str, state: Literal["discarded", "published", "open"]) -> None:
    author = dictionaries_state.author() or None
    rule_drafts.close_draft(queries.database(), draft_id, state, author, time.time_ns)
