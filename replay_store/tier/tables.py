"""What goes with a trace when its day moves out of the store, and what stays."""

from typing import Final

from replay_store.columns import table_name
from replay_store.of_traces import DERIVED_OF_TRACES, READ_OF_TRACES
from replay_store.records import RawOutput, Span, SpanLog, Trace

__all__ = ["DERIVED", "NUMBERED", "RAW", "READ", "RECEIVED", "TABLES"]

RECEIVED: Final = tuple(map(table_name, (Span, SpanLog)))
"""What `came again` is told by: a record that is in the store is not brought back beside itself."""
READ: Final = tuple(map(table_name, READ_OF_TRACES))
"""Tables of received rows and of what is read in one span. `trace_key` and `trace_link` stay, because
derive looks there for traces that belong together; `reread` stays, because people fill it;
`labelled_decision` and `labelled_trace` stay with the rollups, because accuracy reads them."""
DERIVED: Final = tuple(f"{table_name(record)}_sealed" for record in (Trace, *DERIVED_OF_TRACES))
"""Tables of what is derived from them; that of the traces first."""
RAW: Final = table_name(RawOutput)
"""Texts that several traces may hold."""
TABLES: Final = (*DERIVED, *READ, RAW)
"""All that moves."""
NUMBERED: Final = {"span": "numbered_span", "span_log": "numbered_log"}
"""Tables that are searched for words slice by slice, and the view that numbers their rows."""
