"""What the page "What the model saw" asks, answered from a cache."""

from dataclasses import dataclass

import streamlit as st

from dashboard import queries
from dashboard.queries import StoreKey, store_key
from dashboard.views.saw.reading import Rules
from pipeline.errors import ToolsightError
from pipeline.observation import RuleSet
from replay_store import rule_store, saw
from replay_store.records import Observation
from replay_store.saw import ObservationChoices, ObservationFilter, RecordedObservation


@dataclass(frozen=True, slots=True)
class InForce:
    """The dictionary by which raw outputs are read now."""

    rule_set: RuleSet
    version: str
    """As people name it."""


def count(wanted: ObservationFilter) -> int:
    """How many observations pass a filter."""
    return _count(store_key(), wanted)


@st.cache_data(ttl=600, max_entries=128, show_spinner=False)
def _count(store: StoreKey, wanted: ObservationFilter) -> int:
    return saw.count_observations(queries.database(), wanted)


def troubles(wanted: ObservationFilter) -> dict[str, int]:
    """How many observations show each trouble; the filter's own is not applied."""
    return _troubles(store_key(), wanted)


@st.cache_data(ttl=600, max_entries=64, show_spinner=False)
def _troubles(store: StoreKey, wanted: ObservationFilter) -> dict[str, int]:
    return saw.count_troubles(queries.database(), wanted)


def choices() -> ObservationChoices:
    """What the list can be narrowed to."""
    return _choices(store_key())


@st.cache_data(ttl=600, max_entries=4, show_spinner=False)
def _choices(store: StoreKey) -> ObservationChoices:
    return saw.observation_choices(queries.database())


def find(wanted: ObservationFilter, limit: int, offset: int = 0) -> list[Observation]:
    """One page of the observations that pass a filter, newest first."""
    return _find(store_key(), wanted, limit, offset)


@st.cache_data(ttl=600, max_entries=128, show_spinner=False)
def _find(store: StoreKey, wanted: ObservationFilter, limit: int, offset: int) -> list[Observation]:
    return saw.find_observations(queries.database(), wanted, limit=limit, offset=offset)


def recorded(trace_id: str, span_id: str) -> RecordedObservation | None:
    """One observation whole. Not cached: it may be large, and is found by key."""
    return saw.get_observation(queries.database(), trace_id, span_id)


def trace_with_raw_results() -> str | None:
    """A trace that shows a tool's raw result."""
    return _trace_with_raw_results(store_key())


@st.cache_data(ttl=600, max_entries=4, show_spinner=False)
def _trace_with_raw_results(store: StoreKey) -> str | None:
    return saw.trace_with_raw_results(queries.database())


def rules_in_force() -> InForce:
    """The dictionary by which raw outputs are read now.

    Raises:
        ToolsightError: This release cannot use it; the message is the sentence to show.
    """
    found = rule_store.rules_in_force(queries.database())
    return InForce(found.rule_set, rule_store.short(found.version))


def rules_of(observation: Observation) -> Rules:
    """The rules that an observation was recorded with; those of the package where they are lost."""
    for version in _known_versions():
        try:
            known = rule_store.stored_rules(queries.database(), version).rule_set
        except ToolsightError:
            continue  # published by another release; then it is not found here
        if known.sha256 == observation.rule_sha256:
            return Rules(known, is_own=True)
    package = rule_store.stored_rules(queries.database(), rule_store.V0).rule_set
    return Rules(package, is_own=False)


def _known_versions() -> list[str]:
    """Every version that was ever in force, newest first; the package's own is always one."""
    moves = rule_store.history(queries.database())
    return list(dict.fromkeys([rule_store.V0, *(move.version for move in moves)]))
