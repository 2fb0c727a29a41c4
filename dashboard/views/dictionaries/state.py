"""What the Dictionaries page remembers between two runs of one person's session."""

from dataclasses import dataclass
from typing import Final

import streamlit as st

from dashboard import runtime
from dashboard.tuning.trial import Trial
from dashboard.views.dictionaries import queries as dictionaries_queries
from dashboard.views.dictionaries.draft import Draft
from metrics import Scope
from replay_store.rule_store import version_of

_SEEN: Final = "dictionaries_seen"
_DONE: Final = "dictionaries_done"
_SAID: Final = "dictionaries_said"
AUTHOR: Final = "dictionaries_author"


@dataclass(frozen=True, slots=True)
class Seen:
    """A trial, and of what it is."""

    draft_version: str
    base_version: str
    range_key: str
    """The range that was chosen; its end moves on with the data, and the trial stays."""
    period: Scope
    """What it was then."""
    trial: Trial


@dataclass(frozen=True, slots=True)
class Done:
    """What a person just did, said once and offered to be undone."""

    key: str
    """Catalogue text; may name `{version}` and `{n}`."""
    version: str
    n_read: int
    undo_to: str | None


def seen(changed: Draft, range_key: str) -> Seen | None:
    """The trial of exactly this draft on its base in this range, when it has been looked at."""
    kept = st.session_state.get(_SEEN)
    if not isinstance(kept, Seen):
        return None
    wanted = (version_of(changed.texts), changed.base_version, range_key)
    return kept if (kept.draft_version, kept.base_version, kept.range_key) == wanted else None


def keep_seen(changed: Draft, range_key: str, period: Scope, trial: Trial) -> Seen:
    """Remember a trial."""
    version = version_of(changed.texts)
    kept = Seen(version, changed.base_version, range_key, period, trial)
    st.session_state[_SEEN] = kept
    return kept


def forget_seen() -> None:
    """What was tried is no draft any more."""
    st.session_state.pop(_SEEN, None)


def keep_done(done: Done | None) -> None:
    """Remember what was just done; None forgets it."""
    st.session_state[_DONE] = done


def done() -> Done | None:
    """What was just done, as long as it is still in force."""
    kept = st.session_state.get(_DONE)
    moves = dictionaries_queries.history()
    is_current = isinstance(kept, Done) and moves and moves[0].version == kept.version
    return kept if is_current else None


def say_next(sentence: str | None) -> None:
    """A sentence of the catalogue for the next run; None takes it back."""
    st.session_state[_SAID] = sentence


def said() -> str | None:
    """The sentence that was left for this run; given once."""
    found = st.session_state.pop(_SAID, None)
    return found if isinstance(found, str) else None


def signed_in() -> str | None:
    """The name at which an issuer knows this person; None where nobody signs in by name."""
    if runtime.current().settings.oidc is None or not st.user.get("is_logged_in"):
        return None
    for claim in ("email", "name"):
        if name := str(st.user.get(claim) or "").strip():
            return name
    return None


def author() -> str:
    """Who this person is: as they are signed in, else the name they gave last; empty without any."""
    return signed_in() or str(st.session_state.get(AUTHOR, ""))
