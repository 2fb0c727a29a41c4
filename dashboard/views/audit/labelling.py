"""The queue of one annotator over one draw: a key runs this part of the page alone."""

import time
from dataclasses import dataclass, field
from typing import Final

import streamlit as st

from dashboard import queries
from dashboard.components.audit_queue import acknowledge, audit_queue
from dashboard.formats import count_text
from dashboard.i18n import t
from dashboard.views.audit import queries as audit_queries
from dashboard.views.audit.payload import Work, queue_data, read_work, stored_data, window
from dashboard.views.audit.words import LABEL_KEYS, label_name
from replay_store import audit_labels
from replay_store.audit_context import ItemOutcome
from replay_store.audit_labels import Progress
from replay_store.errors import AuditError
from replay_store.records import AuditBatch

_ERROR: Final = "audit_label_error"


@dataclass(slots=True)
class _Session:
    """What this browser session has told the server about one queue."""

    at: int
    """Where the annotator is; the window of loaded items lies around it."""
    client: str = ""
    last_seq: int = 0
    outcomes: dict[int, ItemOutcome] = field(default_factory=dict)
    shown: int | None = None


@st.fragment
def labelling(batch: AuditBatch, annotator: str) -> None:
    """Draw the queue, take in what was labelled, and say what is stored."""
    progress = audit_queries.progress(batch.batch_id, annotator)
    session = _session(batch, annotator, progress)
    key = f"audit_queue_{batch.batch_id.hex}_{annotator}"
    loaded = window(session.at, progress.n_items)
    contexts = audit_queries.contexts(batch.batch_id, loaded.first, loaded.end)
    batch_id = str(batch.batch_id)

    def received() -> None:
        value = st.session_state[key].work
        work = read_work(value, batch_id=batch_id, annotator=annotator, n_items=progress.n_items)
        if work is not None:
            _take_in(batch, annotator, session, work)

    audit_queue(
        queue_data(batch_id, annotator, progress.n_items, contexts), key=key, on_work=received
    )
    acknowledge(
        stored_data(
            batch_id,
            annotator,
            progress,
            (session.client, session.last_seq),
            None if session.shown is None else (session.shown, session.outcomes[session.shown]),
        ),
        key=f"audit_stored_{batch.batch_id.hex}_{annotator}",
    )
    _say_error()
    st.caption(_counts(progress))


def _session(batch: AuditBatch, annotator: str, progress: Progress) -> _Session:
    key = f"audit_session_{batch.batch_id.hex}_{annotator}"
    if key not in st.session_state:
        st.session_state[key] = _Session(at=progress.first_open or 0)
    found: _Session = st.session_state[key]
    return found


def _take_in(batch: AuditBatch, annotator: str, session: _Session, work: Work) -> None:
    """Store the drafts; what cannot be stored is said, and not asked for again."""
    try:
        audit_labels.record_labels(
            queries.database(), batch.batch_id, work.drafts, annotator, time.time_ns
        )
    except AuditError as error:
        st.session_state[_ERROR] = str(error)
    if work.client != session.client:
        session.client, session.last_seq = work.client, 0
    session.last_seq = max(session.last_seq, work.last_seq)
    session.at = work.at
    session.shown = _revealed(batch, annotator, session, work.reveal)


def _revealed(
    batch: AuditBatch, annotator: str, session: _Session, position: int | None
) -> int | None:
    """The item whose outcome may be shown: one that has a label."""
    if position is None:
        return None
    if position not in audit_queries.progress(batch.batch_id, annotator).labels:
        return None
    session.outcomes[position] = audit_queries.outcome(batch.batch_id, position)
    return position


def _say_error() -> None:
    sentence = st.session_state.pop(_ERROR, None)
    if sentence is not None:
        st.error(t("audit_label_failed"), icon=":material/error:")
        st.code(sentence, language=None, wrap_lines=True)


def _counts(progress: Progress) -> str:
    """How many of how many, and each label that was given."""
    head = t(
        "audit_progress", n=count_text(progress.n_labelled), total=count_text(progress.n_items)
    )
    counts = [(label, progress.count(label)) for label in LABEL_KEYS]
    given = [f"{label_name(label)} **{count_text(n)}**" for label, n in counts if n]
    return " · ".join([head, *given])
