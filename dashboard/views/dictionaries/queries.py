"""What the Dictionaries page asks, answered from a cache where the answer is long in coming."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st
import yaml

import metrics
from dashboard import queries
from dashboard.queries import StoreKey, store_key
from dashboard.tuning.approval import Approval, approval, published_with
from dashboard.tuning.readings import ReadValue, answer_paths, rules_of
from dashboard.tuning.readings import readings as read_values
from dashboard.tuning.thresholds import Banded, Measured, measured, wanted_types
from dashboard.views.dictionaries.edit import Place
from dashboard.views.dictionaries.lookup import Dictionary, dictionary_of, raw_value
from metrics import Scope, UnmappedValue
from pipeline.errors import ToolsightError
from pipeline.observation import RuleSet, load_rules
from pipeline.observation.rules import ToolRules
from replay_store import rule_store
from replay_store.backtest_reread import unread_inputs
from replay_store.records import RuleWorker
from replay_store.rule_reviews import KeptBacktest, kept_backtests
from replay_store.rule_store import V0, Move, StoredRules, version_of
from replay_store.rule_values import RecordedValues, recorded_values
from replay_store.rule_workers import ReadBy, read_by, rule_workers
from replay_store.rules_inference import RecordedAnswer, recorded_answers, recorded_tools
from replay_store.schema_drift import Drift, recorded_shapes, schema_drift

_WORKER_NS = 86_400_000_000_000
"""An agent that was not heard for a day is none of these."""
_MOST_VERSIONS = 10
"""Versions that are asked whether they knew a value."""
MAX_ANSWERS = 500
"""Distinct answers of each tool that a changed field is tried on at once, the latest ones."""
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


def approvals() -> dict[int, tuple[Approval, KeptBacktest | None]]:
    """Who approved each move, and the back-test it was made with, by the moment of the move."""
    return _approvals(store_key())


@st.cache_data(ttl=600, max_entries=2, show_spinner=False)
def _approvals(store: StoreKey) -> dict[int, tuple[Approval, KeptBacktest | None]]:
    moves = history()
    kept = {m.version: kept_backtests(queries.database(), m.version) for m in moves}
    found = {move.moved_time_ns: published_with(move, kept[move.version]) for move in moves}
    return {time_ns: (approval(item), item) for time_ns, item in found.items()}


def texts_of(version: str) -> dict[str, str]:
    """The files of one version."""
    return rule_store.texts_of(queries.database(), version)


def other_versions(stored: StoredRules) -> dict[str, RuleSet]:
    """Versions that were in force before, by name, the latest first; those that can be loaded."""
    found: dict[str, RuleSet] = {}
    for version in dict.fromkeys([*(move.version for move in history()), V0]):
        if version != stored.version and len(found) < _MOST_VERSIONS:
            try:
                found[version] = rule_store.stored_rules(queries.database(), version).rule_set
            except ToolsightError:
                continue  # another release published it: nothing can be learnt from it here
    return found


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


def measured_values(period: Scope, rules: RuleSet, found: Banded) -> tuple[Measured, ...]:
    """The recorded numbers that thresholds are laid on, lowest first; empty without any."""
    types = wanted_types(rules, found)
    recorded = _recorded_values(store_key(), period, types, is_raw=not found.is_derived)
    return measured(rules, found, recorded)


@st.cache_data(ttl=600, max_entries=16, show_spinner=False)
def _recorded_values(
    store: StoreKey, period: Scope, types: tuple[str, ...], *, is_raw: bool
) -> list[RecordedValues]:
    return recorded_values(
        queries.database(), types, period.start_time_ns, period.end_time_ns, is_raw=is_raw
    )


def file_of_derived(texts: Mapping[str, str], fact_type: str) -> str:
    """The rule file in which a derived fact type has its formula; the first file without any."""
    for file, text in texts.items():
        derived = (yaml.safe_load(text) or {}).get("derived") or []
        if any(isinstance(item, dict) and item.get("fact_type") == fact_type for item in derived):
            return file
    return min(texts)


@dataclass(frozen=True, slots=True)
class AllDrift:
    """What changed in the shapes of all tools' answers, and what was looked at."""

    n_tools: int
    n_answers: int
    changes: tuple[Drift, ...]
    """The latest first."""


