"""Shipping to a current ClickHouse and reading it: one node, by chdb."""

import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path

import pytest

from dashboard.telling import tell
from metrics import data_range, default_scope, report
from replay_store.cluster.client import Client, ClusterUrl
from replay_store.cluster.engine import Engine
from replay_store.cluster.ship import Shipper
from replay_store.derive import seal
from replay_store.errors import ClusterUnreachableError
from replay_store.reader import TraceFilter, find_traces
from tests.replay_store.cluster.conftest import Clock, _free_port
from tests.replay_store.cluster.same import is_same
from tests.replay_store.conftest import TRACE, Agent

pytestmark = pytest.mark.slow
OTHER = "0af7651916cd43dd8448eb211c80319d"
_PATIENCE_SECONDS = 120.0


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a node that nobody else uses."""
    if find_spec("chdb") is None:
        pytest.skip("no chdb here (pip install chdb), which is a current ClickHouse")
    port, folder = _free_port(), tmp_path_factory.mktemp("chdb")
    program = Path(__file__).with_name("chdb_server.py")
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            [sys.executable, "-P", program, str(port), folder / "data"], stdout=log, stderr=log
        )
    try:
        _wait(f"clickhouse://127.0.0.1:{port}", server, folder / "log")
        yield f"clickhouse://127.0.0.1:{port}"
    finally:
        server.kill()
        server.wait()


def _wait(address: str, server: "subprocess.Popen[bytes]", log: Path) -> None:
    client, until = Client(ClusterUrl.parse(address)), time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < until:
        assert server.poll() is None, log.read_text()
        try:
            client.ask("select 1 format TSV")
        except ClusterUnreachableError:
            time.sleep(0.1)
        else:
            return
    raise TimeoutError(log.read_text())


def test_what_is_shipped_is_read_the_same(agent: Agent, node: str) -> None:
    for trace_id in (TRACE, OTHER):
        agent.root(trace_id=trace_id)
        agent.model(2, 1, 2, asks=(("c1", "get_order", {"id": 7}),), trace_id=trace_id)
        agent.tool(
            3, 2, 3, "get_order", call_id="c1", result='\'; drop\t\\N\n"x"', trace_id=trace_id
        )
    agent.write()
    seal(agent.database, quiet_before_ns=0, most_open=1)
    client = Client(ClusterUrl.parse(f"{node}/toolsight"))
    Shipper(agent.database, client).ship_all()
    clock = Clock()

    with Engine.connect(None, f"{node}/toolsight", clock=clock) as engine:
        scope = default_scope("all", data_range(agent.database))
        assert default_scope("all", data_range(engine)) == scope
        assert is_same(report(engine, scope).to_json(), report(agent.database, scope).to_json())
        assert find_traces(engine, TraceFilter(), limit=9) == find_traces(
            agent.database, TraceFilter(), limit=9
        )
        here, there = tell(engine, OTHER), tell(agent.database, OTHER)
        assert here is not None
        assert there is not None
        assert is_same(asdict(here), asdict(there))

        agent.tool(4, 4, 5, "get_order", trace_id=TRACE)
        agent.write()
        Shipper(agent.database, client).ship_all()
        clock.pass_by()
        assert find_traces(engine, TraceFilter(), limit=9) == find_traces(
            agent.database, TraceFilter(), limit=9
        )
    client.close()
