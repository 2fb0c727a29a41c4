"""What the Audit page asks, answered from a cache keyed by the state of the store."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple
from uuid import UUID

import streamlit as st

import metrics
from dashboard import queries, runtime
from dashboard.queries import StoreKey
from metrics import (
    Accuracy,
    AccuracyOf,
    BatchAccuracy,
    Confusion,
    JudgeFigure,
    RaterAgreement,
    Scope,
    Thresholds,
)
from pipeline.contracts import Finding, lint_contracts
from replay_store import audit, audit_adjudication, audit_context, audit_labels, audit_progress
from replay_store.audit import FrameSize
from replay_store.audit_context import ItemContext, ItemOutcome
from replay_store.audit_labels import AUDIT_SOURCE, JudgedDecision
from replay_store.audit_progress import Progress, SkipReason
from replay_store.offered import offered_contracts
from replay_store.records import AuditBatch, AuditStratum, Label

MIN_LABELLED: Final = 30
"""Labelled decisions from which on a draw tells how alike those of a trace are."""
_MOST_DRAWS: Final = 10


class EarlierEffect(NamedTuple):
    """What an earlier draw says of how large the next one has to be."""

    batch: AuditBatch
    n: int
    """Its labelled decisions."""
    effect: float
    """Its design effect, at least 1."""


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
    return audit_progress.progress(queries.database(), batch_id, annotator)


def contested(batch_id: UUID) -> Mapping[int, tuple[Label, ...]]:
    """What raters disagree on, by position."""
    return audit_adjudication.contested(queries.database(), batch_id)


def adjudication_progress(
    batch_id: UUID, annotator: str, disputed: Mapping[int, Sequence[Label]]
) -> Progress:
    """How far the disputes are settled. Never cached, like `progress`."""
    return audit_adjudication.adjudication_progress(
        queries.database(), batch_id, annotator, disputed
    )


def strata(batch_id: UUID) -> list[AuditStratum]:
    """The parts of the frame of a batch."""
    return audit.strata_of(queries.database(), batch_id)


def skip_counts(batch_id: UUID) -> Mapping[SkipReason, int]:
    """What was passed over and labelled by nobody, by reason."""
    return audit_progress.skip_counts(queries.database(), batch_id)


def batch_accuracy(batch_id: UUID) -> BatchAccuracy:
    """What one draw says of its frame."""
    return _batch_accuracy(queries.store_key(), batch_id, runtime.current().settings.thresholds)


@st.cache_data(ttl=600, max_entries=32, show_spinner=False)
def _batch_accuracy(store: StoreKey, batch_id: UUID, thresholds: Thresholds) -> BatchAccuracy:
    return metrics.batch_accuracy(queries.database(), batch_id, thresholds)


def earlier_effect() -> EarlierEffect | None:
    """The design effect of the latest draw that has labels enough; None without one."""
    for batch in batches()[:_MOST_DRAWS]:
        found = batch_accuracy(batch.batch_id)
        if found.design_effect is not None and found.selection.n >= MIN_LABELLED:
            return EarlierEffect(batch, found.selection.n, found.design_effect)
    return None


def agreement(batch_id: UUID) -> RaterAgreement:
    """How far the raters of one draw agree."""
    return _agreement(queries.store_key(), batch_id)


@st.cache_data(ttl=600, max_entries=32, show_spinner=False)
def _agreement(store: StoreKey, batch_id: UUID) -> RaterAgreement:
    return metrics.agreement(queries.database(), batch_id)


def powered(batch_id: UUID) -> tuple[JudgeFigure, ...]:
    """What rules and models add to the figure of one draw."""
    return _powered(queries.store_key(), batch_id)


@st.cache_data(ttl=600, max_entries=32, show_spinner=False)
def _powered(store: StoreKey, batch_id: UUID) -> tuple[JudgeFigure, ...]:
    return metrics.powered_accuracy(queries.database(), batch_id)


def batch_labels(batch_id: UUID, source: str = AUDIT_SOURCE) -> list[Label]:
    """The labels of a batch that hold, of every annotator; or what settled disputes."""
    return _batch_labels(queries.store_key(), batch_id, source)


@st.cache_data(ttl=600, max_entries=16, show_spinner=False)
def _batch_labels(store: StoreKey, batch_id: UUID, source: str) -> list[Label]:
    return audit_labels.batch_labels(queries.database(), batch_id, source=source)


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


def accuracy_by(scope: Scope) -> tuple[AccuracyOf, ...]:
    """Selection accuracy of each contract version and model."""
    return _accuracy_by(queries.store_key(), scope, runtime.current().settings.thresholds)


@st.cache_data(ttl=600, max_entries=32, show_spinner=False)
def _accuracy_by(store: StoreKey, scope: Scope, thresholds: Thresholds) -> tuple[AccuracyOf, ...]:
    return metrics.accuracy_by(queries.database(), scope, thresholds=thresholds)


def confusion(scope: Scope) -> Confusion:
    """Needed against chosen tools."""
    return _confusion(queries.store_key(), scope)


@st.cache_data(ttl=600, max_entries=32, show_spinner=False)
def _confusion(store: StoreKey, scope: Scope) -> Confusion:
    return metrics.confusion(queries.database(), scope)


def offered() -> tuple[dict[str, str], tuple[Finding, ...]]:
    """What models last read of each tool, by name, and what lint says of the tools as one set."""
    return _offered(queries.store_key())


@st.cache_data(ttl=600, max_entries=4, show_spinner=False)
def _offered(store: StoreKey) -> tuple[dict[str, str], tuple[Finding, ...]]:
    contracts = offered_contracts(queries.database())
    shown = {contract.name: contract.shown_description for contract in contracts}
    return shown, lint_contracts(contracts, seen_only=True)
