"""A process that writes and ships is killed at any moment, many times: nothing is lost or counted twice."""

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from ingest import import_paths
from replay_store.cluster.client import Client, ClusterUrl
from replay_store.cluster.ship import Shipper
from replay_store.database import Database
from replay_store.derive import derive
from tests.replay_store.cluster.compared import is_equal, rows_in, state_of
from tests.replay_store.cluster.conftest import Cluster
from tests.serving import ROOT, variables

KILLS = 8
N_FILES, N_TRACES = 5, 9
T0 = 1_796_000_000_000_000_000
DATABASE = "killed"

_WRITE_AND_SHIP = """
import sys
from pathlib import Path
from ingest import import_paths
from replay_store import Database, derive
from replay_store.cluster.client import Client, ClusterUrl
from replay_store.cluster.ship import Pace, Shipper

class Told(Client):
    def insert(self, relation, lines):
        print("before", relation, flush=True)
        super().insert(relation, lines)
        print("after", relation, flush=True)

db, url, *files = sys.argv[1:]
with Database.open(Path(db)) as database:
    shipper = Shipper(database, Told(ClusterUrl.parse(url)), pace=Pace(units=3))
    for file in files:
        import_paths([Path(file)], database)
        derive(database)
        print("derived", flush=True)
        shipper.ship_all()
print("whole", flush=True)
"""


def files_of_calls(folder: Path) -> list[str]:
    """Files of OTLP: each holds one call more of the same traces, so that all change with each."""
    paths = [folder / f"{number}.jsonl" for number in range(N_FILES)]
    for number, path in enumerate(paths):
        spans = [
            {
                "traceId": f"{trace + 1:032x}",
                "spanId": f"{trace * N_FILES + number + 1:016x}",
                "name": "execute_tool look_up",
                "startTimeUnixNano": str(T0 + number * 1_000_000),
                "endTimeUnixNano": str(T0 + number * 1_000_000 + 500),
                "attributes": [
                    {"key": "gen_ai.operation.name", "value": {"stringValue": "execute_tool"}},
                    {"key": "gen_ai.tool.name", "value": {"stringValue": "look_up"}},
                ],
            }
            for trace in range(N_TRACES)
        ]
        path.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}) + "\n")
    return list(map(str, paths))


@pytest.mark.slow
def test_a_process_that_is_killed_at_any_moment_loses_and_doubles_nothing(
    cluster: Cluster, tmp_path: Path
) -> None:
    db, draw = tmp_path / "s.duckdb", random.Random(5)  # noqa: S311
    url = cluster.ship_url(DATABASE)
    files = files_of_calls(tmp_path)
    command = [sys.executable, "-P", "-c", _WRITE_AND_SHIP, str(db), url, *files]
    n_killed = 0
    for _ in range(KILLS):
        with subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            text=True,
            env=variables(is_measured=False) | {"PYTHONPATH": str(ROOT)},
        ) as process:
            assert process.stdout is not None
            # Killed after so many of its lines: before, between and after inserts.
            for _, line in zip(range(draw.randint(1, 60)), process.stdout, strict=False):
                if line == "whole\n":
                    break
            else:
                process.kill()
                n_killed += 1

    with Database.open(db) as database:
        import_paths([Path(file) for file in files], database)
        derive(database)
        Shipper(database, Client(ClusterUrl.parse(url))).ship_all()

        assert n_killed > KILLS // 2
        assert state_of(database).n_waiting == 0
        assert database.row("select count(*) as n from tool_call") == {"n": N_FILES * N_TRACES}
        assert is_equal(database, rows_in(cluster, DATABASE))
