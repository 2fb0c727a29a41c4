"""The queue of one annotator over one draw: a key runs this part of the page alone."""

import time
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import streamlit as st

from dashboard import queries
from dashboard.components.audit_queue import acknowledge, audit_queue
from dashboard.formats import count_text
from dashboard.i18n import t
from dashboard.views.audit import queries as audit_queries
from dashboard.views.audit.payload import (
    Desk,
    Mode,
    Work,
    queue_data,
    read_work,
    stored_data,
    window,
)
from dashboard.views.audit.words import LABEL_KEYS, label_name
from replay_store import audit_labels, audit_progress
from replay_store.audit_context import ItemOutcome
from replay_store.audit_labels import ADJUDICATION_SOURCE, AUDIT_SOURCE
from replay_store.audit_progress import Progress
from replay_store.audit_take_back import take_back
from replay_store.errors import AuditError
from replay_store.records import AuditBatch, Label

_ERROR: Final = "audit_label_error"


@dataclass(slots=True)
class _Session:
    """What this browser session has told the server about one queue."""

    at: int
    """Where the annotator is; the window of loaded items lies around it."""
    began_ns: int
    """When the queue was opened: what was said since then can be taken back."""
    client: str = ""
    last_seq: int = 0
    outcomes: dict[int, ItemOutcome] = field(default_factory=dict)
    shown: int | None = None


@st.fragment
def labelling(batch: AuditBatch, annotator: str, mode: Mode = Mode.LABEL) -> None:
    """Draw the queue, take in what was labelled, and say what is stored."""
    desk = Desk(str(batch.batch_id), annotator, mode)
    disputed = audit_queries.contested(batch.batch_id) if mode is Mode.ADJUDICATE else {}
    if mode is Mode.ADJUDICATE and not disputed:
        st.info(t("audit_nothing_disputed"), icon=":material/handshake:")
        return
    progress = _progress(batch, desk, disputed)
    start = _start(batch, annotator)
    session = _session(desk, progress, start)
    key = f"audit_queue_{batch.batch_id.hex}_{mode}_{annotator}"
    loaded = window(session.at, progress.n_items)
    contexts = audit_queries.contexts(batch.batch_id, loaded.first, loaded.end)

    def received() -> None:
        work = read_work(st.session_state[key].work, desk, progress.n_items)
        if work is not None:
            _take_in(batch, desk, session, work)

    audit_queue(queue_data(desk, progress.n_items, start, contexts), key=key, on_work=received)
    acknowledge(
        stored_data(
            desk,
            progress,
            (session.client, session.last_seq),
            None if session.shown is None else (session.shown, session.outcomes[session.shown]),
            disputed,
        ),
        key=f"audit_stored_{batch.batch_id.hex}_{mode}_{annotator}",
    )
    _say_error()
    st.caption(_counts(progress, len(disputed) if mode is Mode.ADJUDICATE else progress.n_items))


def _progress(batch: AuditBatch, desk: Desk, disputed: Mapping[int, Sequence[Label]]) -> Progress:
    if desk.mode is Mode.ADJUDICATE:
        return audit_queries.adjudication_progress(batch.batch_id, desk.annotator, disputed)
    return audit_queries.progress(batch.batch_id, desk.annotator)


def _start(batch: AuditBatch, annotator: str) -> int:
    """Who made the draw begins at its first item, others each somewhere else."""
    if annotator == batch.created_by:
        return 0
    return zlib.crc32(annotator.encode("utf-8", "replace")) % max(1, batch.n_drawn)


def _session(desk: Desk, progress: Progress, start: int) -> _Session:
    key = f"audit_session_{desk.batch_id}_{desk.mode}_{desk.annotator}"
    if key not in st.session_state:
        began_ns = time.time_ns()
        st.session_state[key] = _Session(at=progress.first_open(start) or 0, began_ns=began_ns)
    found: _Session = st.session_state[key]
    return found


def _take_in(batch: AuditBatch, desk: Desk, session: _Session, work: Work) -> None:
    """Store the drafts; what cannot be stored is said, and not asked for again."""
    source = ADJUDICATION_SOURCE if desk.mode is Mode.ADJUDICATE else AUDIT_SOURCE
    store, batch_id, who = queries.database(), batch.batch_id, desk.annotator
    try:
        for position in work.taken_back:
            take_back(store, batch_id, position, who, source, session.began_ns)
        audit_labels.record_labels(store, batch_id, work.drafts, who, time.time_ns, source)
        if desk.mode is Mode.LABEL:
            audit_progress.record_skips(store, batch_id, work.skips, who, time.time_ns)
    except AuditError as error:
        st.session_state[_ERROR] = str(error)
    if work.client != session.client:
        session.client, session.last_seq = work.client, 0
    session.last_seq = max(session.last_seq, work.last_seq)
    session.at = work.at
    session.shown = _revealed(batch, desk, session, work.reveal)


def _revealed(batch: AuditBatch, desk: Desk, session: _Session, position: int | None) -> int | None:
    """The item whose outcome may be shown: one that this person has labelled."""
    if position is None:
        return None
    disputed = audit_queries.contested(batch.batch_id) if desk.mode is Mode.ADJUDICATE else {}
    if position not in _progress(batch, desk, disputed).labels:
        return None
    session.outcomes[position] = audit_queries.outcome(batch.batch_id, position)
    return position


def _say_error() -> None:
    sentence = st.session_state.pop(_ERROR, None)
    if sentence is not None:
        st.error(t("audit_label_failed"), icon=":material/error:")
        st.code(sentence, language=None, wrap_lines=True)


def _counts(progress: Progress, n_wanted: int) -> str:
    """How many of how many, and each label that was given."""
    head = t("audit_progress", n=count_text(progress.n_labelled), total=count_text(n_wanted))
    counts = [(label, progress.count(label)) for label in LABEL_KEYS]
    given = [f"{label_name(label)} **{count_text(n)}**" for label, n in counts if n]
    if progress.skipped:
        given.append(t("audit_progress_skipped", n=count_text(len(progress.skipped))))
    return " · ".join([head, *given])
