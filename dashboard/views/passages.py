"""Long text on a page: a preview with its size, the whole of it on demand. Never markup."""

from typing import Final

import streamlit as st

from dashboard.components.plain_text import plain_text
from dashboard.formats import size_text
from dashboard.i18n import t
from dashboard.views.trace.span_sections import Passage

_PREVIEW_CHARS: Final = 1_200
_INLINE_BYTES: Final = 1_000_000
"""Larger texts are offered as a file: a browser gets slow on them."""


def passage(item: Passage, key: str) -> None:
    """One text under its name, cut to a preview when it is long.

    Args:
        item: Name and text, both from a trace.
        key: Unique on the page.
    """
    n_bytes = len(item.text.encode("utf-8", "replace"))
    is_cut = len(item.text) > _PREVIEW_CHARS
    with st.container(
        horizontal=True, vertical_alignment="center", gap="small", key=f"passage_head_{key}"
    ):
        st.text(item.name)
        st.caption(size_text(n_bytes), width="content")
        is_whole = is_cut and _wants_whole(key, n_bytes)
    if is_whole and n_bytes > _INLINE_BYTES:
        st.download_button(
            t("passage_download", size=size_text(n_bytes)),
            item.text.encode("utf-8", "replace"),
            file_name="value.txt",
            mime="text/plain",
            key=f"download_{key}",
            on_click="ignore",
        )
        is_whole = False
    shown = item.text if is_whole or not is_cut else item.text[:_PREVIEW_CHARS] + " …"
    plain_text(shown, key=f"text_{key}", is_scrolled=is_whole)


def _wants_whole(key: str, n_bytes: int) -> bool:
    return st.toggle(t("passage_whole", size=size_text(n_bytes)), key=f"whole_{key}")


def passages(heading: str, items: tuple[Passage, ...], key: str) -> None:
    """Several texts under one heading; nothing when there are none."""
    if not items:
        return
    st.markdown(f"**{heading}**")
    for index, item in enumerate(items):
        with st.container(gap="xxsmall", key=f"passage_{key}_{index}"):
            passage(item, f"{key}_{index}")
