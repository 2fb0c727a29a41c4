"""Searches that people keep by a name: opened, kept and taken out again."""

import time
from collections.abc import Sequence
from typing import Final
from urllib.parse import parse_qsl, urlencode

import streamlit as st

from dashboard import links, queries
from dashboard.i18n import t
from pipeline.errors import ToolsightError
from replay_store.kept_by_people import keep_view, saved_views
from replay_store.records import SavedView

__all__ = ["saved_searches"]

_PAGE: Final = "traces"
_SHARED: Final = ("range", "metric", "part", "from", "to")
_NAME: Final = "saved_name"


def saved_searches(names: Sequence[str]) -> None:
    """Draw the menu.

    Args:
        names: The parts of the address that a search is made of.
    """
    with st.popover(t("saved_views"), icon=":material/bookmark:", key="saved_views"):
        kept = saved_views(queries.database(), _PAGE)
        if not kept:
            st.caption(t("saved_none"))
        for number, view in enumerate(kept):
            _row(number, view, names)
        with st.form("saved_form", border=False, clear_on_submit=True):
            name = st.text_input(t("saved_name"), key=_NAME, max_chars=200)
            is_sent = st.form_submit_button(t("saved_keep"), icon=":material/bookmark_add:")
        if is_sent:
            _keep(name, _query(names))


def _row(number: int, view: SavedView, names: Sequence[str]) -> None:
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", key=f"saved_{number}"
    ):
        st.button(
            t("saved_open"),
            key=f"saved_open_{number}",
            icon=":material/search:",
            on_click=_open,
            args=(view, tuple(names)),
        )
        st.text(view.name)
        st.button(
            t("saved_remove"),
            key=f"saved_remove_{number}",
            type="tertiary",
            icon=":material/delete:",
            on_click=_remove,
            args=(view,),
        )


def _query(names: Sequence[str]) -> str:
    held = {name: st.query_params.get(name) for name in (*names, *_SHARED)}
    return urlencode({name: value for name, value in held.items() if value})


def _open(view: SavedView, names: Sequence[str]) -> None:
    given = dict(parse_qsl(view.query))
    for name in (*names, *_SHARED):
        links.set_parameter(name, given.get(name))
    links.set_parameter("page", None)


def _keep(name: str, query: str) -> None:
    try:
        keep_view(
            queries.database(),
            name,
            page=_PAGE,
            query=query,
            author=str(st.user.get("email") or ""),
            clock=time.time_ns,
        )
    except ToolsightError as error:
        st.error(t("saved_refused"))
        st.text(str(error))
        return
    st.rerun()


def _remove(view: SavedView) -> None:
    keep_view(
        queries.database(),
        view.name,
        page=_PAGE,
        query="",
        author=str(st.user.get("email") or ""),
        clock=time.time_ns,
        is_removed=True,
    )
