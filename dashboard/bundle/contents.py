"""What goes into a bundle, redacted."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final
from zoneinfo import ZoneInfo

import orjson

from dashboard.formats import time_text, zone_text
from dashboard.incident_text import Lang, act_text, layer_of, layer_text
from dashboard.telling import tell
from dashboard.told_json import told_json
from dashboard.views.trace.withheld import readable
from ingest import Redactor
from pipeline.observation import Caller
from replay_store.database import Database
from replay_store.reader import trace_logs, trace_spans_whole, trace_tool_calls

__all__ = ["MAX_SPANS", "Bundle", "bundle_of"]

MAX_SPANS: Final = 2_000
"""A file of more is too big to send; how many there are is said."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """One trace, redacted: values that JSON can hold."""

    values: Mapping[str, Any]
    n_redacted: int
    """Values in which something was taken out for this bundle."""
    lang: Lang


def bundle_of(
    database: Database, trace_id: str, zone: ZoneInfo, *, now_ns: int, lang: Lang = "en"
) -> Bundle | None:
    """The bundle of a trace; None when the store does not hold it.

    Args:
        database: The store.
        trace_id: Which.
        zone: Of the times that people read; numbers stay nanoseconds since the epoch.
        now_ns: When it is made.
        lang: Of its sentences.
    """
    told = tell(database, trace_id)
    if told is None:
        return None
    spans = trace_spans_whole(database, trace_id, limit=MAX_SPANS)
    values = told_json(told, lang) | {
        "made": f"{time_text(now_ns, zone)} {zone_text(zone, now_ns)}",
        "start": f"{time_text(told.trace.start_time_ns, zone)} {zone_text(zone)}",
        "steps_words": [
            {"act": act_text(step, lang), "layer": layer_text(layer_of(step), lang)}
            for step in told.steps
        ],
        "tool_calls": [asdict(call) for call in trace_tool_calls(database, trace_id)],
        "logs": [asdict(log) for log in trace_logs(database, trace_id)[:MAX_SPANS]],
        "spans": [asdict(readable(span, Caller.REMOTE)) for span in spans],
        "n_spans_left_out": max(0, told.trace.n_spans - len(spans)),
    }
    plain = orjson.loads(orjson.dumps(values, default=str))
    redactor = Redactor()
    redacted = redactor.fields(plain, redactor.hits(orjson.dumps(plain)))
    return Bundle(redacted.value, redacted.n_removed, lang)
