"""What is loaded before the first visit."""

from importlib.util import find_spec

import pytest

from dashboard.serving.warm_up import LOADED_LATE


@pytest.mark.parametrize("name", LOADED_LATE)
def test_what_is_loaded_early_exists_in_the_versions_tested(name: str) -> None:
    assert find_spec(name) is not None
