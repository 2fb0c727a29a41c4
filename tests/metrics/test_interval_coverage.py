"""A nominal 95 % covers what it says on draws like those of an audit."""

import pytest

from tests.bench.interval_coverage import LEAST, Cell, cells

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def found() -> list[Cell]:
    return list(cells())


def test_the_default_interval_covers_in_every_cell(found: list[Cell]) -> None:
    assert {cell.name: cell.coverage for cell in found if cell.coverage < LEAST} == {}


def test_taking_decisions_for_independent_would_not(found: list[Cell]) -> None:
    assert all(cell.naive < LEAST for cell in found)
