"""Derived rows depend on what was received, not on how it came: in which pieces, in which order."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.mapping import map_batch
from pipeline import attributes as names
from pipeline.observation import attributes as observed
from replay_store import Batch, Database, Writer, derive, seal
from replay_store.records import NoiseLog, Span, SpanLog
from tests.replay_store.conftest import Agent
from tests.stores import memory_store

DERIVED = (
    "trace",
    "tool_call",
    "attempt",
    "decision",
    "guard_evaluation",
    "model_call",
    "call_retry",
    "observed",
)
ROLLUPS = (
    "rollup_call",
    "rollup_count",
    "rollup_time",
    "rollup_time_day",
    "rollup_tool_time",
    "rollup_tool_count",
    "rollup_seen",
    "rollup_alike",
    "rollup_share",
    "rollup_share_day",
    "rollup_crossing",
    "rollup_task",
    "task_part",
)
RECEIVED = ("span", "span_log", "noise_log")
MAPPED = ("span_role", "llm_call", "call_evidence", "guard_event", "observation", "dirty_trace")
OTHER = "1bf7651916cd43dd8448eb211c80319c"
Record = Span | SpanLog | NoiseLog
Rows = dict[str, list[dict[str, Any]]]


@dataclass(frozen=True)
class Pieces:
    """One way in which the records may come: batches, and what happens after each."""

    batches: list[list[int]]
    is_derived: list[bool]
    is_sealed: list[bool]


def _shop(agent: Agent) -> None:
    """One trace with a bit of everything that derive joins.

    Calls paired by id, by arguments and by order, tries, a run seen twice, retries, repeats, a
    block, guards, an orphan, and a root that ends later.
    """
    open_root = agent.root(until=None)
    agent.spans.append(
        replace(
            open_root, record_hash=901, end_time_ns=agent.start_ns + 60 * 10**9, record_index=901
        )
    )
    agent.model(2, 1, 2, asks=(("c1", "get", '{"a": 1}'), ("c2", "refund", "{}")))
    agent.tool(3, 3, 4, "get", call_id="c1", arguments='{"a": 1}', status_code=2)
    agent.tool(4, 3.1, 3.9, "get", parent=3, call_id="c1", arguments='{"a": 1}')
    for number in (0, 1):
        agent.tool(
            5 + number,
            3.2 + number / 10,
            3.3 + number / 10,
            "get",
            parent=3,
            attributes={names.ATTEMPT: number},
            status_code=2 - number,
        )
    agent.model(7, 5, 6, asks=(("", "get", '{"a": 1}'),), answers=(("c2", "Blocked by policy"),))
    agent.tool(8, 7, 8, "get", arguments='{"a": 1}', result="fine")
    agent.model(9, 9, 10, asks=(("", "get", '{"a": 1}'), ("", "list", "{}")))
    agent.tool(10, 11, 12, "get", arguments='{"a": 1.0}', result="fine")
    agent.tool(11, 13, None, "list")
    rule = {names.GUARD_RULE: "quota", names.GUARD_DECISION: "allow"}
    agent.span(12, 1, 3, 3.1, name="guard quota", attributes=rule)
    agent.span(13, 99, 14, 15, name="late")
    agent.model(14, 16, 17, status_code=2)
    agent.model(15, 18, 19, says="done", tokens=None)
    for number, until in ((16, 5), (16, 6), (17, 4_000)):
        seen = {
            observed.SNAPSHOT_HASH: "hash",
            observed.N_CELLS: until,
            observed.N_UNKNOWN: 1,
            observed.MEAN_CONFIDENCE: 0.9,
            observed.PARSE_MS: 0.25,
        }
        # Two versions of one, and one in a later hour.
        agent.span(number, 1, max(4, until - 100), until, name="observe", attributes=seen)


def _others(agent: Agent) -> None:
    """A second trace, so that pieces mix traces."""
    agent.root(trace_id=OTHER, status_code=2)
    agent.tool(2, 1, 2, "get", trace_id=OTHER, arguments="{}", status_code=2)
    agent.tool(3, 3, 4, "get", trace_id=OTHER, arguments='{"b": 1}', result="fine")


def _beside(agent: Agent) -> list[Record]:
    logs: list[Record] = []
    for number, trace_id in enumerate((OTHER, OTHER, "ff" * 16)):
        common = {
            "trace_id": trace_id,
            "record_hash": 950 + number,
            "time_ns": agent.start_ns + number,
            "file_id": UUID(int=2),
            "record_index": number,
            "received_time_ns": agent.start_ns + 10**9 * number,
        }
        logs.append(_filled(SpanLog, common | {"attributes": {}, "resource": {}}))
        noise = {"noise_id": f"n{number // 2}", "kind": "DROP"}
        logs.append(_filled(NoiseLog, common | noise))
    return logs


def _filled(record: type[Any], values: dict[str, Any]) -> Any:
    return record(**{field.name: values.get(field.name) for field in fields(record)})


@pytest.fixture(scope="module")
def records() -> list[Record]:
    """What was received, once; times of arrival are the records' own, whenever they are written."""
    counter = itertools.count(1)

    def make(**values: Any) -> Span:
        index = next(counter)
        start, end = values["start_time_ns"], values["end_time_ns"]
        plain: dict[str, Any] = {
            "record_hash": index,
            "otel_kind": 1,
            "duration_ns": None if end is None else end - start,
            "hour": start // 3_600_000_000_000,
            "lat_bucket": None if end is None else 0,
            "status_code": 0,
            "service_name": "shop-agent",
            "resource": {},
            "attributes": {},
            "events": [],
            "links": [],
            "n_dropped": 0,
            "file_id": UUID(int=1),
            "record_index": index,
            "received_time_ns": start + index * 10**9,
        }
        return _filled(Span, plain | values)  # type: ignore[no-any-return]

    with memory_store() as unused:
        agent = Agent(unused, make)
        _shop(agent)
        _others(agent)
        return [*agent.spans, *_beside(agent)]


