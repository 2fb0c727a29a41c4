"""What the Intake page asks. Not cached beyond a second: the page is about what happens now."""

from typing import Final

import orjson
import streamlit as st

from dashboard import queries
from dashboard.queries import StoreKey
from replay_store import intake, reader
from replay_store.cluster.ship_state import ShipState, ship_state
from replay_store.intake import DialectCount, ReasonCount, SourceTotal
from replay_store.records import IngestFile, IntakeMinute, Reject

MINUTES: Final = 60
"""How far back the table goes from the newest minute with anything in it."""
MAX_FILES: Final = 20
MAX_REJECTS: Final = 50


def minutes() -> list[IntakeMinute]:
    """The newest hour in which something was received; empty before the first request."""
    newest = intake.newest_minute(queries.database())
    if newest is None:
        return []
    return intake.intake_minutes(queries.database(), oldest_minute=newest - MINUTES + 1)


def files() -> list[IngestFile]:
    """The newest files."""
    return reader.ledger(queries.database(), limit=MAX_FILES)


def rejects() -> list[Reject]:
    """The newest refused records."""
    return reader.rejects(queries.database(), limit=MAX_REJECTS)


def reasons() -> list[ReasonCount]:
    """Refused records by minute, place of entry, sender and reason; the newest."""
    return intake.refusals_by_reason(queries.database())


def sources(found: list[IntakeMinute]) -> list[SourceTotal]:
    """Each sender's sums over the minutes that `minutes` gave."""
    return intake.sources(queries.database(), oldest_minute=found[0].minute - MINUTES + 1)


def state() -> tuple[int | None, ...]:
    """Changes whenever the page would show something else."""
    return intake.state(queries.database())


def dialects() -> list[DialectCount]:
    """The dialects found in the traces."""
    return _dialects(queries.store_key())


@st.cache_data(ttl=60, max_entries=4, show_spinner=False)
def _dialects(store: StoreKey) -> list[DialectCount]:
    return intake.read_dialects(queries.database())


def n_waiting() -> int:
    """Traces whose calls and figures are still behind."""
    return intake.n_waiting_traces(queries.database())


def shipping() -> ShipState | None:
    """How far shipping to a cluster is; None in a store that ships nowhere."""
    return ship_state(queries.database())


def rejects_jsonl(found: list[Reject]) -> bytes:
    """Refused records with their bytes, one JSON object a line."""
    return b"".join(
        orjson.dumps(
            {
                "from": reject.path,
                "sender": reject.source,
                "place": reject.place,
                "reason": reject.reason,
                "detail": reject.detail,
                "n_bytes": reject.n_raw_bytes,
                "bytes": reject.raw,
                "received_time_ns": reject.received_time_ns,
            }
        )
        + b"\n"
        for reject in found
    )
