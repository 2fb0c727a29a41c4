"""What the Trace page asks besides the trace itself, answered from a cache."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import streamlit as st

from dashboard import queries, runtime
from dashboard.queries import StoreKey
from dashboard.roles import caller
from dashboard.telling import around, before
from metrics import Scope
from metrics.incident import Diagnosis, Hint, Outcome, Similar, sign_outcomes
from metrics.incident import diagnose as diagnose_signs
from metrics.incident import last_good as newest_good
from metrics.incident import similar as similar_to
from pipeline.observation.callers import DEBUG
from replay_store import reader, saw, story
from replay_store.records import Prompt, ToolCall, Trace
from replay_store.story import Step

__all__ = [
    "Calls",
    "ask_ahead",
    "call_of",
    "calls",
    "diagnosis",
    "last_good",
    "prompts",
    "similar",
    "steps",
]

MAX_CALLS: Final = 500
"""Calls that are sent to a browser; the waterfall has them all."""


@dataclass(frozen=True, slots=True)
class Calls:
    """The first logical calls of a trace, in order, and how many it has."""

    first: list[ToolCall]
    n: int


def calls(trace_id: str) -> Calls:
    """The logical calls of a trace, at most `MAX_CALLS` of them."""
    return _calls(queries.store_key(), trace_id)


@st.cache_resource(ttl=600, max_entries=32, show_spinner=False)
def _calls(store: StoreKey, trace_id: str) -> Calls:
    opened = queries.database()
    first = reader.trace_tool_calls(opened, trace_id, limit=MAX_CALLS)
    n = len(first) if len(first) < MAX_CALLS else reader.count_tool_calls(opened, trace_id)
    return Calls(first, n)


def call_of(trace_id: str, span_id: str) -> ToolCall | None:
    """The call that a span is; None where it is none."""
    found = reader.trace_tool_calls(queries.database(), trace_id, span_id=span_id, limit=1)
    return found[0] if found else None


def ask_ahead(wanted: str) -> None:
    """Ask what the page of a trace asks before it draws, so that its first run finds the answers.

    Args:
        wanted: What the address calls the trace; nothing is asked unless it names exactly one.
    """
    found = queries.find(wanted)
    trace = queries.trace(found.matches[0].trace_id) if found.n == 1 else None
    if trace is not None:
        queries.packed_rows(trace.trace_id)
        diagnosis(trace)


def steps(trace_id: str) -> list[Step]:
    """The story of a trace."""
    return _steps(queries.store_key(), trace_id)


@st.cache_resource(ttl=600, max_entries=16, show_spinner=False)
def _steps(store: StoreKey, trace_id: str) -> list[Step]:
    return story.trace_steps(queries.database(), trace_id)


def diagnosis(trace: Trace) -> Diagnosis:
    """What may have gone wrong first in a trace."""
    return _diagnosis(queries.store_key(), trace.trace_id, around(trace))


@st.cache_data(ttl=600, max_entries=32, show_spinner=False)
def _diagnosis(store: StoreKey, trace_id: str, scope: Scope | None) -> Diagnosis:
    signs = story.fault_signs(queries.database(), trace_id)
    outcomes = {} if scope is None else _outcomes(store, scope)
    return diagnose_signs(steps(trace_id), signs, outcomes)


def _outcomes(store: StoreKey, scope: Scope) -> Mapping[str, Outcome]:
    """Shared by all sessions. While traces arrive it may be of some seconds ago: hints rank alike."""
    opened = queries.database()
    question = ("sign_outcomes", store.store, scope)
    answers = runtime.current().answers
    return answers.ask(question, store.version, lambda: sign_outcomes(opened, scope)).value


def similar(trace: Trace, hint: Hint) -> Similar:
    """The traces that show the same fault."""
    return _similar(queries.store_key(), trace.trace_id, hint, around(trace))


@st.cache_data(ttl=600, max_entries=32, show_spinner=False)
def _similar(store: StoreKey, trace_id: str, hint: Hint, scope: Scope | None) -> Similar:
    if scope is None:
        return Similar((), ())
    return similar_to(queries.database(), hint, trace_id, scope)


def last_good(trace: Trace) -> str | None:
    """The newest trace before this one that did the same kind of task well; None without one."""
    return _last_good(queries.store_key(), trace.trace_id, before(trace))


@st.cache_data(ttl=600, max_entries=32, show_spinner=False)
def _last_good(store: StoreKey, trace_id: str, scope: Scope | None) -> str | None:
    return None if scope is None else newest_good(queries.database(), trace_id, scope)


def prompts(trace_id: str, span_id: str) -> list[Prompt]:
    """The prompts of an observation that whoever looks may read; empty for any other span."""
    recorded = saw.get_observation(queries.database(), trace_id, span_id)
    if recorded is None:
        return []
    sees_raw = caller().sees_raw
    return [prompt for prompt in recorded.prompts if sees_raw or prompt.template != DEBUG]
