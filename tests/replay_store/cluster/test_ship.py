"""Shipping to a real cluster of two shards: what is there afterwards is what the store holds."""

from collections.abc import Callable, Iterator
from pathlib import Path
from uuid import UUID

import pytest

from ingest.mapping import map_batch
from replay_store.cluster.client import Client, ClusterUrl
from replay_store.cluster.ship import Pace, Shipper
from replay_store.cluster.ship_state import start_over
from replay_store.database import Database
from replay_store.derive import derive
from replay_store.errors import ClusterError
from replay_store.retention import remove_expired
from replay_store.writer import Batch, Writer
from tests.replay_store.cluster.compared import is_equal, rows_in, state_of
from tests.replay_store.cluster.conftest import Cluster
from tests.replay_store.conftest import TRACE, Agent

SHARED = "shared_by_tests"
HOSTILE = {"id": 7, "名": "\x00\u2028\\ \"'\t\n} 😀 \\N", "nan": None}
OTHER = "0af7651916cd43dd8448eb211c80319d"


def count(cluster: Cluster, receiver: UUID, table: str, where: str = "1 = 1") -> int:
    sql = f"select count() from {SHARED}.{table} where receiver = '{receiver}' and {where}"
    return int(cluster.ask(sql))


@pytest.fixture
def client(cluster: Cluster) -> Iterator[Client]:
    client = Client(ClusterUrl.parse(cluster.ship_url(SHARED)))
    yield client
    client.close()


@pytest.fixture
def ship(database: Database, client: Client) -> Callable[[], None]:
    return Shipper(database, client).ship_all


def call_a_tool(agent: Agent, trace_id: str = TRACE) -> None:
    agent.root(trace_id=trace_id)
    agent.model(2, 1, 2, asks=(("c1", "get_order", HOSTILE),), trace_id=trace_id)
    agent.tool(3, 3, 4, "get_order", call_id="c1", result="{}", trace_id=trace_id)
    agent.write()


@pytest.mark.slow
def test_the_sample_world_is_in_the_cluster_as_in_the_store(
    cluster: Cluster, sample_copy: Callable[[Path], Path], tmp_path: Path
) -> None:
    with Database.open(sample_copy(tmp_path / "s.duckdb")) as database:
        client = Client(ClusterUrl.parse(cluster.ship_url("sample_world")))

        Shipper(database, client, pace=Pace(units=600)).ship_all()

        assert is_equal(database, rows_in(cluster, "sample_world"))
        assert state_of(database).n_waiting == 0
        per_shard = [
            int(cluster.ask("select count() from sample_world.trace_local", shard))
            for shard in (0, 1)
        ]
        assert min(per_shard) > 0


def test_a_span_that_comes_late_changes_its_trace_in_the_cluster(
    agent: Agent, cluster: Cluster, ship: Callable[[], None]
) -> None:
    agent.root(until=None)
    agent.tool(3, 3, None, "get_order", call_id="c1")
    agent.write()
    ship()
    receiver = state_of(agent.database).receiver
    assert count(cluster, receiver, "trace", "is_finished = 0") == 1

    agent.root()
    agent.tool(3, 3, 4, "get_order", call_id="c1", result="{}")
    agent.write()
    ship()

    assert count(cluster, receiver, "trace", "is_finished = 1") == 1
    assert count(cluster, receiver, "trace") == 1
    assert is_equal(agent.database, rows_in(cluster, SHARED))


def test_rows_that_vanish_from_the_store_vanish_from_the_cluster(
    agent: Agent, cluster: Cluster, ship: Callable[[], None]
) -> None:
    root = agent.root()
    agent.tool(3, 3, 4, "get_order", call_id="c1", result="{}")
    agent.write()
    ship()
    receiver = state_of(agent.database).receiver
    assert count(cluster, receiver, "tool_call") == 1

    # As a mapper would that knows no call in the second span any more.
    mapped = Batch(spans=[root])
    map_batch(mapped)
    Writer(agent.database).replace_mapped(Batch(span_roles=mapped.span_roles))
    derive(agent.database)
    ship()

    assert count(cluster, receiver, "call_evidence") == 0
    assert count(cluster, receiver, "tool_call") == 0
    assert count(cluster, receiver, "span") == 2
    assert is_equal(agent.database, rows_in(cluster, SHARED))


