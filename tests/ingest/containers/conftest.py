"""Foreign files: the public corpus in one store, and small files written by hand."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ingest import import_paths
from replay_store import Database, derive
from replay_store.records import IngestFile
from tests.stores import memory_store


@dataclass(frozen=True)
class Corpus:
    """The whole corpus, taken in once."""

    database: Database
    lines: Mapping[str, IngestFile]
    """Ledger lines by path below the corpus."""

    def count(self, folder: str, sql: str) -> Any:
        """The one value of a query over the traces of a folder's files."""
        [row] = self.database.rows(sql, {"path": f"/corpus/{folder}"})
        [value] = row.values()
        return value


@pytest.fixture(scope="session")
def corpus(shared: Path) -> Iterator[Corpus]:
    """Takes some seconds, once: 490 files of every kind."""
    root = shared / "corpus"
    if not root.is_dir():
        pytest.skip(f"{root}: no public corpus here")
    with memory_store() as database:
        lines = import_paths([root], database)
        derive(database)
        yield Corpus(database, {str(Path(x.path).relative_to(root)): x for x in lines})


@dataclass(frozen=True)
class Read:
    """What became of one small file."""

    line: IngestFile
    database: Database

    def calls(self) -> list[tuple[Any, ...]]:
        """Tool, status and result of each call, in order."""
        rows = self.database.rows(
            "select tool_name, status, result_preview from tool_call order by trace_id, call_index"
        )
        return [tuple(row.values()) for row in rows]

    def turns(self) -> int:
        """Answered model calls."""
        [row] = self.database.rows("select coalesce(sum(n_llm_calls), 0) as n from trace")
        return int(row["n"])

    def rows(self, sql: str) -> list[dict[str, Any]]:
        return self.database.rows(sql)


@pytest.fixture
def read_file(database: Database, tmp_path: Path) -> Callable[..., Read]:
    """Takes in one file: a value as a JSON document, a sequence of values as JSON Lines, or bytes."""

    def read(
        document: Any = None,
        *,
        lines: Sequence[Any] | None = None,
        data: bytes | None = None,
        name: str = "case-7.json",
    ) -> Read:
        path = tmp_path / name
        if lines is not None:
            data = b"\n".join(json.dumps(line).encode() for line in lines)
        path.write_bytes(json.dumps(document).encode() if data is None else data)
        [line] = import_paths([path], database)
        derive(database)
        assert line.n_records == line.n_stored + line.n_merged + line.n_rejected
        return Read(line, database)

    return read
