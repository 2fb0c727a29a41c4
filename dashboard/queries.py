"""What the pages ask, answered from a cache: the only place that caches.

Every answer is keyed by its plain arguments and by the store's version, so that it is thrown away
as soon as anything was derived anew. Cursors and connections never get in here. What may be tens of
thousands of rows is kept as it is, not copied for every run: nobody may change it.
"""

from dataclasses import dataclass
from typing import Final
from zoneinfo import ZoneInfo

import streamlit as st

import metrics
from dashboard import runtime
from dashboard.components.waterfall import WaterfallRows, packed, waterfall_rows
from dashboard.promises import quotas_today
from dashboard.refreshed import Answer
from ingest.text import escaped
from metrics import DataRange, Part, QuotaUse, RangeKey, Report, Scope, Thresholds
from replay_store import finding, reader, retention, trace_counts
from replay_store.database import Database
from replay_store.errors import EngineTooMuchError
from replay_store.finding import Absence, Found
from replay_store.reader import FilterChoices, SpanDetail, TraceFilter
from replay_store.records import NoiseLog, RemovedTrace, SpanLog, Trace
from replay_store.spelling import spelled

MAX_BEHIND: Final = 10_000
"""Traces behind a figure that a list can hold; more are cut, newest first."""


@dataclass(frozen=True, slots=True)
class StoreKey:
    """Which store, and which state of it: part of every cache key."""

    store: str
    version: int


def database() -> Database:
    """The open store of this process."""
    return runtime.current().database


def store_key() -> StoreKey:
    """The key of the store as it is now."""
    opened = database()
    return StoreKey(str(opened.path or id(opened)), reader.store_version(opened))


def data_range() -> DataRange | None:
    """First and newest time in the store; None while nothing has a time."""
    return _data_range(store_key())


@st.cache_data(ttl=600, max_entries=4, show_spinner=False)
def _data_range(store: StoreKey) -> DataRange | None:
    return metrics.data_range(database())


def scope(range_key: RangeKey) -> Scope | None:
    """The period of a range, ending at the newest data; None while nothing has a time."""
    held = data_range()
    return None if held is None else metrics.default_scope(range_key, held)


def report(range_key: RangeKey) -> Answer[Report] | None:
    """Every figure of a range, with trends and tables; None while nothing has a time.

    Shared by all sessions. While traces arrive it may be of some seconds ago, and says so.
    """
    key, held = store_key(), data_range()
    if held is None:
        return None
    opened, thresholds = database(), runtime.current().settings.thresholds

    def find() -> Report:
        return metrics.report(opened, metrics.default_scope(range_key, held), thresholds)

    return runtime.current().answers.ask((key.store, range_key, thresholds), key.version, find)


def quotas(period: Scope) -> tuple[QuotaUse, ...]:
    """How the daily quotas of the contracts stand on the newest day of a period, most used first."""
    settings = runtime.current().settings
    return _quotas(store_key(), period, settings.thresholds, settings.time_zone)


@st.cache_data(ttl=600, max_entries=16, show_spinner=False)
def _quotas(
    store: StoreKey, period: Scope, thresholds: Thresholds, zone: str
) -> tuple[QuotaUse, ...]:
    return quotas_today(database(), period, thresholds, ZoneInfo(zone))


def traces_behind(key: str, part: Part, period: Scope) -> tuple[str, ...]:
    """The ids of the traces that a part of a figure counts, newest first; at most MAX_BEHIND."""
    return _traces_behind(store_key(), key, part, period)


@st.cache_data(ttl=600, max_entries=64, show_spinner=False)
def _traces_behind(store: StoreKey, key: str, part: Part, period: Scope) -> tuple[str, ...]:
    found = metrics.behind(database(), key, part, period, limit=MAX_BEHIND)
    return tuple(trace.trace_id for trace in found.traces)


def is_empty() -> bool:
    """Whether the store holds no trace at all."""
    return data_range() is None and count_traces(TraceFilter()) == 0


def filter_choices() -> FilterChoices:
    """What the search form offers; nothing where finding out takes more than a cluster is read for."""
    return _filter_choices(store_key())


