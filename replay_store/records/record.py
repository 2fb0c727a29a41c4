"""What makes a class a record."""

from dataclasses import dataclass
from typing import TypeVar, dataclass_transform

RecordT = TypeVar("RecordT")


@dataclass_transform(frozen_default=True)
def record(cls: type[RecordT]) -> type[RecordT]:
    """A slotted dataclass that nobody changes, as type checkers see to.

    A `frozen` one sees to it at run time as well, and is built six times as slowly for it: too much
    where there are several for each span that comes in.
    """
    return dataclass(slots=True, unsafe_hash=True)(cls)
