"""Reading a real cluster of two shards: the answers are those of the store that was shipped."""

import logging
import re
from collections.abc import Callable, Iterator
from dataclasses import asdict
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

import metrics
from dashboard.alerting import look
from dashboard.telling import tell
from metrics import data_range, default_scope, report, rollups
from metrics.buckets import DAY_NS, HOUR_NS
from replay_store.alerts import held_alerts
from replay_store.cluster.client import Client, ClusterUrl
from replay_store.cluster.engine import Engine
from replay_store.cluster.ship import Shipper
from replay_store.cluster.traces import OF_TRACES
from replay_store.database import Database
from replay_store.derive import seal
from replay_store.errors import (
    ClusterUnreachableError,
    EngineError,
    EngineReadOnlyError,
    EngineTooMuchError,
)
from replay_store.finding import find
from replay_store.kept_by_people import keep_note
from replay_store.reader import (
    TraceFilter,
    filter_choices,
    find_traces,
    get_trace,
    store_version,
    trace_spans_whole,
)
from replay_store.retention import remove_expired
from replay_store.trace_counts import count_traces, trace_counts
from tests.replay_store.cluster.conftest import Clock, Cluster
from tests.replay_store.cluster.same import is_same
from tests.replay_store.conftest import TRACE, Agent

READ = "engine_read"
LIVE = "engine_live"
DAYS = 3
MOST_OPEN = 200
"""Of the sample traces; the others are sealed, so that rollups hold something."""


def ship(database: Database, cluster: Cluster, name: str) -> None:
    client = Client(ClusterUrl.parse(cluster.ship_url(name)))
    Shipper(database, client).ship_all()
    client.close()


@pytest.fixture(scope="module")
def shipped(
    running_cluster: Cluster,
    sample_copy: Callable[[Path], Path],
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Database]:
    """The store of the sample traces' last days, all of it in the cluster."""
    for shard in (0, 1):
        running_cluster.start(shard)
    path = sample_copy(tmp_path_factory.mktemp("shipped") / "samples.duckdb")
    with Database.open(path) as database:
        held = data_range(database)
        assert held is not None
        remove_expired(database, before_ns=held.last_time_ns - DAYS * DAY_NS, now_ns=1)
        seal(database, quiet_before_ns=0, most_open=MOST_OPEN)
        ship(database, running_cluster, READ)
        yield database


@pytest.fixture
def engine(cluster: Cluster, shipped: Database) -> Iterator[Engine]:
    with Engine.connect(None, cluster.url(READ)) as opened:
        yield opened


@pytest.mark.parametrize("range_key", ["24h", "7d", "all"])
def test_a_report_says_the_same(engine: Engine, shipped: Database, range_key: str) -> None:
    scope = default_scope(range_key, data_range(shipped))
    assert default_scope(range_key, data_range(engine)) == scope
    found = report(engine, scope).to_json()
    assert is_same(found, report(shipped, scope).to_json())
    assert found["retries"]["rate"]["n"] > 0


def test_a_report_over_rollups_says_the_same(
    engine: Engine, shipped: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rollups, "LARGE", 1)
    assert shipped.row("select count(*) > 100 as is_sealed from trace_sealed") == {
        "is_sealed": True
    }
    scope = default_scope("all", data_range(shipped))
    found = report(engine, scope).to_json()
    assert found["latency"]["call"]["is_approximate"]
    assert is_same(found, report(shipped, scope).to_json())


def test_every_text_with_a_period_reads_no_more_than_it_must_and_says_the_same(
    engine: Engine, shipped: Database
) -> None:
    """Each alone, so that nothing is here that another needed."""
    held = data_range(shipped)
    assert held is not None
    end = held.last_time_ns // HOUR_NS * HOUR_NS - 12 * HOUR_NS
    start = end - 20 * HOUR_NS
    given = GIVEN | {"start_time_ns": start, "end_time_ns": end, "before_time_ns": 2 * start - end}
    given["trace_id"] = find_traces(shipped, TraceFilter(), limit=1)[0].trace_id
    texts = Path(str(files("metrics"))) / "sql"
    n_asked, n_rows = 0, 0
    for path in sorted(texts.rglob("*.sql")):
        sql = path.read_text()
        names = set(re.findall(r"\$(\w+)", re.sub(r"--.*", "", sql)))
        if not {"start_time_ns", "end_time_ns"} <= names:
            continue
        parameters = {name: given[name] for name in names}
        engine._mirror._copy.empty(OF_TRACES)
        engine._mirror._forget_traces()
        found = engine.rows(sql, parameters)
        assert is_same(found, shipped.rows(sql, parameters), path.stem)
        n_asked, n_rows = n_asked + 1, n_rows + len(found)
    assert n_asked > 35
    assert n_rows > 1_000


