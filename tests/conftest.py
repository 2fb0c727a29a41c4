"""Fixtures that tests of several rooms share."""

import dataclasses
import fcntl
import itertools
import os
import shutil
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

from replay_store import Database
from replay_store.records import Span
from tests.serving import ROOT, variables
from tests.stores import open_laid

if TYPE_CHECKING:
    from xdist.scheduler import LoadFileScheduling

settings.register_profile("patient", settings(), deadline=None)
settings.load_profile("patient")  # an example that takes long says something of the machine

_LOAD = """
import sys
from pathlib import Path
import sample_traces
from ingest import import_paths
from replay_store import Database, derive
with Database.open(Path(sys.argv[1])) as database:
    import_paths(sample_traces.paths(), database)
    derive(database)
"""


ONE_WORKER = "tests/sample_traces/"
SLOW_FIXTURES = frozenset({"browser", "running_cluster"})
"""Whatever asks for one of these waits for a browser, or for two database servers."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with slow tests first, so that none is left for the end; laws are not measured.

    What a hundred drawn examples reach, the first ones do, and measuring doubles their time. Browsers
    come second: all want the samples, which one worker loads while the others still have work. They
    are tried once more, as Playwright's own runner does under CI, and the summary names who was.
    """
    for item in items:
        if not SLOW_FIXTURES.isdisjoint(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.slow)
        if item.get_closest_marker("browser"):
            item.add_marker(pytest.mark.flaky(reruns=1))
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker(pytest.mark.no_cover)
    driven, slow = (
        {item.path for item in items if item.get_closest_marker(mark)}
        for mark in ("browser", "slow")
    )
    items.sort(key=lambda item: (item.path not in slow, item.path in driven))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> "LoadFileScheduling":
    """A file's tests on one worker, and all of `ONE_WORKER` together: each would simulate the world."""
    from xdist.scheduler import LoadFileScheduling

    class ByFileOrFolder(LoadFileScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            return ONE_WORKER if nodeid.startswith(ONE_WORKER) else super()._split_scope(nodeid)

    return ByFileOrFolder(config, log)


@pytest.fixture(scope="session", autouse=True)
def stores_are_laid() -> Iterator[None]:
    """A store on disk that a test begins with is a copy too; the tests of migrations make theirs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Database, "open", staticmethod(open_laid))
        yield


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real captures; its absence skips the test, but fails it under CI."""
    default = Path(__file__).parents[2] / "shared"
    folder = Path(os.environ.get("TOOLSIGHT_SHARED", default))
    if not folder.is_dir():
        reason = f"{folder}: no real captures here; set TOOLSIGHT_SHARED to their folder"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return folder


@pytest.fixture(scope="session")
def sample_copy(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], Path]:
    """Copies a store of the sample traces to a path; they are loaded once for all workers.

    In a process of its own, unmeasured: several workers wait for it, and other tests measure loading.
    """
    own = tmp_path_factory.getbasetemp()
    root = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    loaded = root / "samples.duckdb"
    with (root / "samples.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not loaded.exists():
            loading = root / "samples.loading.duckdb"
            subprocess.run(
                [sys.executable, "-P", "-c", _LOAD, str(loading)],
                check=True,
                env=variables(is_measured=False) | {"PYTHONPATH": str(ROOT)},
            )
            loading.rename(loaded)

    def copy(path: Path) -> Path:
        return Path(shutil.copy(loaded, path))

    return copy


@pytest.fixture
def make_span() -> Callable[..., Span]:
    """Makes spans: every column has a plain value, keywords say what matters."""
    counter = itertools.count(1)
    fields = {field.name for field in dataclasses.fields(Span)}

    def make(**values: Any) -> Span:
        unknown = values.keys() - fields
        assert not unknown, unknown
        index = next(counter)
        start = values.get("start_time_ns", 1_764_547_200_000_000_000)
        end = values.get("end_time_ns", None if start is None else start + 1_000_000)
        has_duration = start is not None and end is not None and end >= start
        plain: dict[str, Any] = {
            "trace_id": "0af7651916cd43dd8448eb211c80319c",
            "span_id": f"{index:016x}",
            "parent_span_id": None,
            "record_hash": index,
            "name": "span",
            "otel_kind": 1,
            "start_time_ns": start,
            "end_time_ns": end,
            "duration_ns": end - start if has_duration else None,
            "hour": None if start is None else start // 3_600_000_000_000,
            "lat_bucket": 0 if has_duration else None,
            "status_code": 0,
            "status_message": None,
            "service_name": "shop-agent",
            "scope_name": None,
            "scope_version": None,
            "resource": {},
            "attributes": {},
            "events": [],
            "links": [],
            "trace_state": None,
            "flags": None,
            "n_dropped": 0,
            "file_id": uuid.UUID(int=1),
            "record_index": index,
            "received_time_ns": 1_764_547_300_000_000_000 + index,
        }
        return Span(**(plain | values))

    return make