def test_a_trace_that_retention_removed_leaves_the_cluster(
    agent: Agent, cluster: Cluster, ship: Callable[[], None]
) -> None:
    call_a_tool(agent)
    ship()
    receiver = state_of(agent.database).receiver

    remove_expired(agent.database, before_ns=2**62, now_ns=2**62)
    ship()

    assert count(cluster, receiver, "span") == 0
    assert count(cluster, receiver, "removed_trace") == 1
    assert is_equal(agent.database, rows_in(cluster, SHARED))


def test_a_trace_that_was_not_shipped_is_not_removed(
    agent: Agent, cluster: Cluster, ship: Callable[[], None]
) -> None:
    ship()
    call_a_tool(agent)

    assert remove_expired(agent.database, before_ns=2**62, now_ns=2**62) == {}

    ship()
    assert remove_expired(agent.database, before_ns=2**62, now_ns=2**62)["trace"] == 1


def test_shipping_all_of_it_again_counts_once(
    agent: Agent, cluster: Cluster, ship: Callable[[], None]
) -> None:
    call_a_tool(agent)
    ship()

    start_over(agent.database, state_of(agent.database).target)
    ship()

    receiver = state_of(agent.database).receiver
    assert count(cluster, receiver, "span_shipped") == 6, "nothing was sent twice"
    assert is_equal(agent.database, rows_in(cluster, SHARED))


class LostAnswers(Client):
    """A cluster that takes what it is given, and whose answers are lost from time to time."""

    def __init__(self, url: ClusterUrl) -> None:
        super().__init__(url)
        self.n_inserts = 0

    def insert(self, relation: str, lines: bytes) -> None:
        super().insert(relation, lines)
        self.n_inserts += 1
        if self.n_inserts in {1, 4, 12, 30}:
            raise ClusterError("no answer")


def test_what_is_sent_again_because_its_answer_was_lost_counts_once(
    agent: Agent, cluster: Cluster, ship: Callable[[], None]
) -> None:
    ship()
    call_a_tool(agent)
    call_a_tool(agent, OTHER)
    client = LostAnswers(ClusterUrl.parse(cluster.ship_url(SHARED)))
    shipper = Shipper(agent.database, client)
    n_lost = 0
    while state_of(agent.database).n_waiting:
        try:
            shipper.ship_all()
        except ClusterError:
            n_lost += 1
    ship()

    assert n_lost > 1
    assert is_equal(agent.database, rows_in(cluster, SHARED))


def test_while_a_shard_is_down_what_it_misses_waits(
    agent: Agent, cluster: Cluster, ship: Callable[[], None]
) -> None:
    call_a_tool(agent)
    ship()
    cluster.kill(1)
    for number in range(8):
        call_a_tool(agent, f"{number + 1:032x}")
    with pytest.raises(ClusterError):
        ship()
    assert state_of(agent.database).n_waiting == 8

    cluster.start(1)
    ship()

    assert state_of(agent.database).n_waiting == 0
    assert is_equal(agent.database, rows_in(cluster, SHARED))


def test_a_cluster_that_lacks_tables_or_columns_gets_them_and_their_rows(
    agent: Agent, cluster: Cluster
) -> None:
    call_a_tool(agent)
    client = Client(ClusterUrl.parse(cluster.ship_url("lacking")))
    Shipper(agent.database, client).ship_all()
    cluster.ask("drop database lacking", 1)

    Shipper(agent.database, client).ship_all()

    assert is_equal(agent.database, rows_in(cluster, "lacking"))

    for shard in (0, 1):  # as a version made them that did not know the column yet
        for relation in ("tool_call", "tool_call_present", "tool_call_shipped"):
            cluster.ask(f"drop table lacking.{relation}", shard)
        cluster.ask("alter table lacking.tool_call_local drop column error_source", shard)

    Shipper(agent.database, client).ship_all()

    assert is_equal(agent.database, rows_in(cluster, "lacking"))


def test_what_people_note_is_shipped_and_what_they_take_back_goes(
    agent: Agent, cluster: Cluster, ship: Callable[[], None]
) -> None:
    call_a_tool(agent)
    columns = "trace_id, state, author, note, time_ns"
    with agent.database.transaction() as cursor:
        cursor.execute(f"insert into trace_note ({columns}) values ('{TRACE}', null, 'a', 'x', 1)")
    ship()
    receiver = state_of(agent.database).receiver
    assert count(cluster, receiver, "trace_note") == 1

    with agent.database.transaction() as cursor:
        cursor.execute("delete from trace_note")
    ship()

    assert count(cluster, receiver, "trace_note") == 0
