"""Intake: what came in by minute and sender, what was refused and why, what was read in it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final
from zoneinfo import ZoneInfo

import streamlit as st

from dashboard.filters import zone
from dashboard.formats import NO_VALUE, count_text, duration_text, minute_text, size_text, time_text
from dashboard.i18n import t
from dashboard.views.intake import queries as intake_queries
from dashboard.views.intake.address import address
from dashboard.views.intake.columns import NS_PER_MINUTE, NS_PER_MS, base_name, lag, listed
from dashboard.views.intake.queries import MAX_FILES, MINUTES
from dashboard.views.live import live_header
from replay_store.cluster.ship_state import ShipState
from replay_store.records import IngestFile, IntakeMinute, Reject

Columns = Mapping[str, Callable[[Any], Any]]
_COUNTS: Final[Columns] = {
    "intake_column_requests": lambda row: row.n_requests,
    "intake_column_received": lambda row: row.n_received,
    "intake_column_stored": lambda row: row.n_stored,
    "intake_column_merged": lambda row: row.n_merged,
    "intake_column_rejected": lambda row: row.n_rejected,
    "intake_column_redacted": lambda row: row.n_redacted,
    "intake_column_ignored": lambda row: row.n_ignored,
    "intake_column_bytes": lambda row: size_text(row.n_bytes),
    "intake_column_age": lambda row: lag(row.max_age_ms),
    "intake_column_wait": lambda row: lag(row.max_wait_ms),
}
"""What is told of a sender, in one minute or in all that are shown."""


def render() -> None:
    """Draw the page, or what to do where nothing came in yet."""
    live_header(t("page_intake"), intake_queries.state)
    found, files = intake_queries.minutes(), intake_queries.files()
    address(is_empty=not found and not files)
    in_zone = zone()
    if found:
        _summary(found, in_zone)
        _sources(found, in_zone)
        _minutes(found, in_zone)
    _shipping(intake_queries.shipping(), in_zone)
    if files:
        _files(files, in_zone)
    if found or files:
        _dialects()
        _rejects(intake_queries.rejects(), in_zone)


def _shipping(state: ShipState | None, in_zone: ZoneInfo) -> None:
    """Where rows are sent on to, what waits, and what went wrong; nothing where they are not."""
    if state is None:
        return
    told = t("intake_ship", place=state.target, n=count_text(state.n_waiting))
    if state.oldest_waiting_ns is not None:
        told += " " + t("intake_ship_oldest", time=time_text(state.oldest_waiting_ns, in_zone))
    if state.shipped_time_ns is not None:
        told += " " + t("intake_ship_last", time=time_text(state.shipped_time_ns, in_zone))
    st.text(told)
    if state.problem is not None:
        st.warning(t("intake_ship_problem"), icon=":material/cloud_off:")
        st.text(state.problem)


def _summary(found: Sequence[IntakeMinute], in_zone: ZoneInfo) -> None:
    newest = found[0].minute
    last = [row for row in found if row.minute == newest]
    waits = [row.max_wait_ms for row in last if row.max_wait_ms is not None]
    with st.container(horizontal=True, gap="medium", key="intake_summary"):
        st.metric(
            t("intake_last_minute"),
            count_text(_total(last, "n_received")),
            help=t("intake_last_minute_help", time=minute_text(newest * NS_PER_MINUTE, in_zone)),
        )
        st.metric(t("intake_stored"), count_text(_total(last, "n_stored")))
        st.metric(t("intake_merged"), count_text(_total(last, "n_merged")))
        st.metric(t("intake_rejected"), count_text(_total(last, "n_rejected")))
        st.metric(
            t("intake_wait"),
            duration_text(max(waits) * NS_PER_MS) if waits else NO_VALUE,
            help=t("intake_wait_help"),
        )
        st.metric(t("intake_waiting"), count_text(intake_queries.n_waiting()))


def _sources(found: list[IntakeMinute], in_zone: ZoneInfo) -> None:
    st.subheader(t("intake_by_source"), anchor=False)
    st.caption(t("intake_sum", minutes=MINUTES))
    columns: Columns = {
        "intake_column_source": lambda row: row.source,
        "intake_column_door": lambda row: f"{row.door} {row.signal}",
        "intake_column_newest": lambda row: minute_text(row.newest_minute * NS_PER_MINUTE, in_zone),
        **_COUNTS,
    }
    listed("intake_sources", intake_queries.sources(found), columns)


def _minutes(found: Sequence[IntakeMinute], in_zone: ZoneInfo) -> None:
    st.subheader(t("intake_by_minute"), anchor=False)
    columns: Columns = {
        "intake_column_minute": lambda row: minute_text(row.minute * NS_PER_MINUTE, in_zone),
        "intake_column_source": lambda row: row.source,
        "intake_column_door": lambda row: f"{row.door} {row.signal}",
        **_COUNTS,
    }
    listed("intake_minutes", found, columns)


def _files(files: Sequence[IngestFile], in_zone: ZoneInfo) -> None:
    st.subheader(t("intake_files"), anchor=False)
    st.caption(t("intake_files_note", n=MAX_FILES))
    columns: Columns = {
        "intake_column_time": lambda row: time_text(row.started_time_ns, in_zone),
        "intake_column_file": lambda row: base_name(row.path),
        "intake_column_container": lambda row: row.container or NO_VALUE,
        "intake_column_received": lambda row: row.n_records,
        "intake_column_stored": lambda row: row.n_stored,
        "intake_column_merged": lambda row: row.n_merged,
        "intake_column_rejected": lambda row: row.n_rejected,
        "intake_column_redacted": lambda row: row.n_redacted,
        "intake_column_message": lambda row: row.message or "",
        "intake_column_path": lambda row: row.path,
    }
    listed("intake_files", files, columns)


def _dialects() -> None:
    st.subheader(t("intake_dialects"), anchor=False)
    found = intake_queries.dialects()
    if not found:
        st.caption(t("intake_dialects_none"))
        return
    columns: Columns = {
        "intake_column_dialect": lambda row: row.dialect,
        "intake_column_traces": lambda row: row.n_traces,
    }
    listed("intake_dialects", found, columns)


def _rejects(rejects: list[Reject], in_zone: ZoneInfo) -> None:
    st.subheader(t("intake_rejects"), anchor=False)
    if not rejects:
        st.caption(t("intake_rejects_none"))
        return
    by_reason: Columns = {
        "intake_column_minute": lambda row: minute_text(row.minute * NS_PER_MINUTE, in_zone),
        "intake_column_from": lambda row: base_name(row.path),
        "intake_column_source": lambda row: row.source or NO_VALUE,
        "intake_column_reason": lambda row: row.reason,
        "intake_column_n": lambda row: row.n,
        "intake_column_path": lambda row: row.path,
    }
    listed("intake_reasons", intake_queries.reasons(), by_reason)
    one_by_one: Columns = {
        "intake_column_time": lambda row: time_text(row.received_time_ns, in_zone),
        "intake_column_from": lambda row: base_name(row.path),
        "intake_column_source": lambda row: row.source or NO_VALUE,
        "intake_column_place": lambda row: row.place,
        "intake_column_reason": lambda row: row.reason,
        "intake_column_detail": lambda row: row.detail,
        "intake_column_size": lambda row: (
            NO_VALUE if row.n_raw_bytes is None else size_text(row.n_raw_bytes)
        ),
        "intake_column_path": lambda row: row.path,
    }
    listed("intake_rejects", rejects, one_by_one)
    st.download_button(
        t("intake_download", n=count_text(len(rejects))),
        data=lambda: intake_queries.rejects_jsonl(rejects),
        file_name="rejects.jsonl",
        mime="application/x-ndjson",
        icon=":material/download:",
        key="intake_download",
        on_click="ignore",
    )


def _total(rows: Sequence[IntakeMinute], field: str) -> int:
    return sum(getattr(row, field) for row in rows)
