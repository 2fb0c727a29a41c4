"""Places inside an answer: a path of keys and list indexes, and what lies there."""

from collections.abc import Mapping, Sequence
from typing import Final

MISSING: Final = object()
"""What lies where a path leads nowhere; null is something else."""


def at_path(record: object, path: Sequence[str]) -> object:
    """What lies at a path of keys and list indexes; `MISSING` where the path leads nowhere."""
    value = record
    for step in path:
        if type(value) is dict or isinstance(value, Mapping):
            value = value.get(step, MISSING)
        elif isinstance(value, list | tuple) and step.isdecimal() and len(step) < 7:
            index = int(step)
            value = value[index] if index < len(value) else MISSING
        else:
            return MISSING
    return value
