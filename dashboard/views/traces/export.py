"""Traces as CSV that a spreadsheet opens: UTF-8 with BOM, and no cell that runs as a formula."""

import csv
import io
from collections.abc import Sequence
from dataclasses import asdict
from typing import Final
from zoneinfo import ZoneInfo

from dashboard.formats import moment
from replay_store.records import Trace

MAX_ROWS: Final = 10_000
"""More rows than a person reads; the page says how many of how many are in the file."""
_COLUMNS: Final = (
    "trace_id",
    "name",
    "agent_name",
    "service_name",
    "session_id",
    "task_id",
    "status",
    "error_type",
    "error_message",
    "duration_ns",
    "n_spans",
    "n_orphan_spans",
    "n_steps",
    "n_llm_calls",
    "n_llm_errors",
    "n_tool_calls",
    "n_tool_errors",
    "n_retries",
    "n_guard_evaluations",
    "n_guard_hits",
    "input_tokens",
    "output_tokens",
    "cached_input_tokens",
)
_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r")


def traces_csv(traces: Sequence[Trace], zone: ZoneInfo) -> bytes:
    """One line a trace. Empty cells are unknown values, not zeros.

    Args:
        traces: In the order of the file.
        zone: The start time is written in it, with its offset.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(("start_time", *_COLUMNS))
    for trace in traces:
        start = trace.start_time_ns
        values = asdict(trace)
        writer.writerow(
            (
                "" if start is None else moment(start, zone).isoformat(timespec="milliseconds"),
                *(_cell(values[column]) for column in _COLUMNS),
            )
        )
    return b"\xef\xbb\xbf" + text.getvalue().encode("utf-8", "backslashreplace")


def _cell(value: object) -> object:
    """Text that a spreadsheet would take for a formula gets an apostrophe in front."""
    if isinstance(value, str) and value.startswith(_FORMULA_STARTS):
        return "'" + value
    return "" if value is None else value
