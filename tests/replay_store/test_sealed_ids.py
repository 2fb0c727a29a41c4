"""A derive finds the sealed traces that changed, however it comes to know of them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ingest.mapping import map_batch
from replay_store import Batch, Database, Writer, derive, seal, seen_ids
from replay_store.finding import find
from replay_store.records import Span
from replay_store.retention import DAY_NS
from replay_store.seen_ids import SeenIds, spread
from replay_store.tier.move import move

MakeSpan = Callable[..., Span]
HOUR_NS = 3_600_000_000_000
NOW = 1_796_000_000_000_000_000 // DAY_NS * DAY_NS
EVER = 1 << 62
COUNTS = "select hex_trace(trace_id) as id, n_spans from trace order by id"


def _write(database: Database, spans: list[Span]) -> None:
    batch = Batch(spans=spans)
    map_batch(batch)
    Writer(database).write(batch)


def _counts(database: Database) -> dict[str, int]:
    return {row["id"]: row["n_spans"] for row in database.rows(COUNTS)}


@pytest.mark.parametrize("n_a_part", [4, 1_000])
def test_late_spans_open_the_traces_they_belong_to(
    database: Database, make_span: MakeSpan, monkeypatch: pytest.MonkeyPatch, n_a_part: int
) -> None:
    """Sealed before the ids were read, while the server ran, and not at all."""
    monkeypatch.setattr(seen_ids, "_LEAST_WORDS", 1)
    monkeypatch.setattr(seen_ids, "_PART", n_a_part)
    told: dict[str, int] = {}
    number = 0
    for turn in range(8):
        if turn == 2:
            database.sealed_ids.watch_beside()
        new = [f"{turn * 10 + n + 1:032x}" for n in range(3)]
        late = [trace_id for place, trace_id in enumerate(sorted(told)) if place % 5 == turn % 5]
        spans = []
        for trace_id in (*new, *late):
            number += 1
            told[trace_id] = told.get(trace_id, 0) + 1
            start_ns = NOW + number * 1_000
            spans.append(
                make_span(
                    trace_id=trace_id,
                    span_id=f"{number:016x}",
                    start_time_ns=start_ns,
                    end_time_ns=start_ns + 1,
                    received_time_ns=start_ns + 2,
                )
            )
        _write(database, spans)
        derive(database)
        assert _counts(database) == told
        if turn % 2:
            seal(database, quiet_before_ns=EVER)
    assert _counts(database) == told


def test_a_moved_trace_that_came_back_sealed_is_opened(tmp_path: Path, make_span: MakeSpan) -> None:
    start = NOW - 40 * DAY_NS
    for is_moved_before in (True, False):
        path = tmp_path / f"{is_moved_before}.duckdb"
        with Database.open(path) as database:
            spans = [
                make_span(
                    trace_id="a" * 32,
                    span_id=f"{n + 1:016x}",
                    start_time_ns=time,
                    received_time_ns=time,
                )
                for n, time in enumerate((start, NOW, NOW + 1))
            ]
            _write(database, spans[:1])
            derive(database)
            seal(database, quiet_before_ns=EVER)
            if not is_moved_before:
                database.sealed_ids.watch_beside()
            assert move(
                database,
                tmp_path / f"days {is_moved_before}",
                before_ns=NOW - 30 * DAY_NS,
                now_ns=NOW,
            )
            database.sealed_ids.watch_beside()
            for n, span in enumerate(spans[1:], start=2):
                _write(database, [span])
                derive(database)
                seal(database, quiet_before_ns=EVER)
                assert _counts(database) == {"a" * 32: n}


def test_new_traces_are_not_looked_for_among_sealed_ones(
    database: Database, make_span: MakeSpan
) -> None:
    database.sealed_ids.watch_beside()
    _write(database, [make_span(trace_id="a" * 32)])
    derive(database)
    seal(database, quiet_before_ns=EVER)
    with database.transaction() as cursor:
        for trace_id, is_perhaps in (("a" * 32, True), ("b" * 32, False)):
            cursor.execute(
                "create or replace temp table changed as select $id::uuid as trace_id",
                {"id": trace_id},
            )
            assert database.sealed_ids.may_hold(cursor, "changed") is is_perhaps


def test_a_trace_is_looked_for_where_it_is_known_to_have_begun(
    database: Database, make_span: MakeSpan, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sealed before the ids were read and since, still open, without a start, and not there."""
    monkeypatch.setattr(seen_ids, "_LEAST_WORDS", 1)
    monkeypatch.setattr(seen_ids, "_PART", 2)
    ids = [f"{number:032x}" for number in range(1, 9)]
    asked: list[tuple[int | None, int | None]] = []
    real_rows = Database.rows

    def rows(self: Database, sql: str, given: dict[str, Any] | None = None) -> list[dict[str, Any]]:
        if given and "first_hour" in given:
            asked.append((given["first_hour"], given["last_hour"]))
        return real_rows(self, sql, given)

    monkeypatch.setattr(Database, "rows", rows)
    for number, trace_id in enumerate(ids[:7]):
        start_ns = None if number == 6 else NOW + number * HOUR_NS
        _write(
            database, [make_span(trace_id=trace_id, start_time_ns=start_ns, end_time_ns=start_ns)]
        )
        derive(database)
        if number == 2:
            assert len(database.sealed_ids.places(ids)) == 1
            database.sealed_ids.watch_beside()
        if number != 5:
            seal(database, quiet_before_ns=EVER)
    for number, trace_id in enumerate(ids[:6]):
        asked.clear()
        assert [match.trace_id for match in find(database, trace_id).matches] == [trace_id]
        [(first, last)] = asked
        assert first is not None
        assert last is not None
        if number in (3, 4):
            assert first <= NOW // HOUR_NS + number <= last < NOW // HOUR_NS + 6
    assert [match.trace_id for match in find(database, ids[6]).matches] == [ids[6]]
    assert [match.trace_id for match in find(database, " ".join(ids[:7])).matches] == ids[:7]
    assert not find(database, ids[7]).matches


def test_a_moved_trace_is_found_though_its_hour_is_not_known(
    tmp_path: Path, make_span: MakeSpan
) -> None:
    with Database.open(tmp_path / "store.duckdb") as database:
        start = NOW - 40 * DAY_NS
        for trace_id, time_ns in (("a" * 32, start), ("b" * 32, NOW)):
            span = make_span(
                trace_id=trace_id,
                start_time_ns=time_ns,
                end_time_ns=time_ns,
                received_time_ns=time_ns,
            )
            _write(database, [span])
        derive(database)
        seal(database, quiet_before_ns=EVER)
        assert move(database, tmp_path / "days", before_ns=NOW - 30 * DAY_NS, now_ns=NOW)
        database.sealed_ids.watch_beside()
        for trace_id in ("a" * 32, "b" * 32):
            assert [match.trace_id for match in find(database, trace_id).matches] == [trace_id]


def test_ids_that_lie_close_together_are_spread() -> None:
    numbers = np.arange(60_000, dtype=np.uint64)
    for ids in (
        np.column_stack([numbers, np.zeros_like(numbers)]),
        np.column_stack([np.zeros_like(numbers), numbers << np.uint64(40)]),
        np.column_stack([numbers.byteswap(), numbers.byteswap()]),
    ):
        seen = SeenIds(30_000)
        seen.add(spread(ids[:30_000]))
        assert seen.may_hold(spread(ids[:30_000])).all()
        assert seen.may_hold(spread(ids[30_000:])).mean() < 1 / 5_000
