"""The story of a trace: one line a step; a chosen line opens its span."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

import pandas as pd
import streamlit as st

from dashboard.formats import NO_VALUE, count_text, duration_text
from dashboard.i18n import language, t
from dashboard.incident_text import act_text, layer_of, layer_text, step_text
from dashboard.views.status import status_cell
from replay_store.story import Act, Step

__all__ = ["observed_at", "status_of", "story_table"]

_KEY: Final = "story"
_ROW_HEIGHT: Final = 28
_ROWS_SHOWN: Final = 10
MAX_SHOWN: Final = 500
"""Steps that are sent to a browser; nobody reads more line by line, and the waterfall has them all."""
_TURNS: Final = frozenset({Act.PLANNED, Act.ANSWERED})
_GUARD_MARKS: Final = {"allow": "○", "block": "■", "modify": "■", "escalate": "■", "warn": "▲"}


def story_table(
    steps: Sequence[Step],
    first_step: int | None,
    open_span: Callable[[object], None],
    *,
    is_ready: bool,
) -> None:
    """Draw the steps.

    Args:
        steps: Of one trace, by time.
        first_step: Place of the step that the best hint names; it is marked.
        open_span: Called with the span id of a chosen step.
        is_ready: False keeps the table's place and leaves it out.
    """
    if not steps:
        st.caption(t("story_none"))
        return
    n, steps = len(steps), steps[:MAX_SHOWN]

    def chosen() -> None:
        cells = st.session_state[_KEY].selection.cells
        if cells and cells[0][0] < len(steps):
            open_span(steps[cells[0][0]].span_id)

    st.caption(_caption(n))
    height = _ROW_HEIGHT * (1 + min(len(steps), _ROWS_SHOWN)) + 10
    if not is_ready:
        st.container(height=height, border=False)
        return
    text = st.column_config.TextColumn
    st.dataframe(
        _frame(steps, first_step),
        key=_KEY,
        hide_index=True,
        on_select=chosen,
        selection_mode="single-cell",
        row_height=_ROW_HEIGHT,
        height=height,
        column_config={
            "number": text("#", width=42),
            "at": text(t("story_at"), width=66),
            "act": text(t("story_act"), width=68),
            "subject": text(t("story_subject"), width=116),
            "status": text(t("column_status"), width=80),
            "duration": text(t("fact_duration"), width=66),
            "layer": text(t("story_layer"), width=76),
            "detail": text(t("story_detail"), width=330),
        },
    )


def _caption(n: int) -> str:
    if n > MAX_SHOWN:
        return t("story_cut", n=count_text(MAX_SHOWN))
    return t("story_hint", n=count_text(n))


def _frame(steps: Sequence[Step], first_step: int | None) -> pd.DataFrame:
    lang = language()
    origin = min((step.time_ns for step in steps if step.time_ns is not None), default=None)
    return pd.DataFrame(
        {
            "number": [
                f"{number}{' ◀' if number - 1 == first_step else ''}"
                for number, _ in enumerate(steps, start=1)
            ],
            "at": [_at(step, origin) for step in steps],
            "act": [act_text(step, lang) for step in steps],
            "subject": [step.subject or "" for step in steps],
            "status": [status_of(step) for step in steps],
            "duration": [duration_text(step.duration_ns) for step in steps],
            "layer": [layer_text(layer_of(step), lang) for step in steps],
            "detail": [step_text(step, lang) for step in steps],
        }
    )


def _at(step: Step, origin: int | None) -> str:
    """Since the first step; a trace that tells no times has none."""
    if step.time_ns is None or origin is None:
        return NO_VALUE
    return f"+{duration_text(step.time_ns - origin)}" if step.time_ns > origin else "0"


def status_of(step: Step | None) -> str:
    """How a step ended, with a mark; empty for no step."""
    if step is None:
        return ""
    if step.act is Act.GUARDED:
        return f"{_GUARD_MARKS.get(step.status, '?')} {step.status}"
    return status_cell(step.status)


def observed_at(steps: Sequence[Step], span_id: str) -> str | None:
    """The span of the observation that goes with a step; None when nothing was observed there.

    Of a call it is the next one, which was made of its output; of a model's turn the one before,
    which it was given.
    """
    place = next((n for n, step in enumerate(steps) if step.span_id == span_id), None)
    if place is None:
        return None
    is_turn = steps[place].act in _TURNS
    near: Iterable[Step] = reversed(steps[:place]) if is_turn else steps[place + 1 :]
    for step in near:
        if step.act is Act.OBSERVED:
            return step.span_id
        if step.act in _TURNS:
            break
    return None
