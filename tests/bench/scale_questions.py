"""What pages ask, asked through the pages' own functions, each beside a plain scan of every span."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import streamlit as st

from dashboard import queries, runtime
from dashboard.settings import Settings
from dashboard.views.compare import queries as compare_queries
from dashboard.views.tools import queries as tool_queries
from dashboard.views.trace import queries as trace_queries
from dashboard.views.traces import queries as traces_queries
from dashboard.views.traces.search import Search, search
from metrics import DataRange, RangeKey
from replay_store.database import Database
from replay_store.reader import TraceFilter
from tests.bench.fleet_traffic import TOOLS

__all__ = ["Question", "questions"]

PAGE_SIZE: Final = 50
_SCAN_OVERVIEW: Final = """
select
    call_evidence.tool_name, count(*), quantile_cont(span.duration_ns, 0.95),
    count(*) filter (where span.status_code = 2)
from span inner join call_evidence using (trace_id, span_id)
where evidence = 'execution' and span.start_time_ns between $from_ns and $to_ns
group by all
"""
_SCAN_LIST: Final = """
select trace_id, min(start_time_ns) as began, max(end_time_ns), count(*), max(status_code)
from span where start_time_ns between $from_ns and $to_ns
group by trace_id order by began desc limit 50
"""
_SCAN_TRACE: Final = "select * from span where trace_id = $trace_id::uuid"
_SCAN_TOOL: Final = """
select
    count(*), quantile_cont(span.duration_ns, 0.95), count(distinct trace_id),
    count(*) filter (where span.status_code = 2)
from span inner join call_evidence using (trace_id, span_id)
where evidence = 'execution' and tool_name = $tool and span.start_time_ns between $from_ns and $to_ns
"""


@dataclass(frozen=True, slots=True)
class Question:
    """One page, or part of it."""

    name: str
    limit_ms: int | None
    """What it may take; None for what has no limit of its own."""
    ask: Callable[[], object]
    scan: str
    """The same from spans alone; `given` fills it."""
    given: dict[str, object]


def questions(database: Database, trace_id: str) -> list[Question]:
    """The questions of the pages, in the order of their menu.

    Args:
        database: The store; pages see it from here on.
        trace_id: The trace that is opened.
    """
    runtime.start(runtime.Runtime(database, Settings()))
    held = queries.data_range()
    assert held is not None
    found = [
        _overview(database, key, held) for key in (RangeKey.DAY, RangeKey.WEEK, RangeKey.MONTH)
    ]
    for key in (RangeKey.DAY, RangeKey.WEEK, RangeKey.MONTH):
        found += _traces(key, held, {}, "")
    for name, value in (("tool", TOOLS[7]), ("error", "TIMEOUT"), ("filter", "steps>6")):
        for key in (RangeKey.DAY, RangeKey.WEEK):
            found += _traces(key, held, {name: value}, f", {name}")
    found += [_tool(key, held) for key in (RangeKey.DAY, RangeKey.WEEK, RangeKey.MONTH)]
    found.append(
        Question("Compare, what to choose, 24h", 200, lambda: _versions(RangeKey.DAY), _SCAN_TOOL,
                 _between(RangeKey.DAY, held) | {"tool": TOOLS[0]})
    )  # fmt: skip
    wanted: dict[str, object] = {"trace_id": trace_id}
    found.append(Question("trace by id", 20, lambda: queries.find(trace_id), _SCAN_TRACE, wanted))
    found.append(Question("trace, its spans", None, lambda: _spans(trace_id), _SCAN_TRACE, wanted))
    found.append(Question("trace, its page", None, lambda: _trace(trace_id), _SCAN_TRACE, wanted))
    return found


def forget() -> None:
    """Every answer that pages keep: the next is found, not remembered."""
    st.cache_data.clear()
    st.cache_resource.clear()
    kept = runtime.current()
    runtime.start(runtime.Runtime(kept.database, kept.settings))


def _overview(database: Database, key: RangeKey, held: DataRange) -> Question:
    return Question(
        f"Overview, {key}",
        200 if key is RangeKey.DAY else 300,
        lambda: queries.report(key),
        _SCAN_OVERVIEW,
        _between(key, held),
    )


def _traces(key: RangeKey, held: DataRange, asked: dict[str, str], told: str) -> list[Question]:
    """The list, and all of the page: what it counts beside the list comes after it."""
    given = _between(key, held)
    return [
        Question(f"Traces, {key}{told}", 200, lambda: _list(key, asked), _SCAN_LIST, given),
        Question(
            f"Traces, {key}{told}, counted", None, lambda: _counted(key, asked), _SCAN_LIST, given
        ),
    ]


def _list(key: RangeKey, asked: dict[str, str]) -> tuple[Search, int, object]:
    """What `dashboard.views.traces.page` asks until its list is drawn."""
    queries.is_empty()
    queries.filter_choices()
    wanted: Search = search(asked.get, queries.scope(key), is_bounded=key is not RangeKey.ALL)
    n = queries.count_traces(wanted.trace_filter)
    return wanted, n, queries.find_traces(wanted.trace_filter, PAGE_SIZE, 0)


def _counted(key: RangeKey, asked: dict[str, str]) -> object:
    """All that it asks."""
    wanted, n, found = _list(key, asked)
    counted = traces_queries.counts(wanted.trace_filter)
    return n, found, counted, queries.count_traces(wanted.unbounded or TraceFilter())


def _tool(key: RangeKey, held: DataRange) -> Question:
    def ask() -> object:
        """What `dashboard.views.tools.page` asks; the alerts' look is shared by all pages."""
        scope = queries.scope(key)
        assert scope is not None
        row = tool_queries.tools(scope)[0]
        return tool_queries.tool_report(scope, row.tool_name), tool_queries.findings(row.tool_name)

    given = _between(key, held) | {"tool": TOOLS[0]}
    limit = 200 if key is RangeKey.DAY else 300
    return Question(f"Tool page, {key}", limit, ask, _SCAN_TOOL, given)


def _versions(key: RangeKey) -> object:
    scope = queries.scope(key)
    assert scope is not None
    return compare_queries.versions(scope)


def _spans(trace_id: str) -> object:
    return queries.find(trace_id), queries.trace(trace_id), queries.trace_rows(trace_id)


def _trace(trace_id: str) -> object:
    """What the head, the waterfall, the diagnosis and the tables of one trace's page ask."""
    found = _spans(trace_id)
    trace = queries.trace(trace_id)
    assert trace is not None
    return (
        found,
        trace_queries.diagnosis(trace),
        trace_queries.calls(trace_id),
        queries.noise(trace_id),
        queries.logs(trace_id),
    )


def _between(key: RangeKey, held: DataRange) -> dict[str, object]:
    scope = queries.scope(key)
    assert scope is not None
    return {"from_ns": scope.start_time_ns, "to_ns": held.last_time_ns}
