"""The writer thread: whole deliveries, one bad one alone, nothing taken after the close."""

import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from ingest.mapping import map_batch
from replay_store import Batch, Database, raw_ids, upkeep
from replay_store.commit import Committer, Delivery, Pace
from replay_store.derive import derive_some
from replay_store.errors import StoreFullError, StoreMemoryError, StoreWriteError
from replay_store.records import Span
from replay_store.writer import Writer, Written

MakeSpan = Callable[..., Span]
NOW = 1_796_000_000_000_000_000
MINUTE_NS = 60_000_000_000


def _delivery(spans: list[Span], **more: Any) -> Delivery:
    file_id = uuid.uuid4()
    batch = Batch(spans=[replace(span, file_id=file_id) for span in spans])
    map_batch(batch)
    plain: dict[str, Any] = {
        "door": "otlp-http",
        "source": "shop",
        "signal": "traces",
        "received_time_ns": NOW,
        "n_bytes": 10,
    }
    return Delivery(file_id=file_id, batch=batch, **(plain | more))


@contextmanager
def _committing(database: Database, **more: Any) -> Iterator[Committer]:
    committer = Committer(database, clock_ns=lambda: NOW + 7_000_000, **more)
    committer.start()
    try:
        yield committer
    finally:
        committer.close()


def test_a_first_answer_is_known_to_be_new(
    database: Database, make_span: MakeSpan, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []

    def looked_for(*arguments: object) -> list[tuple[int, int]]:
        asked.append(arguments)
        return []

    monkeypatch.setattr(raw_ids, "_looked_for", looked_for)
    answer = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "look_up",
        "gen_ai.tool.call.result": "an answer",
    }
    with _committing(database) as committer:
        committer.submit(_delivery([make_span(attributes=answer)])).result(10)
    assert not asked
    assert database.row("select count(*) as n from raw_output") == {"n": 1}


def test_deliveries_of_one_group_are_counted_apart(database: Database, make_span: MakeSpan) -> None:
    first, second, third = make_span(), make_span(), make_span()
    with _committing(database, pace=Pace(gather_seconds=0.2)) as committer:
        futures = [
            committer.submit(_delivery(spans))
            for spans in ([first, second], [second], [third, first])
        ]
        written = [future.result(10) for future in futures]

    assert sum(one.n_stored for one in written) == 3
    assert [one.n_stored + one.n_merged for one in written] == [2, 1, 2]
    rows = database.rows("select n_stored, n_merged, max_wait_ms from intake_minute")
    assert sorted((row["n_stored"], row["n_merged"]) for row in rows) == sorted(
        (one.n_stored, one.n_merged) for one in written
    )
    assert {row["max_wait_ms"] for row in rows} == {7}


def test_a_delivery_that_cannot_be_stored_fails_alone(
    database: Database, make_span: MakeSpan, caplog: pytest.LogCaptureFixture
) -> None:
    good, bad = _delivery([make_span()]), _delivery([make_span()])
    bad.batch.spans[0] = replace(bad.batch.spans[0], otel_kind=999)
    with _committing(database, pace=Pace(gather_seconds=0.2)) as committer:
        futures = [committer.submit(delivery) for delivery in (good, bad, _delivery([make_span()]))]

        assert futures[0].result(10) == futures[2].result(10) == Written(1, 0)
        with pytest.raises(StoreWriteError):
            futures[1].result(10)
        assert committer.is_alive

    assert database.rows("select count(*) as n from span") == [{"n": 2}]
    assert "could not be committed" in caplog.text


def test_a_group_waits_for_what_is_known_to_come(database: Database, make_span: MakeSpan) -> None:
    pace = Pace(gather_seconds=0, gather_most_seconds=30)
    with _committing(database, pace=pace) as committer, committer.coming():
        first = committer.submit(_delivery([make_span()]))
        time.sleep(0.1)
        assert not first.done()
        with committer.coming():
            second = committer.submit(_delivery([make_span()]))
        time.sleep(0.1)
        assert not first.done()
        assert not second.done()


def test_a_group_does_not_wait_for_what_was_given_up_or_takes_too_long(
    database: Database, make_span: MakeSpan
) -> None:
    with _committing(database, pace=Pace(gather_seconds=0, gather_most_seconds=30)) as committer:
        with committer.coming():
            first = committer.submit(_delivery([make_span()]))
        assert first.result(10) == Written(1, 0)
    pace = Pace(gather_seconds=0, gather_most_seconds=0.1)
    with _committing(database, pace=pace) as committer, committer.coming():
        assert committer.submit(_delivery([make_span()])).result(10) == Written(1, 0)


