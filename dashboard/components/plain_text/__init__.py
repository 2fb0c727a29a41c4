"""Text as it came, in a box with a button that copies it: what `st.code` is without a language.

Streamlit draws even plain code with its highlighter, a script of 1.5 MB that knows 300 languages; a
browser compiles and runs it before anything that comes after the first such element.
"""

from typing import Final

import streamlit as st

from dashboard.components.assets import asset
from dashboard.i18n import t

__all__ = ["plain_text"]

_SCROLLED_PX: Final = 420
"""Of a text in a box that scrolls."""


_mount = st.components.v2.component(
    "toolsight_plain_text",
    html='<div class="plain"><pre class="text" tabindex="0"></pre></div>',
    css=asset(__name__, "plain_text.css"),
    js=asset(__name__, "plain_text.js"),
)


def plain_text(text: str, *, key: str, is_scrolled: bool = False) -> None:
    """Draw a text with its line breaks, wrapped where a line is too long. Never markup.

    Args:
        text: May be of a trace; a box without text is as high as one line.
        key: Of the component.
        is_scrolled: Whether the box is at most 420 px high; else it is as high as the text.
    """
    _mount(
        key=key,
        data={
            "text": text,
            "most": _SCROLLED_PX if is_scrolled else None,
            "labels": {"copy": t("plain_copy"), "copied": t("plain_copied")},
        },
    )
