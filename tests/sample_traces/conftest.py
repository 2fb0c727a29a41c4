"""The simulated world and the recorded store, made once for all tests of this folder."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from replay_store import Database
from sample_traces.world import World, simulate
from tests.measuring import unmeasured


@pytest.fixture(scope="session")
def world() -> World:
    """Unmeasured: its last two days, which other tests simulate, take the same ways as all sixteen."""
    with unmeasured():
        return simulate()


@pytest.fixture(scope="session")
def store(
    sample_copy: Callable[[Path], Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Database]:
    """The recorded files, loaded and derived as the demo does it. Read only."""
    path = sample_copy(tmp_path_factory.mktemp("samples") / "samples.duckdb")
    with Database.open(path) as database:
        yield database
