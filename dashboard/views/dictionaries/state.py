"""What the Dictionaries page remembers between two runs of one person's session."""

from dataclasses import dataclass
from typing import Final

import streamlit as st

from dashboard.views.dictionaries import queries as dictionaries_queries
from dashboard.views.dictionaries.draft import Draft
from metrics import Scope
from replay_store.backtest_impact import Impact
from replay_store.rule_store import StoredRules, version_of

_DRAFT: Final = "dictionaries_draft"
_DISCARDED: Final = "dictionaries_discarded"
_SEEN: Final = "dictionaries_seen"
_DONE: Final = "dictionaries_done"
AUTHOR: Final = "dictionaries_author"


@dataclass(frozen=True, slots=True)
class Seen:
    """An effect, and of what it is."""

    draft_version: str
    base_version: str
    period: Scope
    impact: Impact


@dataclass(frozen=True, slots=True)
class Done:
    """What a person just did, said once and offered to be undone."""

    key: str
    """Catalogue text; may name `{version}` and `{n}`."""
    version: str
    n_read: int
    undo_to: str | None


def draft(stored: StoredRules) -> Draft:
    """The draft of this session, or one that changes nothing."""
    kept = st.session_state.get(_DRAFT)
    if isinstance(kept, Draft) and kept.is_changed:
        return kept
    return Draft(stored.version, stored.texts, stored.texts)


def keep_draft(changed: Draft) -> None:
    """Remember the draft."""
    st.session_state[_DRAFT] = changed


def discard_draft() -> None:
    """Put the draft aside; `restore_draft` brings it back."""
    st.session_state[_DISCARDED] = st.session_state.pop(_DRAFT, None)


def forget_draft() -> None:
    """The draft was published."""
    for key in (_DRAFT, _DISCARDED, _SEEN):
        st.session_state.pop(key, None)


def discarded() -> Draft | None:
    """The draft that was put aside last."""
    kept = st.session_state.get(_DISCARDED)
    return kept if isinstance(kept, Draft) else None


def restore_draft() -> None:
    """Bring back the draft that was put aside."""
    st.session_state[_DRAFT] = st.session_state.pop(_DISCARDED, None)


def seen(changed: Draft, period: Scope) -> Impact | None:
    """The effect of exactly this draft on its base in this period, when it has been looked at."""
    kept = st.session_state.get(_SEEN)
    if not isinstance(kept, Seen):
        return None
    wanted = (version_of(changed.texts), changed.base_version, period)
    return kept.impact if (kept.draft_version, kept.base_version, kept.period) == wanted else None


def keep_seen(changed: Draft, period: Scope, impact: Impact) -> None:
    """Remember an effect."""
    st.session_state[_SEEN] = Seen(version_of(changed.texts), changed.base_version, period, impact)


def keep_done(done: Done | None) -> None:
    """Remember what was just done; None forgets it."""
    st.session_state[_DONE] = done


def done() -> Done | None:
    """What was just done, as long as it is still in force."""
    kept = st.session_state.get(_DONE)
    moves = dictionaries_queries.history()
    is_current = isinstance(kept, Done) and moves and moves[0].version == kept.version
    return kept if is_current else None


def author() -> str:
    """The name that this person gave last."""
    return str(st.session_state.get(AUTHOR, ""))