GIVEN: dict[str, Any] = {
    "agent_name": None,
    "tool_name": None,
    "bucket_ns": HOUR_NS,
    "q": 0.95,
    "q_low": 0.9,
    "q_high": 0.99,
    "slow_ns": 10**9,
    "limit_ms": 0.1,
    "part": None,
    "limit": 50,
    "offset": 0,
    "reading": "current",
    "figure": "unknown_share",
    "rule": "",
    "is_of_hits": False,
    "sign": "call_error",
    "error_type": None,
    "left": "verbose",
    "right": "concise",
    "contract_version": None,
    "model": None,
    "template": None,
    "day_offset_ns": 0,
    "is_success_rate": False,
    "is_whole_call": False,
    "source": "audit",
    "many_steps": 3,
}


def test_the_list_of_traces_is_the_same(engine: Engine, shipped: Database) -> None:
    held = data_range(shipped)
    assert held is not None
    end = held.last_time_ns + 1
    tool = filter_choices(shipped).tool_names[0]
    for wanted in (
        TraceFilter(start_time_ns=end - 24 * HOUR_NS, end_time_ns=end),
        TraceFilter(start_time_ns=end - 24 * HOUR_NS, end_time_ns=end, tool_name=tool, error="any"),
        TraceFilter(),
    ):
        assert find_traces(engine, wanted, limit=50, offset=3) == find_traces(
            shipped, wanted, limit=50, offset=3
        )
        assert count_traces(engine, wanted) == count_traces(shipped, wanted) > 0
        assert trace_counts(engine, wanted, {}) == trace_counts(shipped, wanted, {})
    assert filter_choices(engine) == filter_choices(shipped)


def test_the_story_of_a_trace_is_the_same_and_only_its_rows_are_read(
    engine: Engine, shipped: Database
) -> None:
    ids = [trace.trace_id for trace in find_traces(shipped, TraceFilter(error="any"), limit=3)]
    for trace_id in ids:
        assert [match.trace_id for match in find(engine, trace_id).matches] == [trace_id]
        assert trace_spans_whole(engine, trace_id, limit=100) == trace_spans_whole(
            shipped, trace_id, limit=100
        )
    assert engine._mirror._traces.n_held == len(ids)
    for trace_id in ids:
        here, there = tell(engine, trace_id), tell(shipped, trace_id)
        assert here is not None
        assert there is not None
        assert is_same(asdict(here), asdict(there))


def test_alerts_are_the_same_and_are_kept_here(engine: Engine, shipped: Database) -> None:
    thresholds = metrics.DEFAULT_THRESHOLDS
    there, here = (look(each, thresholds, lambda: 1) for each in (shipped, engine))
    assert there.told
    assert [told.incident_id for told in here.told] == [told.incident_id for told in there.told]
    assert here.evaluation.n_series == there.evaluation.n_series
    assert len(held_alerts(engine)) == len(held_alerts(shipped))


def test_what_people_write_is_refused_in_a_sentence(engine: Engine) -> None:
    [trace] = find_traces(engine, TraceFilter(), limit=1)
    with pytest.raises(EngineReadOnlyError, match="a receiver's own pages"):
        keep_note(engine, trace.trace_id, author="Wei", note="mine", state=None, clock=lambda: 1)


def test_a_question_that_needs_too_much_says_how_to_ask_for_less(
    cluster: Cluster, shipped: Database
) -> None:
    held = data_range(shipped)
    scope = default_scope("24h", held)
    with Engine.connect(None, cluster.url(READ), most_traces=5) as opened:
        assert data_range(opened) == held
        with pytest.raises(EngineTooMuchError, match="narrow the time range"):
            report(opened, scope)


def test_a_task_is_found_by_its_name_alone(engine: Engine, shipped: Database) -> None:
    [trace] = find_traces(shipped, TraceFilter(), limit=1)
    wanted = TraceFilter(task_id=trace.task_id)
    assert find_traces(engine, wanted, limit=9) == find_traces(shipped, wanted, limit=9)
    assert engine._mirror._traces.n_held == count_traces(shipped, wanted)


def test_an_id_with_sql_in_it_is_an_id(engine: Engine, cluster: Cluster) -> None:
    evil = "x') or 1=1; drop table trace_local; --"
    assert find(engine, evil).n == 0
    for text in (evil, "\\", "\\' or 1=1 --", "a\0b"):
        assert count_traces(engine, TraceFilter(task_id=text, session_id=text)) == 0
    assert int(cluster.ask(f"select count() from {READ}.trace")) == count_traces(
        engine, TraceFilter()
    )