def test_without_room_nothing_is_tried_and_the_sender_is_told(
    database: Database, make_span: MakeSpan
) -> None:
    room = [False]
    with _committing(database, has_room=lambda _: room[0]) as committer:
        refused = committer.submit(_delivery([make_span()]))
        with pytest.raises(StoreFullError, match="disk is full"):
            refused.result(10)
        room[0] = True

        assert committer.submit(_delivery([make_span()])).result(10) == Written(1, 0)


def test_closing_commits_what_was_taken_and_takes_no_more(
    database: Database, make_span: MakeSpan
) -> None:
    with _committing(database, pace=Pace(gather_seconds=5)) as committer:
        futures = [committer.submit(_delivery([make_span()])) for _ in range(20)]
        committer.close()

        assert [future.result(0) for future in futures] == [Written(1, 0)] * 20
        assert not committer.is_alive
        with pytest.raises(StoreWriteError, match="closing"):
            committer.submit(_delivery([make_span()]))


def test_what_came_is_derived_soon_without_being_asked(
    database: Database, make_span: MakeSpan
) -> None:
    with _committing(database) as committer:
        committer.submit(_delivery([make_span(), make_span()])).result(10)
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            if database.rows("select n_spans from trace") == [{"n_spans": 2}]:
                break
            time.sleep(0.02)

        assert database.rows("select n_spans from trace") == [{"n_spans": 2}]
        committer.submit(_delivery([make_span(), make_span()])).result(10)
        while time.monotonic() < deadline + 10:
            if database.rows("select n_spans from trace") == [{"n_spans": 4}]:
                break
            time.sleep(0.02)

    assert database.rows("select n_spans from trace") == [{"n_spans": 4}]


def test_a_derive_that_memory_is_too_short_for_is_tried_with_fewer_traces(
    database: Database, make_span: MakeSpan, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def short(database: Database, n_traces: int) -> int:
        asked.append(n_traces)
        if n_traces > 1:
            raise StoreMemoryError("short")
        return derive_some(database, n_traces)

    monkeypatch.setattr(upkeep, "derive_some", short)
    with _committing(database, pace=Pace(derive_seconds=0)) as committer:
        for trace_id in ("a" * 32, "b" * 32):
            committer.submit(_delivery([make_span(trace_id=trace_id)])).result(10)
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            if len(database.rows("from trace")) == 2:
                break
            time.sleep(0.02)
        assert committer.is_alive

    assert database.rows("select count(*) as n from trace") == [{"n": 2}]
    assert asked[:3] == [2_000, 1_000, 500]


def test_a_commit_that_memory_is_too_short_for_is_refused_and_the_next_is_taken(
    database: Database, make_span: MakeSpan, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = Writer.write_accounted

    def short(writer: Writer, batch: Batch, account: Any) -> Written:
        if batch.n_records > 1:
            raise StoreMemoryError("short")
        return write(writer, batch, account)

    monkeypatch.setattr(Writer, "write_accounted", short)
    with _committing(database) as committer:
        with pytest.raises(StoreWriteError, match="nothing was kept"):
            committer.submit(_delivery([make_span(), make_span()])).result(10)
        assert committer.submit(_delivery([make_span()])).result(10) == Written(1, 0)


def test_a_backlog_is_derived_without_waiting_for_the_next_time(
    database: Database, make_span: MakeSpan
) -> None:
    n_traces = 2_500
    spans = [make_span(trace_id=f"{number:032x}") for number in range(1, n_traces + 1)]
    with _committing(database, pace=Pace(derive_seconds=60)) as committer:
        committer.submit(_delivery(spans)).result(30)
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            if database.rows("select count(*) as n from trace") == [{"n": n_traces}]:
                break
            time.sleep(0.05)

    assert database.rows("select count(*) as n from trace") == [{"n": n_traces}]


def test_finished_minutes_are_folded_and_sum_to_the_same(
    database: Database, make_span: MakeSpan
) -> None:
    old = NOW - 10 * MINUTE_NS
    with _committing(database, pace=Pace(gather_seconds=0, seal_seconds=0.05)) as committer:
        for _ in range(3):
            committer.submit(_delivery([make_span()], received_time_ns=old)).result(10)
        committer.submit(_delivery([make_span()])).result(10)
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            rows = database.rows("select n_requests, n_stored from intake_minute order by minute")
            if len(rows) == 2:
                break
            time.sleep(0.02)

    assert database.rows("select n_requests, n_stored from intake_minute order by minute") == [
        {"n_requests": 3, "n_stored": 3},
        {"n_requests": 1, "n_stored": 1},
    ]
