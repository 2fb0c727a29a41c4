"""The simulated world and the recorded store, made once for all tests of this folder."""

import time
from collections.abc import Iterator

import pytest

import sample_traces
from ingest import import_paths
from replay_store import Database, derive
from sample_traces.world import World, simulate


@pytest.fixture(scope="session")
def world() -> World:
    return simulate()


@pytest.fixture(scope="session")
def store() -> Iterator[Database]:
    """The recorded files, loaded and derived as the demo does it. Read only."""
    with Database.open() as database:
        import_paths(sample_traces.paths(), database, clock=time.time_ns)
        derive(database)
        yield database
