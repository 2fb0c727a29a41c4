"""Duplicates count once, versions are kept, and what is dirty is known."""

from collections.abc import Callable
from typing import Any

from ingest.mapping import map_batch
from replay_store import Batch, Database, Writer, Written, derive
from replay_store.reader import get_span, store_version
from replay_store.records import Span


def test_the_same_spans_twice_are_stored_once(
    database: Database, make_span: Callable[..., Span]
) -> None:
    spans = [make_span(span_id=f"{n:016x}") for n in range(1, 6)]
    writer = Writer(database)
    assert writer.write(Batch(spans=spans + spans[:2])) == Written(5, 2)
    assert writer.write(Batch(spans=spans)) == Written(0, 5)
    assert database.row("select count(*) as n from span") == {"n": 5}


def test_spans_without_a_start_are_deduplicated_too(
    database: Database, make_span: Callable[..., Span]
) -> None:
    span = make_span(start_time_ns=None, end_time_ns=None)
    writer = Writer(database)
    assert writer.write(Batch(spans=[span])) == Written(1, 0)
    assert writer.write(
        Batch(spans=[span, make_span(start_time_ns=None, end_time_ns=None)])
    ) == Written(1, 1)


def test_the_same_span_id_in_another_trace_or_version_is_another_record(
    database: Database, make_span: Callable[..., Span]
) -> None:
    first = make_span(span_id="f" * 16)
    other_trace = make_span(span_id="f" * 16, trace_id="1" * 32, record_hash=first.record_hash)
    other_version = make_span(span_id="f" * 16, status_code=2)
    assert Writer(database).write(Batch(spans=[first, other_trace, other_version])) == Written(3, 0)
    assert database.row("select count(distinct trace_id) as n from dirty_trace") == {"n": 2}


def test_the_version_moves_on_when_what_pages_show_has_changed(
    database: Database, make_span: Callable[..., Span]
) -> None:
    before = store_version(database)
    Writer(database).write(Batch(spans=[make_span()]))
    assert store_version(database) == before
    derive(database)
    assert store_version(database) > before


def test_values_come_back_as_they_went_in(agent: Any) -> None:
    attributes = {"text": "中文 <b>", "list": [1, 2.5, None], "big": 2**63 - 1, "map": {"a": True}}
    written = agent.span(
        9, None, 0, 1, attributes=attributes, links=[{"trace_id": "0" * 32}], status_message="why"
    )
    agent.write()
    detail = get_span(agent.database, written.trace_id, written.span_id)
    assert detail is not None
    assert detail.span == written


def test_a_span_in_two_deliveries_of_one_commit_is_mapped_once(agent: Any) -> None:
    agent.root()
    agent.model(2, 1, 2, asks=(("call_1", "search", {"q": "x"}),), says="looking")
    deliveries = []
    for spans in (agent.spans, agent.spans, agent.spans[1:]):
        delivery = Batch(spans=[*spans, spans[-1]])
        map_batch(delivery)
        deliveries.append(delivery)
    together = Batch()
    for delivery in deliveries:
        together.add(delivery)
    writer = Writer(agent.database)
    assert writer.write(together) == Written(2, 6)
    assert writer.write(deliveries[0]) == Written(0, 3)
    counts = "select (select count(*) from span) as span, (select count(*) from span_role) as role"
    evidence = ", (select count(*) from call_evidence) as evidence"
    assert agent.database.row(counts + evidence) == {"span": 2, "role": 2, "evidence": 1}


def test_only_the_new_spans_of_a_delivery_bring_their_mapped_rows(agent: Any) -> None:
    agent.root()
    writer = Writer(agent.database)
    first = Batch(spans=list(agent.spans))
    map_batch(first)
    writer.write(first)
    agent.model(2, 1, 2, says="done")
    both = Batch(spans=list(agent.spans))
    map_batch(both)
    assert writer.write(both) == Written(1, 1)
    rows = agent.database.rows("select role from span_role order by role")
    assert [row["role"] for row in rows] == ["agent", "model"]
