"""A range before which nothing is stored: there is no other side, and shorter ranges are offered."""

import streamlit as st

from dashboard import links
from dashboard.filters import RANGES
from dashboard.i18n import t
from dashboard.sidebar import range_label
from metrics import DataRange, RangeKey, default_scope

__all__ = ["nothing_before", "ranges_with_a_past"]


def nothing_before(held: DataRange) -> None:
    """Say so, with a button for each range that has something before it, if any has.

    Args:
        held: What the store holds.
    """
    st.info(t("compare_nothing_before"), icon=":material/info:")
    found = ranges_with_a_past(held)
    if not found:
        return
    with st.container(
        horizontal=True, gap="small", vertical_alignment="center", key="compare_shorter"
    ):
        st.caption(t("compare_later"), width="content")
        for key in found:
            st.button(range_label(key), key=f"compare_{key}", on_click=_choose, args=(key,))


def ranges_with_a_past(held: DataRange) -> tuple[RangeKey, ...]:
    """The ranges that begin after the oldest data, longest first; none where all data is of one day."""
    found = [key for key in RANGES if held.first_time_ns < default_scope(key, held).start_time_ns]
    return tuple(sorted(found, key=lambda key: default_scope(key, held).start_time_ns))


def _choose(key: RangeKey) -> None:
    links.set_parameter("range", key)
