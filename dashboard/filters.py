"""The shared filters as the address spells them, read anew in every run and checked on the way."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from zoneinfo import ZoneInfo

import streamlit as st

from dashboard import runtime
from metrics import RangeKey

RANGES: Final = tuple(RangeKey)
"""Time ranges by their name in the address; each ends at the newest data."""
DEFAULT_RANGE: Final = RangeKey.WEEK
_S: Final = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of time, half-open."""

    start_time_ns: int
    end_time_ns: int


def zone() -> ZoneInfo:
    """The one time zone in which every page shows times."""
    return ZoneInfo(runtime.current().settings.time_zone)


def range_key() -> RangeKey:
    """The time range in the address; the default for anything that is none."""
    wanted = st.query_params.get("range", "")
    return next((key for key in RANGES if key == wanted), DEFAULT_RANGE)


def bucket() -> Span | None:
    """The stretch that `from` and `to` name; None unless both are times and in order."""
    start = parse_instant(st.query_params.get("from", ""))
    end = parse_instant(st.query_params.get("to", ""))
    if start is None or end is None or start >= end:
        return None
    return Span(start, end)


def parse_instant(text: str) -> int | None:
    """Nanoseconds since the epoch of an ISO 8601 time with an offset; None for anything else."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        return None
    return int(moment.timestamp()) * _S


def instant_text(time_ns: int) -> str:
    """A time as an address spells it: ISO 8601 in UTC, to the second."""
    return datetime.fromtimestamp(time_ns // _S, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