@pytest.fixture(scope="module")
def store() -> Iterator[Database]:
    with memory_store() as opened:
        yield opened


@pytest.fixture(scope="module")
def expected(store: Database, records: list[Record]) -> Rows:
    return _after(store, records, Pieces([list(range(len(records)))], [True], [False]))


def _pieces(n_records: int) -> st.SearchStrategy[Pieces]:
    def cut(order: list[int], ends: list[int]) -> list[list[int]]:
        places = [0, *sorted(ends), n_records]
        return [order[a:b] for a, b in itertools.pairwise(places) if a < b]

    flags = st.lists(st.booleans(), min_size=4, max_size=4)
    ends = st.lists(st.integers(1, n_records - 1), max_size=3)
    batches = st.builds(cut, st.permutations(range(n_records)), ends)
    return st.builds(Pieces, batches, flags, flags)


def _after(store: Database, records: list[Record], pieces: Pieces) -> Rows:
    """The derived rows and the rollups after the pieces have come into an empty store."""
    with store.transaction() as cursor:
        for table in (*RECEIVED, *MAPPED, *_parts(), *ROLLUPS):
            cursor.execute(f"delete from {table}")
    for batch, is_derived, is_sealed in zip(
        pieces.batches, pieces.is_derived, pieces.is_sealed, strict=False
    ):
        _write(store, [records[index] for index in batch])
        if is_derived:
            derive(store)
        if is_sealed:
            seal(store, quiet_before_ns=2**62)
    derive(store)
    return _derived(store)


def _derived(store: Database) -> Rows:
    seal(store, quiet_before_ns=2**62)
    return {table: _rows(store, table) for table in (*DERIVED, *ROLLUPS)}


def _write(store: Database, records: list[Record]) -> None:
    batch = Batch(
        spans=[record for record in records if isinstance(record, Span)],
        span_logs=[record for record in records if isinstance(record, SpanLog)],
        noise_logs=[record for record in records if isinstance(record, NoiseLog)],
    )
    map_batch(batch)
    Writer(store).write(batch)


def _parts() -> list[str]:
    return [f"{table}_{part}" for table in DERIVED for part in ("open", "sealed")]


def _rows(store: Database, table: str) -> list[dict[str, Any]]:
    return store.rows(f"from {table} order by all")


def test_the_records_of_the_law_reach_every_step(expected: Rows) -> None:
    calls, tries = expected["tool_call"], expected["attempt"]
    assert {call["status"] for call in calls} == {"ok", "error", "blocked", "unknown"}
    assert {call["retry_kind"] for call in calls} == {None, "identical", "corrected"}
    assert {call["n_attempts"] for call in calls} == {0, 1, 2}
    assert {row["attempt_index"] for row in tries} == {0, 1}
    assert {row["evidence"] for row in expected["guard_evaluation"]} == {
        names.GUARD_DECISION,
        "result",
    }
    assert {(row["n_logs"], row["n_noise"]) for row in expected["trace"]} == {
        (0, 0),
        (2, 1),
        (1, 1),
    }
    assert max(row["longest_identical_run"] or 0 for row in expected["trace"]) > 1
    assert [row["n_tries"] for row in expected["call_retry"]] != []
    assert sum(row["n"] for row in expected["rollup_call"]) == len(calls)
    assert [row["n_cells"] for row in expected["observed"]] == [6, 4_000]


def test_what_is_derived_does_not_depend_on_how_the_records_came(
    store: Database, records: list[Record], expected: Rows
) -> None:
    # Some seconds: each example writes and derives up to four times.
    @settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(_pieces(len(records)))
    def law(pieces: Pieces) -> None:
        assert _after(store, records, pieces) == expected

    law()


def test_deriving_again_what_did_not_change_changes_nothing(
    store: Database, records: list[Record], expected: Rows
) -> None:
    whole = Pieces([list(range(len(records)))], [True], [True])
    assert _after(store, records, whole) == expected
    with store.transaction() as cursor:
        cursor.execute(
            "insert into dirty_trace select trace_id, received_time_ns, received_time_ns from span"
        )
    derive(store)
    assert _derived(store) == expected
