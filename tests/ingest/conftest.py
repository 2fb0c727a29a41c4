"""Files of bytes into a store in memory, and exports to make them from."""

import gzip
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from ingest import Origin, import_paths
from replay_store import Database
from replay_store.records import IngestFile
from tests.stores import memory_store

NOW = 1_796_000_000_000_000_000


@dataclass(frozen=True)
class Taken:
    """What became of one file."""

    line: IngestFile
    database: Database

    def rows(self, sql: str) -> list[dict[str, Any]]:
        return self.database.rows(sql)

    @property
    def rejects(self) -> list[tuple[str, str]]:
        rows = self.rows(f"select place, reason from reject where file_id = '{self.line.file_id}'")
        return [(row["place"], row["reason"]) for row in rows]

    @property
    def span_ids(self) -> list[str]:
        rows = self.rows("select distinct hex_span(span_id) as id from span order by id")
        return [row["id"] for row in rows]


@pytest.fixture
def database() -> Iterator[Database]:
    with memory_store() as opened:
        yield opened


@pytest.fixture
def take(database: Database, tmp_path: Path) -> Callable[..., Taken]:
    """Imports one file of these bytes; checks the sum of its ledger line."""

    def imported(data: bytes, name: str = "export.bin") -> Taken:
        path = tmp_path / name
        path.write_bytes(data)
        [line] = import_paths([path], database, clock=lambda: NOW)
        assert line.n_records == line.n_stored + line.n_merged + line.n_rejected
        return Taken(line, database)

    return imported


@pytest.fixture
def make_json_span() -> Callable[..., dict[str, Any]]:
    """Makes a span of OTLP/JSON; keywords replace its fields."""

    def make(span_id: object = "00f067aa0ba902b7", **fields: Any) -> dict[str, Any]:
        return {
            "traceId": "4bf92f3577b34da6a3ce929d0e0e4736",
            "spanId": span_id,
            "name": "chat",
            "startTimeUnixNano": "1796000000000000000",
            "endTimeUnixNano": "1796000000250000000",
        } | fields

    return make


@pytest.fixture
def export() -> Callable[..., dict[str, Any]]:
    """Wraps spans into an OTLP/JSON export."""

    def wrap(*spans: Any, key: str = "resourceSpans") -> dict[str, Any]:
        attributes = [{"key": "service.name", "value": {"stringValue": "shop"}}]
        scope = {"scope": {"name": "agent", "version": "1"}, "spans": list(spans)}
        return {key: [{"resource": {"attributes": attributes}, "scopeSpans": [scope]}]}

    return wrap


@pytest.fixture
def origin() -> Origin:
    return Origin(UUID(int=1), "request", NOW)


@pytest.fixture(scope="session")
def captures(shared: Path) -> Sequence[tuple[str, bytes, bytes]]:
    """Every export that was captured both ways: its name, protobuf and JSON."""
    folder = shared / "clients" / "captures"
    found = []
    for path in sorted(folder.glob("*/*.pb")):
        packed = path.with_suffix(".json.gz").read_bytes()
        found.append(
            (f"{path.parent.name}/{path.name}", path.read_bytes(), gzip.decompress(packed))
        )
    assert found
    return found
