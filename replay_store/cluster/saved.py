"""Answers of the cluster on their way into the local store: files of one round."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, TypeVar
from uuid import UUID

from replay_store.cluster.answers import Answers
from replay_store.cluster.schema import Column

__all__ = ["TOGETHER", "Saved", "listed", "slices"]

_Item = TypeVar("_Item")
TOGETHER: Final = 4_000
"""Units asked for by name in one request."""


class Saved:
    """Saves rows into files of one folder.

    Args:
        answers: Of the cluster.
        folder: Gone after the round.
        columns: Of each shipped table.
    """

    def __init__(
        self, answers: Answers, folder: Path, columns: Mapping[str, Sequence[Column]]
    ) -> None:
        self._answers = answers
        self._folder = folder
        self._columns = columns
        self._n = 0

    def rows_of(self, table: str, where: str) -> Path:
        """The rows of a shipped table that count and meet a condition, in a file."""
        self._n += 1
        file = self._folder / f"{self._n}.json"
        chosen = ", ".join(f"`{column.name}`" for column in self._columns[table])
        self._answers.save(f"select {chosen} from {table} where {where}", file)  # noqa: S608 - names of our own
        return file


def listed(ids: Sequence[str]) -> str:
    """Ids as a list of literals."""
    return ", ".join(f"'{UUID(each)}'" for each in ids)


def slices(items: Sequence[_Item], n: int) -> Iterator[Sequence[_Item]]:
    """The items, so many at a time; none for none."""
    return (items[start : start + n] for start in range(0, len(items), n))
