"""`toolsight serve --ship`: what an agent sends to the server is in the cluster."""

import json
import time
from contextlib import suppress
from pathlib import Path
from urllib.error import HTTPError

import pytest

from replay_store.cluster.client import Client, ClusterUrl
from replay_store.cluster.ship import Shipper
from replay_store.database import Database
from tests.replay_store.cluster.compared import is_equal, rows_in, state_of
from tests.replay_store.cluster.conftest import Cluster
from tests.serving import JSON, serving

NAME = "served"
PATIENCE_SECONDS = 120


def export() -> bytes:
    spans = [
        {
            "traceId": f"{number:032x}",
            "spanId": f"{number:016x}",
            "name": "execute_tool look_up",
            "startTimeUnixNano": "1796000000000000000",
            "endTimeUnixNano": "1796000000000000500",
            "attributes": [
                {"key": "gen_ai.operation.name", "value": {"stringValue": "execute_tool"}},
                {"key": "gen_ai.tool.name", "value": {"stringValue": "look_up"}},
            ],
        }
        for number in range(1, 21)
    ]
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}).encode()


def wait_for_traces(cluster: Cluster, n: int) -> None:
    """A server tells nobody that it shipped, so the cluster is asked; at first it has no tables."""
    until = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < until:
        with suppress(HTTPError):
            if int(cluster.ask(f"select count() from {NAME}.trace")) == n:
                return
        time.sleep(0.1)
    pytest.fail(f"{n} traces did not reach the cluster")


@pytest.mark.slow
def test_what_is_sent_to_a_server_reaches_the_cluster(cluster: Cluster, tmp_path: Path) -> None:
    db = tmp_path / "s.duckdb"
    url = cluster.ship_url(NAME)
    with serving(db, "--ship", url, is_measured=True) as server:
        assert server.send(export(), content_type=JSON).status == 200
        wait_for_traces(cluster, 20)

    with Database.open(db) as database:
        state = state_of(database)
        assert state.problem is None
        assert state.target == ClusterUrl.parse(url).place
        assert state.shipped_time_ns is not None
        # What the server did last, such as its intake, goes with the next start.
        Shipper(database, Client(ClusterUrl.parse(url))).ship_all()
        assert is_equal(database, rows_in(cluster, NAME))