def drift() -> AllDrift:
    """What changed in the shape of any tool's answers, over all that is recorded."""
    return _drift(store_key())


@st.cache_data(ttl=600, max_entries=2, show_spinner=False)
def _drift(store: StoreKey) -> AllDrift:
    database = queries.database()
    shapes = {tool: recorded_shapes(database, tool) for tool in recorded_tools(database)}
    changes = [item for tool, found in shapes.items() for item in schema_drift(tool, found)]
    return AllDrift(
        n_tools=sum(bool(found) for found in shapes.values()),
        n_answers=sum(shape.n for found in shapes.values() for shape in found),
        changes=tuple(sorted(changes, key=lambda item: (-item.since_time_ns, item.tool_name))),
    )


def is_read(rules: RuleSet, tool_name: str, path: str) -> bool:
    """Whether a field of the tool's rules reads a path of its answers, or what is below it."""
    keys = path.replace("[]", "").split(".")
    return any(
        list(wanted[: len(keys[start:])]) == keys[start:]
        for tool in rules.for_tool(tool_name)
        for rule in tool.fields
        for wanted in rule.paths
        for start in range(len(keys))
    )


def readings(stored: StoredRules, texts: Mapping[str, str], place: Place) -> Sequence[ReadValue]:
    """What every recorded value of a field is read as by the version in force and by these files.

    Raises:
        RuleFileError: The files cannot be used.
    """
    rules = load_rules(texts)
    tool = rules_of(rules, place.file)
    if tool is None:
        return ()
    return _readings(store_key(), stored.version, version_of(texts), place, stored.rule_set, rules)


@st.cache_data(ttl=600, max_entries=16, show_spinner=False)
def _readings(
    store: StoreKey,
    stored_version: str,
    version: str,
    place: Place,
    _before: RuleSet,
    _after: RuleSet,
) -> Sequence[ReadValue]:
    tool = rules_of(_after, place.file)
    answers = [] if tool is None else _answers(tool)
    return read_values(answers, _before, _after, place.file, place.field)


def paths(tool: ToolRules) -> Sequence[str]:
    """Where the recorded answers that a file reads hold something, sorted."""
    return _paths(store_key(), tool.file, tool)


@st.cache_data(ttl=600, max_entries=16, show_spinner=False)
def _paths(store: StoreKey, file: str, _tool: ToolRules) -> Sequence[str]:
    return answer_paths(_answers(_tool), _tool)


def _answers(tool: ToolRules) -> list[tuple[str, RecordedAnswer]]:
    names = [name for name in recorded_tools(queries.database()) if name in tool.tools]
    return [
        (name, answer)
        for name in names
        for answer in recorded_answers(queries.database(), name, MAX_ANSWERS)
    ]


def workers() -> list[RuleWorker]:
    """Agents that asked for the rules in the last day, as they told of themselves; not cached."""
    return rule_workers(queries.database(), time.time_ns() - _WORKER_NS)


def readers(period: Scope) -> list[ReadBy]:
    """By which versions the observations of a period were made, the latest first."""
    return _readers(store_key(), period)


@st.cache_data(ttl=600, max_entries=4, show_spinner=False)
def _readers(store: StoreKey, period: Scope) -> list[ReadBy]:
    return read_by(queries.database(), period.start_time_ns, period.end_time_ns)


def n_unread(stored: StoredRules) -> int:
    """Observations of which the version in force has no counts yet, and can have them."""
    return _n_unread(store_key(), stored.version)


@st.cache_data(ttl=600, max_entries=4, show_spinner=False)
def _n_unread(store: StoreKey, version: str) -> int:
    stored = rule_store.stored_rules(queries.database(), version)
    return sum(len(item.occurrences) for item in unread_inputs(queries.database(), stored))
