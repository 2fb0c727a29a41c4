"""What only the Traces page asks, answered from a cache."""

import streamlit as st

from dashboard import queries
from dashboard.queries import StoreKey
from metrics.incident import SIGNS
from replay_store.reader import TraceFilter
from replay_store.trace_counts import TraceCounts, trace_counts

__all__ = ["counts"]


def counts(wanted: TraceFilter) -> TraceCounts:
    """What the traces that pass a filter are made of."""
    return _counts(queries.store_key(), wanted)


@st.cache_data(ttl=600, max_entries=64, show_spinner=False)
def _counts(store: StoreKey, wanted: TraceFilter) -> TraceCounts:
    layers = {sign: kind.layer.value for sign, kind in SIGNS.items()}
    return trace_counts(queries.database(), wanted, layers)
