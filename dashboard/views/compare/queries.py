"""What the Compare page asks."""

import streamlit as st

import metrics
from dashboard import queries
from dashboard.queries import StoreKey
from metrics import Overlap, Scope, Side, WhichLayer
from metrics.alerts import Deploy, deploys


def which_layer(left: Side, right: Side) -> WhichLayer:
    """Both sides compared, the layers worst first."""
    return _which_layer(queries.store_key(), left, right)


@st.cache_data(ttl=600, max_entries=32, show_spinner=False)
def _which_layer(store: StoreKey, left: Side, right: Side) -> WhichLayer:
    return metrics.which_layer(queries.database(), left, right)


def template_overlap(scope: Scope, left: str, right: str) -> Overlap:
    """How many traces of a period hold either template, and both."""
    return _template_overlap(queries.store_key(), scope, left, right)


@st.cache_data(ttl=600, max_entries=32, show_spinner=False)
def _template_overlap(store: StoreKey, scope: Scope, left: str, right: str) -> Overlap:
    return metrics.template_overlap(queries.database(), scope, left, right)


def versions(scope: Scope) -> tuple[Deploy, ...]:
    """What there is to choose: versions of contracts, models and templates seen in a period."""
    return _versions(queries.store_key(), scope)


@st.cache_data(ttl=600, max_entries=16, show_spinner=False)
def _versions(store: StoreKey, scope: Scope) -> tuple[Deploy, ...]:
    return deploys(metrics.best_of(queries.database(), scope), scope)
