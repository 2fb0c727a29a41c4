"""What the Audit page asks, answered from a cache keyed by the state of the store."""

from uuid import UUID

import streamlit as st

import metrics
from dashboard import queries, runtime
from dashboard.queries import StoreKey
from metrics import Accuracy, Metric, Scope, Thresholds
from replay_store import audit, audit_context, audit_labels
from replay_store.audit import FrameSize
from replay_store.audit_context import ItemContext, ItemOutcome
from replay_store.audit_labels import JudgedDecision, Progress
from replay_store.records import AuditBatch, Label


def frame_size(scope: Scope) -> FrameSize:
    """What a draw from the scope can pick from."""
    return _frame_size(queries.store_key(), scope)


@st.cache_data(ttl=600, max_entries=64, show_spinner=False)
def _frame_size(store: StoreKey, scope: Scope) -> FrameSize:
    return audit.frame_size(
        queries.database(),
        start_time_ns=scope.start_time_ns,
        end_time_ns=scope.end_time_ns,
        tool_name=scope.tool_name,
    )


def batches() -> list[AuditBatch]:
    """Every batch, newest first."""
    return _batches(queries.store_key())


@st.cache_data(ttl=600, max_entries=8, show_spinner=False)
def _batches(store: StoreKey) -> list[AuditBatch]:
    return audit.batches(queries.database())


def contexts(batch_id: UUID, first: int, end: int) -> tuple[ItemContext, ...]:
    """What a rater sees of some items. A batch is frozen: labels do not change it."""
    return _contexts(queries.store_key().store, batch_id, first, end)


@st.cache_data(ttl=600, max_entries=32, show_spinner=False)
def _contexts(store: str, batch_id: UUID, first: int, end: int) -> tuple[ItemContext, ...]:
    return audit_context.item_contexts(queries.database(), batch_id, first, end)


def outcome(batch_id: UUID, position: int) -> ItemOutcome:
    """How the decision of an item went on."""
    return audit_context.item_outcome(queries.database(), batch_id, position)


def progress(batch_id: UUID, annotator: str) -> Progress:
    """How far an annotator is. Never cached: it is asked right after every label."""
    return audit_labels.progress(queries.database(), batch_id, annotator)


def batch_labels(batch_id: UUID) -> list[Label]:
    """The labels of a batch that hold, of every annotator."""
    return _batch_labels(queries.store_key(), batch_id)


@st.cache_data(ttl=600, max_entries=16, show_spinner=False)
def _batch_labels(store: StoreKey, batch_id: UUID) -> list[Label]:
    return audit_labels.batch_labels(queries.database(), batch_id)


def judged(scope: Scope) -> list[JudgedDecision]:
    """The audit labels that hold for decisions of the scope."""
    return _judged(queries.store_key(), scope)


@st.cache_data(ttl=600, max_entries=16, show_spinner=False)
def _judged(store: StoreKey, scope: Scope) -> list[JudgedDecision]:
    return audit_labels.judged_decisions(
        queries.database(),
        start_time_ns=scope.start_time_ns,
        end_time_ns=scope.end_time_ns,
        tool_name=scope.tool_name,
    )


def accuracy(scope: Scope) -> Accuracy:
    """Selection and call accuracy of the audit labels of the scope."""
    return _accuracy(queries.store_key(), scope, runtime.current().settings.thresholds)


@st.cache_data(ttl=600, max_entries=64, show_spinner=False)
def _accuracy(store: StoreKey, scope: Scope, thresholds: Thresholds) -> Accuracy:
    return metrics.selection_accuracy(queries.database(), scope, thresholds=thresholds)


def accuracy_by_tool(scope: Scope) -> dict[str, Metric]:
    """Selection accuracy of each chosen tool that has labels, most labels first."""
    counts: dict[str, int] = {}
    for item in judged(scope):
        counts[item.chosen_tool] = counts.get(item.chosen_tool, 0) + 1
    ordered = sorted(counts, key=lambda tool: (-counts[tool], tool))
    return {tool: accuracy(_of_tool(scope, tool)).selection for tool in ordered}


def _of_tool(scope: Scope, tool_name: str) -> Scope:
    return Scope(scope.start_time_ns, scope.end_time_ns, tool_name, scope.agent_name)
