"""The word, icon and colour of a trace's or a call's status; the word is always there."""

from typing import Final, Literal, NamedTuple

import streamlit as st

from dashboard.i18n import t


class _Look(NamedTuple):
    key: str
    icon: str
    mark: str
    color: Literal["green", "red", "orange", "gray"]


_LOOKS: Final = {
    "ok": _Look("status_ok", ":material/check_circle:", "●", "green"),
    "error": _Look("status_error", ":material/error:", "✕", "red"),
    "blocked": _Look("status_blocked", ":material/block:", "■", "orange"),
    "unfinished": _Look("status_unfinished", ":material/hourglass_empty:", "◌", "orange"),
    "pending": _Look("status_pending", ":material/hourglass_empty:", "◌", "orange"),
    "unknown": _Look("status_unknown", ":material/help:", "?", "gray"),
}
KNOWN_STATUSES: Final = tuple(_LOOKS)


def status_badge(status: str) -> None:
    """A badge; a status that is new here shows as unknown."""
    look = _LOOKS.get(status, _LOOKS["unknown"])
    st.badge(t(look.key), icon=look.icon, color=look.color)


def status_word(status: str) -> str:
    """The status in the reader's language."""
    return t(_LOOKS.get(status, _LOOKS["unknown"]).key)


def status_cell(status: str) -> str:
    """Mark and word, for a table cell."""
    look = _LOOKS.get(status, _LOOKS["unknown"])
    return f"{look.mark} {t(look.key)}"
