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
_MIN_IDLE_SHARE: Final = 0.01
"""Pauses shorter than this share of the trace are not drawn."""
_MAX_IDLE: Final = 200


@dataclass(slots=True)
class _Node:
    span_id: str
    parent: int
    name: str
    detail: str
    role: str
    start_ns: int | None
    end_ns: int | None
    state: str
    is_error: bool = False
    is_cut: bool = False
    tried: tuple[int, int, int] | None = None
    children: list[int] = field(default_factory=list)


def waterfall_rows(spans: Sequence[SpanRow]) -> WaterfallRows:
    """The rows of a trace.

    Args:
        spans: The current version of each span; at most `MAX_SPANS` are drawn.

    Returns:
        Empty lists (and a total of 1) for no spans.
    """
    spans = spans[:MAX_SPANS]
    nodes = _nodes(spans)
    _cut_cycles(nodes)
    for index, node in enumerate(nodes):
        if node.parent >= 0:
            nodes[node.parent].children.append(index)
    _time_placeholders(nodes)
    return _rows(nodes, list(_display_order(nodes)), outside(spans))


def _nodes(spans: Sequence[SpanRow]) -> list[_Node]:
    index_of = {span.span_id: index for index, span in enumerate(spans)}
    nodes = [_span_node(span) for span in spans]
    for index, span in enumerate(spans):
        parent = span.parent_span_id
        if parent is None:
            continue
        if parent not in index_of:
            index_of[parent] = len(nodes)
            nodes.append(_Node(parent, -1, parent, "", _MISSING_ROLE, None, None, "missing"))
        nodes[index].parent = index_of[parent]
    return nodes


def _span_node(span: SpanRow) -> _Node:
    detail = span.tool_name or span.model or ""
    return _Node(
        span_id=span.span_id,
        parent=-1,
        name=span.name,
        detail="" if detail in span.name else detail,
        role=span.role if span.role in _ROLES else Role.OTHER.value,
        start_ns=span.start_time_ns,
        end_ns=None if span.duration_ns is None else span.end_time_ns,
        state=_state(span),
        is_error=span.is_error,
        tried=_tried(span),
    )


def _tried(span: SpanRow) -> tuple[int, int, int] | None:
    """Which calls a span is a try of, which try, and of how many; None for the only one."""
    if span.retry_root is None or span.try_number is None or (span.n_tries or 0) < 2:
        return None
    return span.retry_root, span.try_number, span.n_tries or 0


def _state(span: SpanRow) -> str:
    if span.start_time_ns is None:
        return "untimed"
    if span.end_time_ns is None:
        return "unfinished"
    return "reversed" if span.duration_ns is None else ""


def _cut_cycles(nodes: list[_Node]) -> None:
    """Make the earliest span of every cycle of parents a root."""
    done: set[int] = set()
    for start in range(len(nodes)):
        path: dict[int, None] = {}
        at = start
        while at >= 0 and at not in done and at not in path:
            path[at] = None
            at = nodes[at].parent
        if at in path:
            members = list(path)[list(path).index(at) :]
            first = min(members, key=lambda index: _by_start(nodes, index))
            nodes[first].parent = -1
            nodes[first].is_cut = True
        done.update(path)


def _by_start(nodes: Sequence[_Node], index: int) -> tuple[bool, int, int]:
    start = nodes[index].start_ns
    return (start is None, start or 0, index)


def _time_placeholders(nodes: Sequence[_Node]) -> None:
    for node in nodes:
        if node.state == "missing":
            starts = [s for child in node.children if (s := nodes[child].start_ns) is not None]
            node.start_ns = min(starts, default=None)


def _display_order(nodes: Sequence[_Node]) -> Iterator[int]:
    roots = [index for index, node in enumerate(nodes) if node.parent < 0]
    stack = sorted(roots, key=lambda index: _by_start(nodes, index), reverse=True)
    while stack:
        index = stack.pop()
        yield index
        stack.extend(
            sorted(nodes[index].children, key=lambda child: _by_start(nodes, child), reverse=True)
        )


def _rows(
    nodes: Sequence[_Node], order: Sequence[int], reach: Mapping[str, Outside]
) -> WaterfallRows:
    position = {index: row for row, index in enumerate(order)}
    shown = [nodes[index] for index in order]
    origin = min((node.start_ns for node in shown if node.start_ns is not None), default=0)
    ends = [end for node in shown if (end := _last_time(node)) is not None]
    total = max(1, (max(ends, default=origin) - origin) // 1000)
    words: dict[str, int] = {}
    return WaterfallRows(
        ids=[node.span_id for node in shown],
        parent=[position[node.parent] if node.parent >= 0 else -1 for node in shown],
        start=[
            None if node.start_ns is None else (node.start_ns - origin) // 1000 for node in shown
        ],
        duration=[_duration_us(node) for node in shown],
        name=[words.setdefault(node.name, len(words)) for node in shown],
        detail=[words.setdefault(n.detail, len(words)) if n.detail else -1 for n in shown],
        role=[_ROLES.index(node.role) for node in shown],
        state=[node.state for node in shown],
        names=list(words),
        roles=list(_ROLES),
        errors=[row for row, node in enumerate(shown) if node.is_error],
        cut=[row for row, node in enumerate(shown) if node.is_cut],
        tries=[(row, *node.tried) for row, node in enumerate(shown) if node.tried],
        outside=[
            (row, reach[node.span_id].before_ns // 1000, reach[node.span_id].after_ns // 1000)
            for row, node in enumerate(shown)
            if node.span_id in reach
        ],
        idle=_idle(shown, origin, total),
        first=_first(nodes, order),
        total=total,
    )


def _first(nodes: Sequence[_Node], order: Sequence[int]) -> int:
    above_errors: set[int] = set()
    for index in order:
        at = nodes[index].parent if nodes[index].is_error else -1
        while at >= 0 and at not in above_errors:
            above_errors.add(at)
            at = nodes[at].parent
    lowest = [
        (_by_start(nodes, index), row)
        for row, index in enumerate(order)
        if nodes[index].is_error and index not in above_errors
    ]
    received = (row for row, index in enumerate(order) if nodes[index].state != "missing")
    return min(lowest)[1] if lowest else next(received, 0)


def _last_time(node: _Node) -> int | None:
    return node.start_ns if node.end_ns is None else node.end_ns


def _duration_us(node: _Node) -> int | None:
    if node.start_ns is None or node.end_ns is None:
        return None
    return (node.end_ns - node.start_ns) // 1000


def _idle(shown: Sequence[_Node], origin: int, total: int) -> list[tuple[int, int]]:
    busy = sorted(
        ((node.start_ns - origin) // 1000, _busy_until(node, origin, total))
        for node in shown
        if not node.children and node.start_ns is not None and node.state != "missing"
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


def _busy_until(node: _Node, origin: int, total: int) -> int:
    if node.state == "unfinished":
        return total
    end = _last_time(node)
    return 0 if end is None else (end - origin) // 1000
