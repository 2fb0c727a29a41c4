"""What a person takes away from a trace: its link, the command that tells it, and a bundle."""

import time
from typing import Final
from urllib.parse import urlencode

import streamlit as st

from dashboard import links, queries
from dashboard.bundle import Bundle, bundle_html, bundle_json, bundle_of
from dashboard.filters import zone
from dashboard.i18n import language, t
from replay_store.records import Trace

__all__ = ["take_away"]

_PARTS: Final = ("trace_id", "span", "with")


def take_away(trace: Trace) -> None:
    """Draw the two menus; a file is made when it is asked for."""
    _link_menu(trace)
    with st.popover(t("take_bundle"), icon=":material/folder_zip:", key="take_bundle"):
        st.markdown(t("take_bundle_note"))
        _download(trace, "html", "text/html")
        _download(trace, "json", "application/json")


def _link_menu(trace: Trace) -> None:
    """Filled when it is opened: what draws code is the page's largest script, which bars need not wait for."""
    menu = st.popover(t("take_link"), icon=":material/link:", key="take_link", on_change="rerun")
    if menu.open:
        with menu:
            st.caption(t("take_link_note"))
            st.code(_link(trace), language=None, wrap_lines=True)
            st.caption(t("take_command"))
            st.code(f"toolsight trace {trace.trace_id}", language="shell")


def _link(trace: Trace) -> str:
    """The address of this view with the whole id, however the trace was found."""
    parts = {name: st.query_params.get(name) for name in _PARTS} | {"trace_id": trace.trace_id}
    query = links.address(**parts)
    return f"{(st.context.url or '').split('?')[0]}?{urlencode(query)}"


def _download(trace: Trace, kind: str, mime: str) -> None:
    database, in_zone, lang = queries.database(), zone(), language()

    def made() -> bytes:
        bundle = bundle_of(database, trace.trace_id, in_zone, now_ns=time.time_ns(), lang=lang)
        return b"" if bundle is None else _file(bundle, kind)

    st.download_button(
        t("take_html") if kind == "html" else t("take_json"),
        data=made,
        file_name=f"trace-{trace.trace_id[:12]}.{kind}",
        mime=mime,
        icon=":material/download:",
        key=f"take_{kind}",
        on_click="ignore",
    )


def _file(bundle: Bundle, kind: str) -> bytes:
    return bundle_html(bundle) if kind == "html" else bundle_json(bundle)
