"""The thread that ships: when it tries, what it does about failures, what it says of itself."""

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from replay_store.cluster.ship import Pace, Shipper
from replay_store.cluster.ship_state import claim_version, register, ship_state, stop_shipping
from replay_store.cluster.spool import CHUNK, Spool
from replay_store.database import Database
from replay_store.derive import seal
from replay_store.errors import ClusterUnreachableError
from replay_store.retention import remove_expired
from replay_store.tier.move import move
from tests.replay_store.cluster.compared import is_equal, state_of
from tests.replay_store.cluster.fake_cluster import FakeCluster
from tests.replay_store.conftest import Agent

PATIENCE_SECONDS = 60
QUICK = Pace(every_seconds=0.01, first_pause_seconds=0.001, longest_pause_seconds=0.01)


class Watched(FakeCluster):
    """Fails so many times, then takes everything; says when it has taken the heads of something."""

    def __init__(self, database: Database, n_failures: int = 0, *, is_empty: bool = False) -> None:
        super().__init__(database, is_empty=is_empty)
        self.n_failures = n_failures
        self.has_taken = threading.Event()
        self.has_failed = threading.Event()

    def insert(self, relation: str, lines: bytes) -> None:
        if self.n_failures:
            self.n_failures -= 1
            self.has_failed.set()
            raise ClusterUnreachableError("cluster: h:1: no answer")
        super().insert(relation, lines)
        if relation == "ship_head_local":
            self.has_taken.set()


@contextmanager
def shipping(database: Database, cluster: FakeCluster, pace: Pace = QUICK) -> Iterator[Shipper]:
    shipper = Shipper(database, cluster, pace=pace, jitter=lambda: 1.0)
    shipper.start()
    try:
        yield shipper
    finally:
        shipper.close()
        shipper.close()


def call_a_tool(agent: Agent) -> None:
    agent.root()
    agent.tool(3, 3, 4, "get_order", call_id="c1", result="{}")
    agent.write()


def test_a_store_that_ships_nowhere_keeps_nothing_for_it(agent: Agent) -> None:
    call_a_tool(agent)

    assert ship_state(agent.database) is None
    assert agent.database.rows("from ship_outbox") == []


def test_what_the_store_held_before_is_shipped_from_its_beginning(agent: Agent) -> None:
    call_a_tool(agent)
    cluster = Watched(agent.database, is_empty=True)

    Shipper(agent.database, cluster).ship_all()

    assert any(sql.startswith("create table") for sql in cluster.asked)
    assert is_equal(agent.database, cluster.rows_of)


def test_days_that_were_moved_out_of_the_store_are_shipped_too(
    agent: Agent, tmp_path: Path
) -> None:
    call_a_tool(agent)
    seal(agent.database, quiet_before_ns=2**62)
    assert move(agent.database, tmp_path, before_ns=2**62, now_ns=2**62)
    assert agent.database.row("select count(*) as n from main.span") == {"n": 0}
    cluster = FakeCluster(agent.database)

    Shipper(agent.database, cluster).ship_all()

    assert len(cluster.rows_of("span")) == 2
    assert is_equal(agent.database, cluster.rows_of)


def test_it_ships_beside_the_writer_and_is_tried_again_until_it_is_there(
    agent: Agent, caplog: pytest.LogCaptureFixture
) -> None:
    cluster = Watched(agent.database, n_failures=3)
    with caplog.at_level(logging.WARNING), shipping(agent.database, cluster):
        call_a_tool(agent)
        assert cluster.has_taken.wait(PATIENCE_SECONDS)
    Shipper(agent.database, cluster).ship_all()

    assert is_equal(agent.database, cluster.rows_of)
    told = [record.getMessage() for record in caplog.records]
    assert len([text for text in told if "no answer" in text]) == 1, "said once, not at every try"


def test_why_nothing_can_be_shipped_is_kept_until_it_can(agent: Agent) -> None:
    cluster = Watched(agent.database, n_failures=1)
    slow = Pace(every_seconds=0.01, first_pause_seconds=3600, longest_pause_seconds=3600)
    call_a_tool(agent)
    with shipping(agent.database, cluster, slow):
        assert cluster.has_failed.wait(PATIENCE_SECONDS)
    state = state_of(agent.database)
    assert state.problem == "cluster: h:1: no answer"
    assert state.n_waiting == 1
    assert state.oldest_waiting_ns is not None

    Shipper(agent.database, cluster).ship_all()
    assert state_of(agent.database).problem is None
    assert state_of(agent.database).shipped_time_ns is not None


def test_another_place_gets_everything(agent: Agent) -> None:
    call_a_tool(agent)
    Shipper(agent.database, FakeCluster(agent.database)).ship_all()
    before = state_of(agent.database)

    moved = register(agent.database, "clickhouse://other:8123/toolsight")

    assert before.n_waiting == 0
    assert moved.n_waiting == 1
    assert moved.receiver == before.receiver
    assert moved.last_version == before.last_version


def test_a_store_that_is_to_ship_no_more_lets_nothing_wait(agent: Agent) -> None:
    cluster = FakeCluster(agent.database)
    call_a_tool(agent)
    Shipper(agent.database, cluster).ship_all()
    receiver = state_of(agent.database).receiver

    stop_shipping(agent.database)
    agent.root(until=70.0)
    agent.write()

    assert ship_state(agent.database) is None
    assert agent.database.rows("from ship_outbox") == []
    assert remove_expired(agent.database, before_ns=2**62, now_ns=2**62)["trace"] == 1
    assert agent.database.rows("from ship_outbox") == []
    # Named again it is the same store, and all that it holds is shipped.
    call_a_tool(agent)
    Shipper(agent.database, cluster).ship_all()
    assert state_of(agent.database).receiver == receiver
    assert len([row for row in cluster.rows_of("trace") if row["n_tool_calls"]]) == 1


def test_a_version_is_never_given_twice_even_when_the_clock_is_set_back(database: Database) -> None:
    state = register(database, "clickhouse://h:8123/db")

    times = [5_000_000, 1_000_000, 5_000_000, 9_000_000]
    versions = [claim_version(database, state.receiver, now_ns=now) for now in times]

    assert versions == [5_000, 5_001, 5_002, 9_000]


def test_lines_are_cut_into_inserts_and_kept_in_order() -> None:
    line = "x" * (CHUNK // 3)
    with Spool() as spool:
        spool.add("a", [line] * 7)
        spool.add("b", [])
        spool.add("c", ["last"])
        chunks = list(spool.chunks())

        assert [(table, body.count(b"\n")) for table, body in chunks] == [
            ("a", 3),
            ("a", 3),
            ("a", 1),
            ("c", 1),
        ]
        assert list(spool.chunks()) == chunks
        assert spool.n_rows == 8
