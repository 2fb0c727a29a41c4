"""Addresses of the pages: what a link carries, so that it shows the same thing again.

A page's whole view lies in its address as plain text. Widgets write it only when a person changes
them (a write during a run would trap the browser's Back), and every run reads it anew.
"""

from collections.abc import Mapping
from typing import Final, cast

import streamlit as st
from streamlit.navigation.page import StreamlitPage

_PAGES: Final = "pages"
_GO_TO: Final = "go_to"
_SHARED: Final = ("range", "lang", "live")
"""What every link passes on: the time range, the language, and whether pages watch."""


def register(pages: Mapping[str, StreamlitPage]) -> None:
    """Make the pages known for the links of this run, by their `url_path`."""
    st.session_state[_PAGES] = dict(pages)


def page(name: str) -> StreamlitPage:
    """The page with that `url_path`."""
    return cast("dict[str, StreamlitPage]", st.session_state[_PAGES])[name]


def address(**parameters: object) -> dict[str, str]:
    """The query of a link: the shared part of this page's, and what is given and not None."""
    shared = {name: value for name in _SHARED if (value := st.query_params.get(name))}
    return shared | {name: str(value) for name, value in parameters.items() if value is not None}


def page_link(
    name: str,
    label: str,
    *,
    icon: str | None = None,
    help_text: str | None = None,
    **parameters: object,
) -> None:
    """Draw a link to a page. The label is markdown: never text from a trace."""
    st.page_link(
        page(name), label=label, icon=icon, help=help_text, query_params=address(**parameters)
    )


def go_to(name: str, **parameters: object) -> None:
    """Open a page at the end of this callback's run (a callback cannot switch pages itself)."""
    st.session_state[_GO_TO] = (name, address(**parameters))


def follow() -> None:
    """Open the page that a callback asked for, if any."""
    wanted = st.session_state.pop(_GO_TO, None)
    if wanted is not None:
        name, query = wanted
        st.switch_page(page(name), query_params=query)


def set_parameter(name: str, value: str | None) -> None:
    """Write one part of the address; for callbacks only. None or empty takes it out."""
    if value:
        st.query_params[name] = value
    else:
        st.query_params.pop(name, None)
