"""An import that is killed: the store opens again and a second run completes it."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ingest import import_paths
from replay_store import Database
from tests.serving import variables

N_LINES, SPANS_A_LINE = 300, 100
"""Seven commits: the import is killed well before the last."""

CHILD = """
import sys
from pathlib import Path
from ingest import import_paths
from replay_store import Database
with Database.open(Path(sys.argv[2])) as database:
    import_paths([Path(sys.argv[1])], database, on_progress=lambda p: print(p.n_records, flush=True))
"""


def _write_export(path: Path) -> None:
    with path.open("w") as stream:
        for line in range(N_LINES):
            spans = [
                {
                    "traceId": f"{line + 1:032x}",
                    "spanId": f"{line * SPANS_A_LINE + index + 1:016x}",
                    "name": "step",
                    "startTimeUnixNano": str(1_796_000_000_000_000_000 + index),
                }
                for index in range(SPANS_A_LINE)
            ]
            export = {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}
            stream.write(json.dumps(export) + "\n")


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("export") / "large.jsonl"
    _write_export(path)
    return path


@pytest.mark.slow
@pytest.mark.parametrize("n_commits", [1, 3])
def test_a_killed_import_is_completed_by_a_second_run(
    tmp_path: Path, source: Path, n_commits: int
) -> None:
    store = tmp_path / "store.duckdb"
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(source), str(store)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
        env=variables(is_measured=False),
    )
    assert child.stdout is not None
    told = ""
    with child, child.stdout:
        for _ in range(n_commits + 1):
            told = child.stdout.readline()
            assert told, "the import ended before it could be killed"
        time.sleep(0.05)
        child.send_signal(signal.SIGKILL)
    assert child.returncode == -signal.SIGKILL
    with Database.open(store) as database:
        n_before = database.rows("select count(*) as n from span")[0]["n"]
        assert int(told) <= n_before < N_LINES * SPANS_A_LINE
        assert database.rows("select * from ingest_file") == []
        [line] = import_paths([source], database)
        assert (line.n_stored, line.n_merged) == (N_LINES * SPANS_A_LINE - n_before, n_before)
        [count] = database.rows("select count(*) as n, count(distinct span_id) as ids from span")
        assert count == {"n": N_LINES * SPANS_A_LINE, "ids": N_LINES * SPANS_A_LINE}