def test_a_killed_shard_is_said_and_its_return_is_seen(
    cluster: Cluster, shipped: Database, tmp_path: Path
) -> None:
    clock = Clock()
    wanted = TraceFilter()
    n_whole = count_traces(shipped, wanted)
    with Engine.connect(tmp_path / "here.duckdb", cluster.url(READ), clock=clock) as opened:
        whole = store_version(opened)
        cluster.kill(1)
        clock.pass_by()
        n_partial = count_traces(opened, wanted)
        seen = [opened.is_partial]
        assert 0 < n_partial < n_whole
        partial = store_version(opened)
        assert partial > whole
        cluster.start(1)
        clock.pass_by()
        assert count_traces(opened, wanted) == n_whole
        assert [*seen, opened.is_partial] == [True, False]
        assert store_version(opened) > partial


def test_a_shard_that_dies_between_a_look_and_a_question_is_said_too(
    cluster: Cluster, shipped: Database
) -> None:
    with Engine.connect(None, cluster.url(READ), clock=Clock()) as opened:
        cluster.kill(1)
        assert 0 < count_traces(opened, TraceFilter()) < count_traces(shipped, TraceFilter())
        assert opened.is_partial


def test_without_any_shard_the_sentence_says_what_to_do(
    cluster: Cluster, shipped: Database
) -> None:
    with Engine.connect(None, cluster.url(READ), clock=Clock()) as opened:
        for shard in (0, 1):
            cluster.kill(shard)
        with pytest.raises(ClusterUnreachableError, match="start it, or correct the address"):
            count_traces(opened, TraceFilter())


def test_a_cluster_without_our_tables_says_so(cluster: Cluster) -> None:
    with pytest.raises(EngineError, match="toolsight serve --ship"):
        Engine.connect(None, cluster.url("nothing_here"))


def test_a_password_is_in_no_message(cluster: Cluster, caplog: pytest.LogCaptureFixture) -> None:
    url = cluster.url(READ).replace("//", "//someone:hunter2hunter2@")
    with caplog.at_level(logging.DEBUG), pytest.raises(Exception) as raised:  # noqa: PT011
        Engine.connect(None, url)
    assert "hunter2" not in str(raised.value)
    assert "hunter2" not in caplog.text


class TestWhileTracesArrive:
    """A store of its own, shipped again and again."""

    @pytest.fixture
    def clock(self) -> Clock:
        return Clock()

    @pytest.fixture
    def seen(self, cluster: Cluster, agent: Agent, clock: Clock) -> Iterator[Engine]:
        agent.root(until=None)
        agent.tool(2, 1, 2, "get_order")
        agent.write()
        ship(agent.database, cluster, LIVE)
        with Engine.connect(None, cluster.url(LIVE), clock=clock) as opened:
            yield opened
        cluster.ask(f"drop database {LIVE}", 0)
        cluster.ask(f"drop database {LIVE}", 1)

    def test_what_changes_is_seen(
        self, seen: Engine, agent: Agent, cluster: Cluster, clock: Clock
    ) -> None:
        """A late span, the sealing of its trace, and its removal."""
        before, version = get_trace(seen, TRACE), store_version(seen)
        assert before is not None
        assert before == get_trace(agent.database, TRACE)

        agent.root(until=60.0)
        agent.tool(3, 4, 5, "get_order")
        agent.write()
        ship(agent.database, cluster, LIVE)
        assert get_trace(seen, TRACE) == before, "not looked again yet"
        clock.pass_by()
        assert store_version(seen) > version
        after = get_trace(seen, TRACE)
        assert after == get_trace(agent.database, TRACE)
        assert after != before
        spans = trace_spans_whole(agent.database, TRACE, limit=9)
        assert trace_spans_whole(seen, TRACE, limit=9) == spans

        assert [seen.row(sql) for sql in HALVES] == [{"n": 2}, {"n": 0}, {"n": 0}]
        seal(agent.database, quiet_before_ns=1 << 62)
        ship(agent.database, cluster, LIVE)
        clock.pass_by()
        assert [seen.row(sql) for sql in HALVES] == [{"n": 0}, {"n": 2}, {"n": 2}]

        period = TraceFilter(start_time_ns=0, end_time_ns=1 << 62)
        assert count_traces(seen, period) == 1
        assert data_range(seen) is not None
        remove_expired(agent.database, before_ns=1 << 62, now_ns=1 << 62)
        ship(agent.database, cluster, LIVE)
        clock.pass_by()
        assert count_traces(seen, period) == 0
        assert get_trace(seen, TRACE) is None
        assert data_range(seen) is None


HALVES = (
    "select count(*) as n from tool_call_open",
    "select count(*) as n from tool_call_sealed",
    "select coalesce(sum(n), 0)::bigint as n from rollup_call",
)
