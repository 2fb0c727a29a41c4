"""Whatever changes in the store, and wherever shipping is cut off: in the end the cluster holds the store."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ingest.mapping import map_batch
from replay_store.cluster.ship import Pace, Shipper
from replay_store.database import Database
from replay_store.derive import derive, derive_some, seal
from replay_store.errors import ClusterError
from replay_store.records import Span
from replay_store.retention import remove_expired
from replay_store.writer import Batch, Writer
from tests.replay_store.cluster.compared import is_equal, state_of
from tests.replay_store.cluster.fake_cluster import FakeCluster
from tests.replay_store.conftest import Agent
from tests.stores import memory_store

TRACES = [f"{number:032x}" for number in (1, 2, 3)]
ALL = 2**62


class World:
    """A store that changes, and a cluster that it is shipped to."""

    def __init__(self, database: Database, make_span: Callable[..., Span]) -> None:
        self.database = database
        self.agent = Agent(database, make_span)
        self.cluster = FakeCluster(database)
        self.known: dict[str, list[Span]] = {}
        self.n_calls = Counter[str]()

    def call(self, trace_id: str) -> None:
        """One more call of a tool in a trace, and its root once more."""
        self.n_calls[trace_id] += 1
        number = self.n_calls[trace_id]
        self.agent.root(trace_id=trace_id, until=60.0 + number)
        self.agent.model(
            10 * number,
            number,
            number + 0.2,
            asks=((f"c{number}", "get_order", {"id": number}),),
            trace_id=trace_id,
        )
        self.agent.tool(
            10 * number + 1, number + 0.3, number + 0.4, "get_order", call_id=f"c{number}",
            result='{"state": "paid"}', trace_id=trace_id,
        )  # fmt: skip
        self.known.setdefault(trace_id, []).extend(self.agent.spans)
        batch = Batch(spans=self.agent.spans)
        map_batch(batch)
        self.agent.spans = []
        Writer(self.database).write(batch)

    def derive(self, _: str) -> None:
        derive_some(self.database, 10)

    def seal(self, _: str) -> None:
        seal(self.database, quiet_before_ns=ALL)

    def read_anew(self, trace_id: str) -> None:
        """A mapper that knows only the newest half of a trace's spans any more."""
        spans = self.known.get(trace_id, [])
        if spans:
            mapped = Batch(spans=spans[len(spans) // 2 :])
            map_batch(mapped)
            mapped.spans = []
            Writer(self.database).replace_mapped(mapped)

    def remove(self, _: str) -> None:
        derive(self.database)
        remove_expired(self.database, before_ns=ALL, now_ns=ALL)
        self.known.clear()

    def note(self, trace_id: str) -> None:
        with self.database.transaction() as cursor:
            cursor.execute(
                "insert into trace_note (trace_id, state, author, note, time_ns) "
                f"values ('{trace_id}', null, 'a', 'x', 1)"
            )

    def take_back(self, _: str) -> None:
        with self.database.transaction() as cursor:
            cursor.execute("delete from trace_note")

    def ship(
        self,
        fail_at: int | None = None,
        *,
        is_taken: bool = False,
        meanwhile: tuple[str, str] | None = None,
    ) -> None:
        """As a server that has just been started, cut off at one insert; traces come meanwhile."""
        self.cluster.fail_at, self.cluster.is_taken = fail_at, is_taken
        self.cluster.meanwhile = partial(self.change, *meanwhile) if meanwhile else None
        try:
            Shipper(self.database, self.cluster, pace=Pace(units=2)).ship_all()
        except ClusterError:
            assert fail_at is not None

    def change(self, name: str, trace_id: str) -> None:
        getattr(self, name)(trace_id)
        derive(self.database)

    def check_whole(self) -> None:
        """A trace is seen with all its calls, or as it was before."""
        calls = Counter(row["trace_id"] for row in self.cluster.rows_of("tool_call"))
        for row in self.cluster.rows_of("trace"):
            assert calls[row["trace_id"]] == (row["n_tool_calls"] or 0)
        assert len({row["trace_id"] for row in self.cluster.rows_of("trace")}) == len(
            self.cluster.rows_of("trace")
        )


changes = st.tuples(
    st.sampled_from(
        ["call", "call", "derive", "derive", "seal", "read_anew", "remove", "note", "take_back"]
    ),
    st.sampled_from(TRACES),
)
SHIP = ("ship", None, False, None)
CALL, DERIVE = ("call", TRACES[0]), ("derive", TRACES[0])
ships = st.tuples(
    st.just("ship"), st.none() | st.integers(0, 40), st.booleans(), st.none() | changes
)


@pytest.mark.slow
@settings(
    max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@example(steps=[CALL, DERIVE, SHIP, ("read_anew", TRACES[0])])
@example(steps=[CALL, DERIVE, SHIP, ("remove", TRACES[0]), CALL, DERIVE])
@example(steps=[CALL, DERIVE, SHIP, ("seal", TRACES[0]), SHIP, CALL, DERIVE])
@example(steps=[CALL, DERIVE, ("ship", None, False, ("read_anew", TRACES[0]))])
@example(steps=[CALL, DERIVE, ("ship", None, False, ("remove", TRACES[0]))])
@example(steps=[CALL, DERIVE, ("ship", 30, True, CALL), SHIP])
@example(steps=[CALL, DERIVE, SHIP, ("read_anew", TRACES[0]), ("remove", TRACES[0]), CALL])
@example(
    steps=[
        *[("note", TRACES[0]), SHIP, ("take_back", TRACES[0])],
        ("ship", 0, True, None),
        ("note", TRACES[0]),
    ]
)
@example(steps=[("note", TRACES[0]), SHIP, ("take_back", TRACES[0])])
@given(steps=st.lists(st.one_of(changes, ships), min_size=3, max_size=12))
def test_whatever_happens_the_cluster_holds_the_store_in_the_end(
    make_span: Callable[..., Span], steps: list[tuple[Any, ...]]
) -> None:
    with memory_store() as database:
        world = World(database, make_span)
        for step in steps:
            if step[0] == "ship":
                world.ship(step[1], is_taken=step[2], meanwhile=step[3])
                world.check_whole()
            else:
                getattr(world, step[0])(step[1])
        derive(database)
        world.ship()

        assert state_of(database).n_waiting == 0
        assert is_equal(database, world.cluster.rows_of)
        world.check_whole()
