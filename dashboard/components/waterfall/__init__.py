"""The waterfall of one trace: a tree of spans beside their bars in time."""

import gzip
from collections.abc import Callable
from typing import Final

import orjson
import streamlit as st

from dashboard.components.assets import asset
from dashboard.components.waterfall.rows import WaterfallRows
from dashboard.components.waterfall.tree import MAX_SPANS, waterfall_rows
from dashboard.i18n import t

__all__ = ["MAX_SPANS", "WaterfallRows", "packed", "waterfall", "waterfall_rows"]

_ROLE_LABELS: Final = {
    "agent": "role_agent",
    "model": "role_model",
    "tool": "role_tool",
    "attempt": "role_attempt",
    "guard": "role_guard",
    "observation": "role_observation",
    "chain": "role_chain",
    "retriever": "role_retriever",
    "other": "role_other",
    "missing": "role_missing",
}

_LEVEL: Final = 1
"""Of 9; a higher one takes four times as long for a twentieth of the bytes."""


_mount = st.components.v2.component(
    "toolsight_waterfall",
    html='<div class="waterfall"></div>',
    css=asset(__name__, "waterfall.css"),
    js="\n".join(asset(__name__, name) for name in ("rows.js", "draw.js", "view.js")),
)


def waterfall(
    rows: bytes, first: int, *, key: str, version: str, on_selected: Callable[[], None]
) -> None:
    """Draw the rows; the selected span's id lands in `st.session_state[key].selected`.

    The data stays the same from run to run, so that Streamlit sends a hash instead of every span
    again; which span is open is read by the browser from the address (`?span=`).

    Args:
        rows: From `packed`.
        first: The row to open while the address names no span.
        key: Of the component.
        version: Changes when the rows do; folds and zoom are kept while it stays.
        on_selected: Called after a person chose another span.
    """
    head = orjson.dumps({"version": version, "first": first, "labels": _labels()})
    _mount(key=key, data=head + b"\n" + rows, on_selected_change=on_selected)


def packed(rows: WaterfallRows) -> bytes:
    """The rows as a browser is sent them: for 20,000 spans 50 to 350 kB instead of 1.6 MB.

    Ids are one text of 16 digits each, starts are told by their distance from the one before that has
    one, states only where a span is not whole; and all of it in gzip. `rows.js` undoes it.
    """
    steps: list[int | None] = []
    before = 0
    for start in rows["start"]:
        steps.append(None if start is None else start - before)
        before = before if start is None else start
    states = [(row, state) for row, state in enumerate(rows["state"]) if state]
    fewer = {**rows, "ids": "".join(rows["ids"]), "start": steps, "state": states}
    return gzip.compress(orjson.dumps(fewer), _LEVEL, mtime=0)


def role_label(role: str) -> str:
    """The word for a role in the reader's language; the role itself when it is a new one."""
    return t(_ROLE_LABELS[role]) if role in _ROLE_LABELS else role


def _labels() -> dict[str, object]:
    return {
        "search": t("waterfall_search"),
        "hits": t("waterfall_hits"),
        "span": t("waterfall_span"),
        "spans": t("waterfall_spans"),
        "previous_error": t("waterfall_previous_error"),
        "next_error": t("waterfall_next_error"),
        "collapse_all": t("waterfall_collapse_all"),
        "expand_all": t("waterfall_expand_all"),
        "zoom_in": t("waterfall_zoom_in"),
        "zoom_out": t("waterfall_zoom_out"),
        "zoom_span": t("waterfall_zoom_span"),
        "zoom_reset": t("waterfall_zoom_reset"),
        "drag_to_zoom": t("waterfall_drag_to_zoom"),
        "idle": t("waterfall_idle"),
        "keys": t("waterfall_keys"),
        "error": t("waterfall_error"),
        "cycle": t("waterfall_cycle"),
        "before": t("waterfall_before", by="{by}"),
        "after": t("waterfall_after", by="{by}"),
        "try": t("waterfall_try", number="{number}", of="{of}"),
        "unfinished": t("waterfall_unfinished"),
        "untimed": t("waterfall_untimed"),
        "reversed": t("waterfall_reversed"),
        "missing": t("waterfall_missing"),
        "roles": {role: t(key) for role, key in _ROLE_LABELS.items()},
    }
