"""Who acts: the name at which an issuer knows them, else the name they write."""

import streamlit as st

from dashboard.i18n import t
from dashboard.views.dictionaries import state as dictionaries_state
from dashboard.views.dictionaries import workspace
from dashboard.views.dictionaries.state import AUTHOR
from dashboard.views.facts import Fact, facts
from replay_store.rule_store import MAX_AUTHOR

_FIELD = "dictionaries_author_field"


def who_field() -> str:
    """Draw the field, or the name of who is signed in; gives the name, empty without one."""
    known = dictionaries_state.signed_in()
    if known is not None:
        facts((Fact(t("dictionaries_signed_in"), known),), key="dictionaries_who")
        return known

    def changed() -> None:
        st.session_state[AUTHOR] = st.session_state[_FIELD].strip()
        if st.session_state[AUTHOR]:
            workspace.sign()

    st.text_input(
        t("dictionaries_author"),
        dictionaries_state.author(),
        max_chars=MAX_AUTHOR,
        key=_FIELD,
        on_change=changed,
        help=t("dictionaries_author_help"),
        width=320,
    )
    return dictionaries_state.author()


def is_named(name: str) -> bool:
    """Whether somebody said who they are; draws why that is asked when not."""
    if name.strip():
        return True
    st.error(t("dictionaries_name_first"), icon=":material/edit:")
    return False
