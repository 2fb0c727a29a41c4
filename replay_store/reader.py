"""Questions about stored rows that are not metrics: find a trace, open it, list what came in.

Every function takes the open store; ids are lower hex; an id that is not known gives None or an
empty list, never an error.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, NamedTuple, TypeVar

import orjson

from replay_store.columns import column_names
from replay_store.database import Database
from replay_store.records import (
    Alert,
    IngestFile,
    NoiseLog,
    Reject,
    ReplayCase,
    ReplayResult,
    Span,
    SpanLog,
    SpanRole,
    ToolCall,
    Trace,
)
from replay_store.statements import statement
from replay_store.trace_terms import Term, conditions

_Record = TypeVar("_Record")

_JSON_COLUMNS: Final = {
    Span: frozenset({"resource", "attributes", "events", "links"}),
    SpanLog: frozenset({"resource", "attributes", "body"}),
    ReplayCase: frozenset({"body"}),
    ReplayResult: frozenset({"before", "after", "diff"}),
    Alert: frozenset({"deploys"}),
}
"""Columns that hold JSON text here and Python values in the record; other text stays text."""
_NAMES: Final[dict[type, list[str]]] = {}
"""The columns of each record class, found once: asked a row at a time."""
_EVER: Final = (1 << 63) - 1
_FILTER: Final = "/* filter */ true"
_TERMS: Final = "/* terms */ true"


@dataclass(frozen=True, slots=True)
class TraceFilter:
    """Which traces to list; every part that is None lets everything pass."""

    trace_ids: tuple[str, ...] | None = None
    start_time_ns: int | None = None
    """Earliest start, inclusive. Traces without a start pass only where no range is given."""
    end_time_ns: int | None = None
    """Latest start, exclusive."""
    tool_name: str | None = None
    error: str | None = None
    """`any` for traces with an error of any kind, else the class of a failed call or of the run."""
    status: str | None = None
    agent_name: str | None = None
    session_id: str | None = None
    task_id: str | None = None
    terms: tuple[Term, ...] = ()
    """What else must hold."""


@dataclass(frozen=True, slots=True)
class TimeBounds:
    """First and newest start of any trace."""

    first_time_ns: int
    last_time_ns: int


@dataclass(frozen=True, slots=True)
class FilterChoices:
    """What the lists of a search form offer, most frequent first."""

    tool_names: tuple[str, ...]
    error_types: tuple[str, ...]
    agent_names: tuple[str, ...]
    statuses: tuple[str, ...]


class SpanRow(NamedTuple):
    """One span as a waterfall needs it: no long text."""

    span_id: str
    parent_span_id: str | None
    name: str
    role: str
    start_time_ns: int | None
    end_time_ns: int | None
    duration_ns: int | None
    status_code: int
    is_error: bool
    service_name: str | None
    tool_name: str | None
    model: str | None
    retry_root: int | None = None
    """The first of the calls that try the same, itself included; None for what was not tried again."""
    try_number: int | None = None
    """From 1; attempts are numbered through all calls of their root."""
    n_tries: int | None = None


@dataclass(frozen=True, slots=True)
class SpanDetail:
    """One span whole: the current version, what the dialects made of it, how many versions came."""

    span: Span
    role: SpanRole | None
    n_versions: int


def find_traces(
    database: Database, trace_filter: TraceFilter, *, limit: int, offset: int = 0
) -> list[Trace]:
    """The traces that pass the filter, newest start first (then by id); at most `limit`."""
    sql, parameters = filtered("sql/find_traces", trace_filter)
    ids = trace_filter.trace_ids
    rows = database.rows(
        sql,
        parameters | {"limit": limit, "offset": offset},
        of_trace=ids[0] if ids is not None and len(ids) == 1 else None,
    )
    return [record_of(Trace, row) for row in rows]


def get_trace(database: Database, trace_id: str) -> Trace | None:
    """One trace by its id; None when it is not in the store."""
    sql, parameters = filtered("sql/find_traces", TraceFilter(trace_ids=(trace_id,)))
    near = sql.replace("trace /* near */", "traces_near($first_hour, $last_hour) as trace")
    asked = {**parameters, "limit": 1, "offset": 0}
    rows = _first_found(database, near, asked, trace_id)
    return record_of(Trace, rows[0]) if rows else None


def trace_spans(database: Database, trace_id: str) -> list[SpanRow]:
    """The current version of every span of one trace, by start (spans without one last)."""
    sql = statement("sql/trace_spans")
    return database.tuples(SpanRow, sql, arrived(database, trace_id), of_trace=trace_id)


def trace_spans_whole(database: Database, trace_id: str, *, limit: int) -> list[Span]:
    """The current version of every span of one trace with all its text; at most `limit`, by start."""
    parameters = {"limit": limit} | arrived(database, trace_id)
    rows = database.rows(statement("sql/trace_spans_whole"), parameters, of_trace=trace_id)
    return [record_of(Span, row) for row in rows]


def get_span(database: Database, trace_id: str, span_id: str) -> SpanDetail | None:
    """One span whole; None when the trace does not hold it."""
    parameters = {"span_id": int(span_id, 16)} | arrived(database, trace_id)
    versions = database.rows(statement("sql/get_span"), parameters, of_trace=trace_id)
    if not versions:
        return None
    span = record_of(Span, versions[0])
    parameters["record_hash"] = span.record_hash
    roles = database.rows(statement("sql/get_span_role"), parameters, of_trace=trace_id)
    return SpanDetail(span, record_of(SpanRole, roles[0]) if roles else None, len(versions))


def iter_spans(
    database: Database, *, n_traces: int = 2_000, only_here: bool = False
) -> Iterator[list[Span]]:
    """Every stored version of every span, a list for each `n_traces` traces, by trace id.

    Args:
        database: The store.
        n_traces: How many traces a list.
        only_here: Without the days that were moved out of the store.
    """
    after: str | None = None
    while True:
        parameters = {"after": after, "n_traces": n_traces}
        rows = database.rows(statement("sql/spans_after"), parameters, only_here=only_here)
        spans = [record_of(Span, row) for row in rows]
        if not spans:
            return
        yield spans
        after = spans[-1].trace_id


def logs_of(database: Database, spans: Sequence[Span]) -> list[SpanLog]:
    """The log records of the traces of these spans, which are whole and sorted by trace id."""
    parameters = {"first": spans[0].trace_id, "last": spans[-1].trace_id}
    rows = database.rows(statement("sql/logs_between"), parameters)
    held = {span.trace_id for span in spans}
    return [record_of(SpanLog, row) for row in rows if row["trace_id"] in held]


def count_spans(database: Database) -> int:
    """How many span versions the store holds itself, without the days that were moved out of it."""
    row = database.row("select count(*) as n from main.span")
    return int(row["n"]) if row else 0


def trace_tool_calls(
    database: Database, trace_id: str, *, span_id: str | None = None, limit: int | None = None
) -> list[ToolCall]:
    """The logical calls of one trace, in order; of one span of it, and at most `limit`, where given."""
    parameters: dict[str, Any] = {
        "trace_id": trace_id,
        "span_id": None if span_id is None else int(span_id, 16),
        "limit": limit,
    }
    rows = database.rows(statement("sql/trace_tool_calls"), parameters)
    return [record_of(ToolCall, row) for row in rows]


def count_tool_calls(database: Database, trace_id: str) -> int:
    """How many logical calls a trace has."""
    row = database.row(statement("sql/count_tool_calls"), {"trace_id": trace_id})
    return int(row["n"]) if row else 0


def trace_noise(database: Database, trace_id: str) -> list[NoiseLog]:
    """The noise injected into one trace, by time."""
    rows = database.rows(statement("sql/trace_noise"), arrived(database, trace_id))
    return [record_of(NoiseLog, row) for row in rows]


def trace_logs(database: Database, trace_id: str) -> list[SpanLog]:
    """The log records of one trace, by time."""
    parameters = {"trace_id": trace_id}
    rows = database.rows(statement("sql/trace_logs"), parameters, of_trace=trace_id)
    return [record_of(SpanLog, row) for row in rows]


def filter_choices(database: Database) -> FilterChoices:
    """What the store holds to choose from, most frequent first."""
    chosen: dict[str, list[str]] = {"tool": [], "error": [], "agent": [], "status": []}
    for row in database.rows(statement("sql/filter_choices")):
        chosen[row["kind"]].append(row["value"])
    return FilterChoices(
        tuple(chosen["tool"]),
        tuple(chosen["error"]),
        tuple(chosen["agent"]),
        tuple(chosen["status"]),
    )


def time_bounds(database: Database) -> TimeBounds | None:
    """First and newest start in the store; None while no trace has a time."""
    row = database.row(statement("sql/time_bounds"))
    if row is None or row["first_time_ns"] is None:
        return None
    return TimeBounds(**row)


def store_version(database: Database) -> int:
    """A number that grows whenever derived rows change; a key for caches."""
    row = database.known_row(statement("sql/store_version"))
    return int(row["version"]) if row else 0


def ledger(database: Database, *, limit: int = 100) -> list[IngestFile]:
    """The newest ledger lines, newest first."""
    rows = database.rows(statement("sql/ledger"), {"limit": limit})
    return [record_of(IngestFile, row) for row in rows]


def rejects(database: Database, *, limit: int = 100) -> list[Reject]:
    """The newest refused records, newest first."""
    rows = database.rows(statement("sql/rejects"), {"limit": limit})
    return [record_of(Reject, row) for row in rows]


def filtered(name: str, trace_filter: TraceFilter) -> tuple[str, dict[str, Any]]:
    """The text of a statement with a filter in it, and the parameters of that filter."""
    sql, parameters = conditions(trace_filter.terms)
    plain = {
        field.name: getattr(trace_filter, field.name)
        for field in fields(trace_filter)
        if field.name != "terms"
    }
    ids = plain.pop("trace_ids")
    whole = plain | {"trace_ids": None if ids is None else list(ids)} | parameters
    passing = statement("sql/trace_filter").replace(_TERMS, sql)
    return statement(name).replace(_FILTER, passing), whole


def arrived(database: Database, trace_id: str) -> dict[str, Any]:
    """A trace, and between which times it arrived: large tables are read only there."""
    told = _times(database, trace_id)
    if told.get("first_ns") is None:
        told = {"first_ns": -_EVER, "last_ns": _EVER}
    return {"trace_id": trace_id, "first_ns": told["first_ns"], "last_ns": told["last_ns"]}


def happened(database: Database, trace_id: str) -> dict[str, Any]:
    """A trace, and between which times anything of it happened or arrived: derived tables are read there."""
    told = _times(database, trace_id)
    from_ns, until_ns = told.get("from_ns"), told.get("until_ns")
    return {
        "trace_id": trace_id,
        "from_ns": -_EVER if from_ns is None else from_ns,
        "until_ns": _EVER if until_ns is None else until_ns,
    }


def _times(database: Database, trace_id: str) -> Mapping[str, Any]:
    sql = statement("sql/trace_arrival")
    rows = _first_found(database, sql, {"trace_id": trace_id}, trace_id)
    return rows[0] if rows else {}


def _first_found(
    database: Database, sql: str, parameters: Mapping[str, Any], trace_id: str
) -> list[dict[str, Any]]:
    """The answer of the first place that has one: looking everywhere takes long in a large store."""
    rows: list[dict[str, Any]] = []
    for place in database.sealed_ids.places([trace_id]):
        rows = database.rows(sql, {**parameters, **place}, of_trace=trace_id)
        if rows:
            break
    return rows


def record_of(record: type[_Record], row: Mapping[str, Any]) -> _Record:
    """The row of a query as a record; JSON columns become Python values."""
    json_columns = _JSON_COLUMNS.get(record, frozenset())
    names = _NAMES.get(record) or _NAMES.setdefault(record, column_names(record))
    values = {
        name: _json_value(row[name])
        if name in json_columns and row[name] is not None
        else row[name]
        for name in names
    }
    return record(**values)


def _json_value(text: str) -> Any:
    """The value of a JSON column; bodies of logs were once kept as bare text."""
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
