"""Compare: which layer got worse between two sides, and every figure of both with a test."""

from typing import Final, Literal

import streamlit as st

from dashboard import queries
from dashboard.alert_text import deploy_text
from dashboard.filters import range_key
from dashboard.formats import count_text, number_text
from dashboard.i18n import language, t
from dashboard.metric_text import in_language
from dashboard.views.compare import queries as compare_queries
from dashboard.views.compare.sides import Sides, chosen_sides
from dashboard.views.compare.table import comparison_table
from dashboard.views.empty import empty_store
from dashboard.views.loading import still_loading
from metrics import LAYERS, SIGNALS, LayerShift, WhichLayer, default_scope

_LARGE: Final = 0.5
_SMALL: Final = 0.2


def render() -> None:
    """Draw the page, or the progress of a first load, or what to do with an empty store."""
    st.header(t("page_compare"), anchor=False)
    if still_loading():
        return
    held = queries.data_range()
    if held is None:
        empty_store()
        return
    sides = chosen_sides(default_scope(range_key(), held), held)
    if sides is not None:
        _answer(sides)


def _answer(sides: Sides) -> None:
    found = compare_queries.which_layer(sides.left, sides.right)
    _names(sides)
    _layers(found)
    _deploys(found)
    st.subheader(t("compare_figures"), anchor=False)
    st.caption(t("compare_figures_note"))
    comparison_table(found.comparisons)


def _names(sides: Sides) -> None:
    """The two periods; versions, models and templates stand in the form already."""
    if sides.left.scope == sides.right.scope:
        return
    for label, name in (("compare_left", sides.left_name), ("compare_right", sides.right_name)):
        with st.container(horizontal=True, gap="small", key=f"{label}_name"):
            st.caption(t(label), width="content")
            st.text(name, width="content")


def _layers(found: WhichLayer) -> None:
    st.subheader(t("compare_layers"), anchor=False)
    if found.worst is None:
        n = sum(layer.n_tested for layer in found.layers)
        st.caption(t("compare_none", n=count_text(n)) if n else t("compare_too_few"))
        return
    with st.container(horizontal=True, gap="small", key="layers"):
        for layer in found.layers:
            _layer(layer)


def _layer(shift: LayerShift) -> None:
    with st.container(border=True, gap="xsmall", key=f"layer_{shift.layer}"):
        label, color = _size(shift.score)
        st.markdown(f"**{in_language(LAYERS[shift.layer])}**")
        st.badge(t(label), color=color)
        if shift.score:
            st.caption(t("compare_effect", effect=number_text(shift.score)))
        for item in shift.worse[:3]:
            name = in_language(SIGNALS[item.key][1])
            st.text(f"{name} · {item.tool_name}" if item.tool_name else name)


def _size(score: float) -> tuple[str, Literal["red", "orange", "gray", "green"]]:
    if score >= _LARGE:
        return "compare_much_worse", "red"
    if score >= _SMALL:
        return "compare_worse", "orange"
    return ("compare_little_worse", "gray") if score else ("compare_not_worse", "green")


def _deploys(found: WhichLayer) -> None:
    if not found.deploys:
        return
    with st.container(horizontal=True, gap="small", key="compare_deploys"):
        st.caption(t("compare_deploys"), width="content")
        st.text(
            ", ".join(deploy_text(deploy, language()) for deploy in found.deploys),
            width="content",
        )