@st.cache_data(ttl=600, max_entries=4, show_spinner=False)
def _filter_choices(store: StoreKey) -> FilterChoices:
    try:
        return reader.filter_choices(database())
    except EngineTooMuchError:
        return FilterChoices((), (), (), ())


def count_traces(wanted: TraceFilter) -> int:
    """How many traces pass a filter."""
    return _count_traces(store_key(), wanted)


@st.cache_data(ttl=600, max_entries=256, show_spinner=False)
def _count_traces(store: StoreKey, wanted: TraceFilter) -> int:
    return trace_counts.count_traces(database(), wanted)


def find_traces(wanted: TraceFilter, limit: int, offset: int) -> list[Trace]:
    """One page of the traces that pass a filter, newest first."""
    return _find_traces(store_key(), wanted, limit, offset)


@st.cache_data(ttl=600, max_entries=128, show_spinner=False)
def _find_traces(store: StoreKey, wanted: TraceFilter, limit: int, offset: int) -> list[Trace]:
    return reader.find_traces(database(), wanted, limit=limit, offset=offset)


def find(text: str) -> Found:
    """The known traces that a pasted text may mean."""
    return _find(store_key(), text)


@st.cache_data(ttl=600, max_entries=64, show_spinner=False)
def _find(store: StoreKey, text: str) -> Found:
    return finding.find(database(), text)


def resolve_trace_id(text: str) -> list[str]:
    """The ids of the known traces that a pasted text may mean."""
    return [match.trace_id for match in find(text).matches]


def why_absent(text: str) -> Absence:
    """What is known of a trace that is not there."""
    ids = (bytes.fromhex(trace_id) for trace_id in spelled(text).trace_ids)
    return finding.why_absent(database(), text, [escaped(data).lower() for data in ids])


def removed_trace(text: str) -> RemovedTrace | None:
    """The removal of the trace that a pasted id names; None when retention removed none."""
    return retention.removed_trace(database(), text)


def traces(trace_ids: tuple[str, ...]) -> list[Trace]:
    """The traces of these ids that the store holds, newest first."""
    return find_traces(TraceFilter(trace_ids=trace_ids), len(trace_ids), 0)


def trace(trace_id: str) -> Trace | None:
    """One trace; None when the store does not hold it."""
    return _trace(store_key(), trace_id)


@st.cache_data(ttl=600, max_entries=64, show_spinner=False)
def _trace(store: StoreKey, trace_id: str) -> Trace | None:
    return reader.get_trace(database(), trace_id)


def trace_rows(trace_id: str) -> WaterfallRows:
    """The rows of a trace's waterfall."""
    return _trace_rows(store_key(), trace_id)


@st.cache_resource(ttl=600, max_entries=16, show_spinner=False)
def _trace_rows(store: StoreKey, trace_id: str) -> WaterfallRows:
    return waterfall_rows(reader.trace_spans(database(), trace_id))


def packed_rows(trace_id: str) -> bytes:
    """The rows of a trace's waterfall, as a browser is sent them."""
    return _packed_rows(store_key(), trace_id)


@st.cache_resource(ttl=600, max_entries=16, show_spinner=False)
def _packed_rows(store: StoreKey, trace_id: str) -> bytes:
    return packed(_trace_rows(store, trace_id))


def span(trace_id: str, span_id: str) -> SpanDetail | None:
    """One span whole. Not cached: it may be large, and is found by key."""
    return reader.get_span(database(), trace_id, span_id)


def noise(trace_id: str) -> list[NoiseLog]:
    """The noise injected into a trace."""
    return _noise(store_key(), trace_id)


@st.cache_data(ttl=600, max_entries=32, show_spinner=False)
def _noise(store: StoreKey, trace_id: str) -> list[NoiseLog]:
    return reader.trace_noise(database(), trace_id)


def logs(trace_id: str) -> list[SpanLog]:
    """The log records of a trace."""
    return _logs(store_key(), trace_id)


@st.cache_data(ttl=600, max_entries=16, show_spinner=False)
def _logs(store: StoreKey, trace_id: str) -> list[SpanLog]:
    return reader.trace_logs(database(), trace_id)
