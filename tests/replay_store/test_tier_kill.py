"""A move that is killed at any moment leaves every row in one place, and the next one goes on."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from replay_store import Database, seal
from replay_store.tier.move import move
from tests.serving import ROOT, variables

NOW = 1_797_000_000_000_000_000
EVER = 1 << 62
KILLED_AFTER = (1, 12, 23, 30, 47)
"""Files, of which a part has about twenty: in the middle of one, and near its commit."""
TABLES = ("span", "trace", "tool_call", "decision", "fact", "raw_output", "noise_log")
_MOVE = """
import sys
from pathlib import Path
from replay_store import Database
from replay_store.tier.move import move
with Database.open(Path(sys.argv[1])) as database:
    move(database, Path(sys.argv[2]), before_ns=1 << 62, now_ns=1)
"""


def content(database: Database) -> list[object]:
    sql = "select count(*) as n, bit_xor(hash(held)) as h from {0} as held"
    return [database.rows(sql.format(table)) for table in TABLES]


@pytest.mark.slow
def test_a_kill_at_any_moment_leaves_each_row_in_one_place(
    sample_copy: Callable[[Path], Path], tmp_path: Path
) -> None:
    path, folder = sample_copy(tmp_path / "store.duckdb"), tmp_path / "old"
    with Database.open(path) as database:
        seal(database, quiet_before_ns=EVER)
        before = content(database)

    for n_files in KILLED_AFTER:
        _killed_after(path, folder, n_files)
        with Database.open(path) as database:
            assert content(database) == before

    with Database.open(path) as database:
        move(database, folder, before_ns=EVER, now_ns=NOW)
        assert content(database) == before
        assert database.rows("select count(*) as n from main.trace") == [{"n": 0}]
        known = {row["path"] for row in database.rows("select path from main.tier_file")}
    assert set(map(str, files(folder))) == known


def files(folder: Path) -> list[Path]:
    """All files; folders may come and go meanwhile."""
    return [Path(where, name) for where, _, names in os.walk(folder) for name in names]


def _killed_after(path: Path, folder: Path, n_files: int) -> None:
    """Move in another process, and kill it once so many more files are there."""
    wanted = len(files(folder)) + n_files
    process = subprocess.Popen(
        [sys.executable, "-P", "-c", _MOVE, str(path), str(folder)],
        env=variables(is_measured=False) | {"PYTHONPATH": str(ROOT)},
    )
    while process.poll() is None and len(files(folder)) < wanted:
        pass
    process.kill()
    process.wait()
