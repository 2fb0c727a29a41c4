"""What the Dictionaries page asks, answered from a cache where the answer is long in coming."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

import metrics
from dashboard import queries
from dashboard.queries import StoreKey, store_key
from dashboard.views.dictionaries.lookup import Dictionary, dictionary_of, raw_value
from metrics import Scope, UnmappedValue
from pipeline.observation import RuleSet
from replay_store import rule_store
from replay_store.backtest_reread import unread_inputs
from replay_store.rule_store import Move, StoredRules

MAX_VALUES = 200
"""Unmapped values that the page lists; the most frequent ones."""


@dataclass(frozen=True, slots=True)
class Unmapped:
    """One value that no dictionary knew when it came."""

    value: UnmappedValue
    text: str | None
    """What a dictionary would look up; None for what none can hold."""
    dictionary: Dictionary | None
    """Of the rules in force; None where no field of the tool reads it."""

    @property
    def is_settled(self) -> bool:
        """Whether the rules in force know it by now."""
        return (
            self.text is not None
            and self.dictionary is not None
            and self.dictionary.knows(self.text)
        )


def in_force() -> StoredRules:
    """The rules by which raw outputs are read now. Not cached: it must never be late."""
    return rule_store.rules_in_force(queries.database())


def history() -> list[Move]:
    """Every move of the pointer, newest first."""
    return rule_store.history(queries.database())


def texts_of(version: str) -> dict[str, str]:
    """The files of one version."""
    return rule_store.texts_of(queries.database(), version)


def unmapped(period: Scope, rules: RuleSet) -> list[Unmapped]:
    """What no dictionary knew in a period, most frequent first, as the rules see it now."""
    found = []
    for value in _unmapped(store_key(), period):
        known = dictionary_of(rules, value.tool_name, value.fact_type)
        found.append(Unmapped(value, raw_value(value.raw), known))
    return found


@st.cache_data(ttl=600, max_entries=16, show_spinner=False)
def _unmapped(store: StoreKey, period: Scope) -> Sequence[UnmappedValue]:
    return metrics.unmapped_values(queries.database(), period, MAX_VALUES)


def n_unread(stored: StoredRules) -> int:
    """Observations of which the version in force has no counts yet, and can have them."""
    return _n_unread(store_key(), stored.version)


@st.cache_data(ttl=600, max_entries=4, show_spinner=False)
def _n_unread(store: StoreKey, version: str) -> int:
    stored = rule_store.stored_rules(queries.database(), version)
    return sum(len(item.occurrences) for item in unread_inputs(queries.database(), stored))
