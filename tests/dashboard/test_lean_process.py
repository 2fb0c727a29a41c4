"""What a command leaves out of its process, and looks after less often."""

import gc
import os
import subprocess
import sys

from dashboard.collection import collected_seldom

_ALONE = """
import sys
from dashboard.cli.without_pandas import leave_pandas_out
leave_pandas_out()
import duckdb, pyarrow as pa
table = pa.table({"a": [1, None], "b": ["x", "y"]})
assert "pandas" not in sys.modules
assert duckdb.connect().register("t", table).execute("select max(a) from t").fetchall() == [(1,)]
assert "pandas" not in sys.modules
frame = table.to_pandas()
assert pa.Table.from_pandas(frame).num_rows == len(frame) == 2
assert pa.array(frame["b"]).to_pylist() == ["x", "y"]
leave_pandas_out()
assert sys.modules["pandas"] is not None
"""


def test_arrays_are_built_without_pandas_and_frames_with_it() -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", _ALONE], check=True, env=environment)


def test_collection_is_as_it_was_after_the_block() -> None:
    before = gc.get_threshold()
    with collected_seldom():
        assert gc.get_threshold()[0] > before[0]
        assert gc.get_freeze_count() > 0
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0
