"""Answers of two engines side by side."""

from typing import Any

import pytest


def is_same(found: Any, expected: Any, place: str = "answer") -> bool:
    """Whether two answers are equal; the last digits of a sum of doubles depend on its order."""
    if isinstance(expected, float) and isinstance(found, float):
        assert found == pytest.approx(expected, rel=1e-9, nan_ok=True), place
    elif isinstance(expected, dict):
        assert found.keys() == expected.keys(), place
        for key, value in expected.items():
            is_same(found[key], value, f"{place}/{key}")
    elif isinstance(expected, list | tuple):
        assert len(found) == len(expected), place
        for index, value in enumerate(expected):
            is_same(found[index], value, f"{place}[{index}]")
    else:
        assert found == expected, place
    return True
