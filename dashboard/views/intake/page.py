"""Intake: what came in by minute and sender, what was refused and why, what was read in it."""

from collections.abc import Callable, Sequence
from typing import Any, Final

import pandas as pd
import streamlit as st

from dashboard import links
from dashboard.filters import zone
from dashboard.formats import NO_VALUE, count_text, duration_text, minute_text, size_text, time_text
from dashboard.i18n import t
from dashboard.views.intake import queries as intake_queries
from dashboard.views.intake.address import address
from dashboard.views.intake.queries import MAX_FILES, MINUTES
from replay_store.records import IngestFile, IntakeMinute, Reject

_NS_PER_MINUTE: Final = 60_000_000_000
_NS_PER_MS: Final = 1_000_000
_COLUMN: Final = "intake_column_"
_LIVE: Final = "live"
_LIVE_SECONDS: Final = 5


def render() -> None:
    """Draw the page; it refreshes itself when the address says `live=1`."""
    st.header(t("page_intake"), anchor=False)
    is_live = st.query_params.get(_LIVE) == "1"
    st.toggle(
        t("intake_live", seconds=_LIVE_SECONDS),
        value=is_live,
        key="intake_live",
        on_change=lambda: links.set_parameter(
            _LIVE, "1" if st.session_state["intake_live"] else None
        ),
    )
    st.fragment(_body, run_every=_LIVE_SECONDS if is_live else None)()


def _body() -> None:
    found, files, rejects = (
        intake_queries.minutes(),
        intake_queries.files(),
        intake_queries.rejects(),
    )
    address(is_open=not found)
    if found:
        _summary(found)
        _minutes(found)
    if files:
        _files(files)
    if found or files:
        _dialects()
    _rejects(rejects)


def _summary(found: Sequence[IntakeMinute]) -> None:
    newest = found[0].minute
    last = [row for row in found if row.minute == newest]
    waits = [row.max_wait_ms for row in last if row.max_wait_ms is not None]
    in_zone = zone()
    with st.container(horizontal=True, gap="medium", key="intake_summary"):
        st.metric(
            t("intake_last_minute"),
            count_text(_total(last, "n_received")),
            help=t("intake_last_minute_help", time=minute_text(newest * _NS_PER_MINUTE, in_zone)),
        )
        st.metric(t("intake_stored"), count_text(_total(last, "n_stored")))
        st.metric(t("intake_merged"), count_text(_total(last, "n_merged")))
        st.metric(t("intake_rejected"), count_text(_total(last, "n_rejected")))
        st.metric(
            t("intake_wait"),
            duration_text(max(waits) * _NS_PER_MS) if waits else NO_VALUE,
            help=t("intake_wait_help"),
        )
        st.metric(t("intake_waiting"), count_text(intake_queries.n_waiting()))


def _minutes(found: Sequence[IntakeMinute]) -> None:
    st.subheader(t("intake_by_minute"), anchor=False)
    st.caption(t("intake_sum", minutes=MINUTES))
    in_zone = zone()
    columns: dict[str, Callable[[IntakeMinute], Any]] = {
        "intake_column_minute": lambda row: minute_text(row.minute * _NS_PER_MINUTE, in_zone),
        "intake_column_source": lambda row: row.source,
        "intake_column_door": lambda row: f"{row.door} {row.signal}",
        "intake_column_requests": lambda row: row.n_requests,
        "intake_column_received": lambda row: row.n_received,
        "intake_column_stored": lambda row: row.n_stored,
        "intake_column_merged": lambda row: row.n_merged,
        "intake_column_rejected": lambda row: row.n_rejected,
        "intake_column_redacted": lambda row: row.n_redacted,
        "intake_column_ignored": lambda row: row.n_ignored,
        "intake_column_bytes": lambda row: size_text(row.n_bytes),
        "intake_column_age": lambda row: _lag(row.max_age_ms),
        "intake_column_wait": lambda row: _lag(row.max_wait_ms),
    }
    _table("intake_minutes", found, columns)


def _files(files: Sequence[IngestFile]) -> None:
    st.subheader(t("intake_files"), anchor=False)
    st.caption(t("intake_files_note", n=MAX_FILES))
    in_zone = zone()
    columns: dict[str, Callable[[IngestFile], Any]] = {
        "intake_column_time": lambda row: time_text(row.started_time_ns, in_zone),
        "intake_column_file": lambda row: row.path,
        "intake_column_container": lambda row: row.container or NO_VALUE,
        "intake_column_received": lambda row: row.n_records,
        "intake_column_stored": lambda row: row.n_stored,
        "intake_column_merged": lambda row: row.n_merged,
        "intake_column_rejected": lambda row: row.n_rejected,
        "intake_column_redacted": lambda row: row.n_redacted,
        "intake_column_message": lambda row: row.message or "",
    }
    _table("intake_files", files, columns)


def _dialects() -> None:
    st.subheader(t("intake_dialects"), anchor=False)
    found = intake_queries.dialects()
    if not found:
        st.caption(t("intake_dialects_none"))
        return
    _table(
        "intake_dialects",
        found,
        {
            "intake_column_dialect": lambda row: row.dialect,
            "intake_column_traces": lambda row: row.n_traces,
        },
    )


def _rejects(rejects: list[Reject]) -> None:
    st.subheader(t("intake_rejects"), anchor=False)
    if not rejects:
        st.caption(t("intake_rejects_none"))
        return
    in_zone = zone()
    _table(
        "intake_reasons",
        intake_queries.reasons(),
        {
            "intake_column_from": lambda row: row.path,
            "intake_column_reason": lambda row: row.reason,
            "intake_column_n": lambda row: row.n,
        },
    )
    _table(
        "intake_rejects",
        rejects,
        {
            "intake_column_time": lambda row: time_text(row.received_time_ns, in_zone),
            "intake_column_from": lambda row: row.path,
            "intake_column_place": lambda row: row.place,
            "intake_column_reason": lambda row: row.reason,
            "intake_column_detail": lambda row: row.detail,
            "intake_column_size": lambda row: (
                NO_VALUE if row.n_raw_bytes is None else size_text(row.n_raw_bytes)
            ),
        },
    )
    st.download_button(
        t("intake_download", n=count_text(len(rejects))),
        data=lambda: intake_queries.rejects_jsonl(rejects),
        file_name="rejects.jsonl",
        mime="application/x-ndjson",
        icon=":material/download:",
        key="intake_download",
        on_click="ignore",
    )


def _table(key: str, rows: Sequence[Any], columns: dict[str, Callable[[Any], Any]]) -> None:
    """A table; its columns are catalogue texts."""
    names = {heading: heading.removeprefix(_COLUMN) for heading in columns}
    frame = pd.DataFrame(
        {names[heading]: [cell(row) for row in rows] for heading, cell in columns.items()}
    )
    st.dataframe(
        frame,
        key=key,
        hide_index=True,
        height="content" if len(rows) <= 12 else 400,
        column_config={name: t(heading) for heading, name in names.items()},
    )


def _lag(milliseconds: int | None) -> str:
    return NO_VALUE if milliseconds is None else duration_text(milliseconds * _NS_PER_MS)


def _total(rows: Sequence[IntakeMinute], field: str) -> int:
    return sum(getattr(row, field) for row in rows)
