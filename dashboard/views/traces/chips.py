"""What the listed traces are made of, as chips: one that is chosen narrows the list to it."""

from collections.abc import Mapping
from typing import Final

import streamlit as st

from dashboard import links
from dashboard.components.chips import Chip, ChipGroup, chips
from dashboard.formats import count_text
from dashboard.i18n import t
from dashboard.metric_text import in_language
from dashboard.views.status import status_cell
from dashboard.views.traces import queries as traces_queries
from dashboard.views.traces.filters import MAX_CHARS, parameter
from metrics.layers import LAYERS, Layer
from replay_store.reader import TraceFilter

__all__ = ["count_chips", "narrow"]

_KEY: Final = "trace_counts"
_NAMES: Final = ("status", "layer", "error")
_MOST: Final = 8
"""Values of one kind; the lists of the form have the rarer ones."""


def count_chips(listed: TraceFilter) -> None:
    """Draw how many of the listed traces have each status, layer with a fault and class of error."""
    counted = traces_queries.counts(listed)
    chips(
        (
            _group("status", t("filter_status"), counted.statuses),
            _group("layer", t("more_layer"), counted.layers),
            _group("error", t("filter_error"), counted.errors),
        ),
        key=_KEY,
        on_chosen=lambda: narrow(st.session_state[_KEY].chosen),
    )


def narrow(chosen: object) -> None:
    """Put a chosen value into the address, or take it out where it is there; else do nothing."""
    if not isinstance(chosen, Mapping):
        return
    name, value = chosen.get("name"), chosen.get("value")
    if name not in _NAMES or not isinstance(value, str):
        return
    value = value[:MAX_CHARS]
    links.set_parameter("page", None)
    links.set_parameter(name, None if parameter(name) == value else value)


def _group(name: str, label: str, counted: Mapping[str, int]) -> ChipGroup:
    on = parameter(name)
    shown = [value for place, value in enumerate(counted) if place < _MOST or value == on]
    return ChipGroup(
        name,
        label,
        tuple(
            Chip(value, _word(name, value), count_text(counted[value]), is_on=value == on)
            for value in shown
        ),
    )


def _word(name: str, value: str) -> str:
    if name == "status":
        return status_cell(value)
    return in_language(LAYERS[Layer(value)]) if name == "layer" else value
