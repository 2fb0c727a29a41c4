"""The simulated world, run once for all tests of this folder."""

import pytest

from sample_traces.world import World, simulate


@pytest.fixture(scope="session")
def world() -> World:
    return simulate()
