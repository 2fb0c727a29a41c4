"""Spans that lie outside of their parents in time. They are shown as they came, and say so.

A span that begins before its parent tells of clocks that differ, or of a wrong link; one that ends after
it may also be work that nobody waited for. Nothing is moved: a mended time would hide the fault.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from replay_store.reader import SpanRow
from replay_store.story import TICK_NS

__all__ = ["Outside", "outside"]


class Outside(NamedTuple):
    """How far a span reaches out of its parent, in ns; 0 on a side where it does not."""

    before_ns: int
    after_ns: int


def outside(spans: Sequence[SpanRow]) -> Mapping[str, Outside]:
    """The spans that reach out of their parents by more than a tick, by id; times unknown say nothing."""
    by_id = {span.span_id: span for span in spans}
    found: dict[str, Outside] = {}
    for span in spans:
        parent = by_id.get(span.parent_span_id or "")
        if parent is None or parent is span:
            continue
        before, after = _before(span, parent), _after(span, parent)
        if before or after:
            found[span.span_id] = Outside(before, after)
    return found


def _before(span: SpanRow, parent: SpanRow) -> int:
    if span.start_time_ns is None or parent.start_time_ns is None:
        return 0
    return _told(parent.start_time_ns - span.start_time_ns)


def _after(span: SpanRow, parent: SpanRow) -> int:
    ends = span.end_time_ns, parent.end_time_ns
    if ends[0] is None or ends[1] is None or span.duration_ns is None or parent.duration_ns is None:
        return 0
    return _told(ends[0] - ends[1])


def _told(reach_ns: int) -> int:
    return reach_ns if reach_ns > TICK_NS else 0
