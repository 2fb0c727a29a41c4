"""The spans of one trace as the waterfall draws them: flat arrays in display order.

Display order is depth first, earliest start first, so that the rows beneath a row follow it.
Nothing is hidden: a span whose parent never came hangs under a placeholder for that parent, a
cycle is cut at its earliest span and says so, spans without times are listed without a bar.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from dashboard.components.waterfall.outside import Outside, outside
from dashboard.components.waterfall.rows import WaterfallRows
from pipeline.vocabulary import Role
from replay_store.reader import SpanRow

MAX_SPANS: Final = 20_000
"""More are cut off by start time, and the page says so: beyond this a browser gets slow."""
_MISSING_ROLE: Final = "missing"
_ROLES: Final = (*(role.value for role in Role), _MISSING_ROLE)
_PLACE_OF_ROLE: Final = {role: place for place, role in enumerate(_ROLES)}
_OTHER: Final = _PLACE_OF_ROLE[Role.OTHER.value]
_MIN_IDLE_SHARE: Final = 0.01
"""Pauses shorter than this share of the trace are not drawn."""
_MAX_IDLE: Final = 200
_LAST: Final = float("inf")
"""When a span without a start comes: after all that have one."""


@dataclass(slots=True)
class _Tree:
    """The spans of a trace, and how they hang together; a span is told by its place among them.

    Lists beside the spans, not an object for each: of 20,000 it is a third of the work.
    """

    spans: list[SpanRow]
    """After those that came, a placeholder for each parent that did not."""
    n_received: int
    parents: list[int]
    """-1 for a root."""
    starts: list[float]
    cut: set[int] = field(default_factory=set)
    """Where a cycle of parents was cut."""
    children: dict[int, list[int]] = field(default_factory=dict)
    """Of those that have any, earliest first."""


def waterfall_rows(spans: Sequence[SpanRow]) -> WaterfallRows:
    """The rows of a trace.

    Args:
        spans: The current version of each span; at most `MAX_SPANS` are drawn.

    Returns:
        Empty lists (and a total of 1) for no spans.
    """
    received = spans[:MAX_SPANS]
    tree = _tree(received)
    _cut_cycles(tree)
    _join(tree)
    return _rows(tree, list(_display_order(tree)), outside(received))


def _tree(received: Sequence[SpanRow]) -> _Tree:
    places = {span.span_id: place for place, span in enumerate(received)}
    spans = list(received)
    parents: list[int] = []
    for span in received:
        parent = span.parent_span_id
        if parent is None:
            parents.append(-1)
            continue
        place = places.setdefault(parent, len(spans))
        if place == len(spans):
            spans.append(_placeholder(parent, None))
        parents.append(place)
    parents += [-1] * (len(spans) - len(received))
    return _Tree(spans, len(received), parents, [_when(span.start_time_ns) for span in spans])


def _placeholder(span_id: str, start_ns: int | None) -> SpanRow:
    return SpanRow(
        span_id=span_id,
        parent_span_id=None,
        name=span_id,
        role=_MISSING_ROLE,
        start_time_ns=start_ns,
        end_time_ns=None,
        duration_ns=None,
        status_code=0,
        is_error=False,
        service_name=None,
        tool_name=None,
        model=None,
    )


def _when(start_ns: int | None) -> float:
    return _LAST if start_ns is None else start_ns


def _cut_cycles(tree: _Tree) -> None:
    """Make the earliest span of every cycle of parents a root.

    Somewhere in a cycle a span comes before its parent, or is its own: only from those it is looked for.
    """
    done: set[int] = set()
    for start, above in enumerate(tree.parents):
        if not start <= above < tree.n_received:
            continue
        path: dict[int, None] = {}
        at = start
        while at >= 0 and at not in done and at not in path:
            path[at] = None
            at = tree.parents[at]
        if at in path:
            members = list(path)[list(path).index(at) :]
            first = min(members, key=lambda place: (tree.starts[place], place))
            tree.parents[first] = -1
            tree.cut.add(first)
        done.update(path)


def _join(tree: _Tree) -> None:
    """Tell children by parent, and placeholders when their first child starts."""
    for place, parent in enumerate(tree.parents):
        if parent >= 0:
            tree.children.setdefault(parent, []).append(place)
    for children in tree.children.values():
        children.sort(key=tree.starts.__getitem__)
    for place in range(tree.n_received, len(tree.spans)):
        first = tree.spans[tree.children[place][0]].start_time_ns
        tree.spans[place] = _placeholder(tree.spans[place].span_id, first)
        tree.starts[place] = _when(first)


def _display_order(tree: _Tree) -> Iterator[int]:
    roots = [place for place, parent in enumerate(tree.parents) if parent < 0]
    stack = sorted(roots, key=tree.starts.__getitem__)[::-1]
    while stack:
        place = stack.pop()
        yield place
        if place in tree.children:
            stack += reversed(tree.children[place])


def _rows(tree: _Tree, order: Sequence[int], reach: Mapping[str, Outside]) -> WaterfallRows:
    row_of = dict(zip(order, range(len(order)), strict=True))
    shown = [tree.spans[place] for place in order]
    origin = min(
        (span.start_time_ns for span in shown if span.start_time_ns is not None), default=0
    )
    ends = [end for span in shown if (end := _last_time(span)) is not None]
    total = max(1, (max(ends, default=origin) - origin) // 1000)
    words: dict[str, int] = {}
    return WaterfallRows(
        ids=[span.span_id for span in shown],
        parent=[row_of.get(tree.parents[place], -1) for place in order],
        start=[_since(origin, span.start_time_ns) for span in shown],
        duration=[_duration_us(span) for span in shown],
        name=[words.setdefault(span.name, len(words)) for span in shown],
        detail=[
            words.setdefault(detail, len(words)) if (detail := _detail(span)) else -1
            for span in shown
        ],
        role=[_PLACE_OF_ROLE.get(span.role, _OTHER) for span in shown],
        state=[_state(tree, place) for place in order],
        names=list(words),
        roles=list(_ROLES),
        errors=[row for row, span in enumerate(shown) if span.is_error],
        cut=sorted(row_of[place] for place in tree.cut),
        tries=[
            (row, *tried) for row, span in enumerate(shown) if (tried := _tried(span)) is not None
        ],
        outside=_outside(shown, reach),
        idle=_idle(tree, order, origin, total),
        first=_first(tree, order),
        total=total,
    )


def _since(origin: int, start_ns: int | None) -> int | None:
    return None if start_ns is None else (start_ns - origin) // 1000


def _duration_us(span: SpanRow) -> int | None:
    if span.start_time_ns is None or span.duration_ns is None or span.end_time_ns is None:
        return None
    return (span.end_time_ns - span.start_time_ns) // 1000


def _last_time(span: SpanRow) -> int | None:
    return span.start_time_ns if span.duration_ns is None else span.end_time_ns


def _detail(span: SpanRow) -> str:
    """Tool or model; empty when the name says it already."""
    detail = span.tool_name or span.model or ""
    return "" if detail in span.name else detail


def _tried(span: SpanRow) -> tuple[int, int, int] | None:
    """Which calls a span is a try of, which try, and of how many; None for the only one."""
    if span.retry_root is None or span.try_number is None or (span.n_tries or 0) < 2:
        return None
    return span.retry_root, span.try_number, span.n_tries or 0


def _state(tree: _Tree, place: int) -> str:
    span = tree.spans[place]
    if place >= tree.n_received:
        return "missing"
    if span.start_time_ns is None:
        return "untimed"
    if span.end_time_ns is None:
        return "unfinished"
    return "reversed" if span.duration_ns is None else ""


def _outside(shown: Sequence[SpanRow], reach: Mapping[str, Outside]) -> list[tuple[int, int, int]]:
    if not reach:
        return []
    found = ((row, reach.get(span.span_id)) for row, span in enumerate(shown))
    return [(row, by.before_ns // 1000, by.after_ns // 1000) for row, by in found if by]


def _first(tree: _Tree, order: Sequence[int]) -> int:
    errors = [(row, place) for row, place in enumerate(order) if tree.spans[place].is_error]
    above_errors: set[int] = set()
    for _, place in errors:
        at = tree.parents[place]
        while at >= 0 and at not in above_errors:
            above_errors.add(at)
            at = tree.parents[at]
    lowest = [
        (tree.starts[place], place, row) for row, place in errors if place not in above_errors
    ]
    received = (row for row, place in enumerate(order) if place < tree.n_received)
    return min(lowest)[-1] if lowest else next(received, 0)


def _idle(tree: _Tree, order: Sequence[int], origin: int, total: int) -> list[tuple[int, int]]:
    busy = sorted(
        ((start - origin) // 1000, _busy_until(tree.spans[place], origin, total))
        for place in order
        if place not in tree.children
        and (start := tree.spans[place].start_time_ns) is not None
        and place < tree.n_received
    )
    pauses: list[tuple[int, int]] = []
    reached = 0
    for start, end in busy:
        if start - reached >= total * _MIN_IDLE_SHARE:
            pauses.append((reached, start))
        reached = max(reached, end)
    if busy and total - reached >= total * _MIN_IDLE_SHARE:
        pauses.append((reached, total))
    return pauses[:_MAX_IDLE]


def _busy_until(span: SpanRow, origin: int, total: int) -> int:
    if span.end_time_ns is None:
        return total
    end = _last_time(span)
    return 0 if end is None else (end - origin) // 1000
