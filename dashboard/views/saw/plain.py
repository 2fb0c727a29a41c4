"""The prompts as they are, side by side, without marks."""

from typing import Final

import streamlit as st

from dashboard.formats import json_text
from dashboard.i18n import t
from dashboard.views.passages import passage
from dashboard.views.saw.reading import Reading
from dashboard.views.saw.text import origin_text, saving_text, tokens_text
from dashboard.views.trace.span_sections import Passage

_INLINE: Final = 20_000
"""Longer texts come as a preview with the whole on demand."""


def plain_panes(reading: Reading) -> None:
    """Raw outputs and each template, a column each."""
    at = reading.variant
    has_raw = reading.caller.sees_raw
    with st.container(key=f"saw_plain_{at}"):
        drawn = st.columns(has_raw + len(reading.panes), gap="small")
    if has_raw:
        with drawn.pop(0):
            _raw(reading)
    for index, (column, pane) in enumerate(zip(drawn, reading.panes, strict=True)):
        with column:
            tokens = tokens_text(pane.n_tokens, reading.counter)
            saving = saving_text(reading.saved(pane), reading.raw_tokens)
            figures = f"{tokens} · {saving}" if saving else tokens
            _head(pane.template, figures, origin_text(reading, pane), f"{at}_{index}")
            _text(pane.text or "", f"{at}_{index}")


def _raw(reading: Reading) -> None:
    name = f"{reading.variant}_raw"
    origin = t("saw_raw_origin") if reading.raw_tokens is not None else t("saw_raw_part")
    _head(t("saw_raw"), tokens_text(reading.raw_tokens, reading.counter), origin, name)
    bodies = [json_text(record.output.body) for record in reading.recorded.raw]
    _text("\n\n".join(bodies), name)


def _head(title: str, figures: str, origin: str, key: str) -> None:
    with st.container(gap=None, key=f"fact_saw_plain_{key}"):
        for line in (title, figures, origin):
            st.text(line)


def _text(text: str, name: str) -> None:
    if len(text) > _INLINE:
        passage(Passage(name, text), f"saw_plain_{name}")
    else:
        st.code(text or " ", language=None, wrap_lines=True, height=460)
