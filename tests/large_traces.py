"""Traces of a size that breaks pages: one of 20,000 spans side by side, one of 5,000 within each other."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final
from uuid import UUID

from ingest.mapping import map_batch
from replay_store import Batch, Database, Writer, derive
from replay_store.records import Span

WIDE: Final = "a" * 32
DEEP: Final = "d" * 32
N_WIDE: Final = 20_000
N_DEEP: Final = 5_000
_T0: Final = 1_764_547_200_000_000_000
_FILE: Final = UUID(int=1)
_FAILS: Final = 997
"""Every so many-th span failed."""


def lay_large_traces(path: Path) -> None:
    """Add both to the store at `path`, derived; a new one where there is none."""
    with Database.open(path) as database:
        for spans in (list(wide_spans()), list(deep_spans())):
            batch = Batch(spans=spans)
            map_batch(batch)
            Writer(database).write(batch)
        derive(database)


def wide_spans() -> Iterator[Span]:
    """One run of 2,000 turns, each a model call and nine tools; every 997th span failed."""
    yield _span(WIDE, 1, None, 0, N_WIDE * 10**6, "invoke_agent", "invoke_agent")
    for number in range(2, N_WIDE + 1):
        start = number * 10**6
        name = "chat" if number % 10 == 2 else "execute_tool"
        yield _span(WIDE, number, 1, start, start + 10**6, name, f"{name} {number % 10}")


def deep_spans() -> Iterator[Span]:
    """Five thousand spans, each within the one before."""
    for number in range(1, N_DEEP + 1):
        parent = number - 1 or None
        yield _span(DEEP, number, parent, number, 2 * N_DEEP - number, "step", f"步骤 {number}")


def order_of(span_id: str) -> str:
    """What the span with that id was given: a word that no other span of its trace shows."""
    return f"order-{int(span_id, 16)}-"


def _span(
    trace_id: str, number: int, parent: int | None, start: int, end: int, operation: str, name: str
) -> Span:
    span_id, is_failed = f"{number:016x}", number % _FAILS == 0
    attributes = {
        "gen_ai.operation.name": operation,
        "gen_ai.tool.name": name,
        "gen_ai.tool.call.arguments": f'{{"order_id": "{order_of(span_id)}"}}',
    }
    return Span(
        trace_id=trace_id,
        span_id=span_id,
        parent_span_id=None if parent is None else f"{parent:016x}",
        record_hash=int(trace_id[0], 16) * 10**9 + number,
        name=name,
        otel_kind=1,
        start_time_ns=_T0 + start,
        end_time_ns=_T0 + end,
        duration_ns=end - start,
        hour=_T0 // 3_600_000_000_000,
        lat_bucket=0,
        status_code=2 if is_failed else 0,
        status_message=f"no answer to {order_of(span_id)} within 8 s" if is_failed else None,
        service_name="shop",
        scope_name=None,
        scope_version=None,
        resource={},
        attributes=attributes,
        events=[],
        links=[],
        trace_state=None,
        flags=None,
        n_dropped=0,
        file_id=_FILE,
        record_index=number,
        received_time_ns=_T0 + number,
    )
