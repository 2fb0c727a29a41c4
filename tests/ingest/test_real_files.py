"""Exports of real agents: nothing refused, JSON and protobuf are one."""

import gzip
from collections.abc import Sequence
from pathlib import Path
from uuid import UUID

import pytest

from ingest import Decoded, Origin, Signal, decode_json, decode_protobuf, import_paths
from replay_store import Database

Captures = Sequence[tuple[str, bytes, bytes]]


def _signal(name: str) -> Signal:
    return Signal.LOGS if ".logs." in name else Signal.TRACES


def _origin() -> Origin:
    return Origin(UUID(int=1), "request", 7)


def test_json_and_protobuf_of_every_capture_are_the_same_records(captures: Captures) -> None:
    assert len({name.split("/")[0] for name, _, _ in captures}) > 40
    for name, protobuf, json_text in captures:
        hashes = []
        for items in (
            decode_protobuf(protobuf, _signal(name), _origin()),
            decode_json(json_text, _origin()),
        ):
            found = list(items)
            assert all(isinstance(item, Decoded) and not item.is_repaired for item in found), name
            hashes.append([item.record.record_hash for item in found if isinstance(item, Decoded)])
        assert hashes[0] == hashes[1], name
        assert hashes[0], name


@pytest.mark.parametrize("folder", ["otlp-examples", "open-agent-traces"])
def test_the_example_files_are_taken_without_a_reject(
    folder: str, shared: Path, database: Database
) -> None:
    lines = import_paths([shared / "corpus" / folder], database)
    assert sum(line.n_stored for line in lines) > 0
    assert sum(line.n_rejected + line.n_repaired for line in lines) == 0
    for line in lines:
        is_read = line.path.endswith(".json")
        assert bool(line.n_records) is is_read
        assert (line.message is None) is is_read


def test_the_captures_of_a_client_count_once_in_every_form(
    captures: Captures, tmp_path: Path, database: Database
) -> None:
    mine = [entry for entry in captures if entry[0].startswith("pydantic_ai-native/")]
    assert mine
    messages = [protobuf for _, protobuf, _ in mine]
    (tmp_path / "1.bare").write_bytes(messages[0])
    prefixed = b"".join(len(data).to_bytes(4, "big") + data for data in messages)
    (tmp_path / "2.prefixed").write_bytes(prefixed)
    (tmp_path / "3.joined").write_bytes(b"".join(messages))
    (tmp_path / "4.jsonl").write_bytes(b"\n".join(text for _, _, text in mine))
    lines = import_paths([tmp_path], database)
    assert [line.container for line in lines] == [
        "otlp-protobuf", "otlp-protobuf-prefixed", "otlp-protobuf", "otlp-json-lines",
    ]  # fmt: skip
    assert [line.n_rejected for line in lines] == [0, 0, 0, 0]
    assert [line.message for line in lines] == [None] * 4
    [count] = database.rows("select count(*) as n from span")
    assert lines[0].n_stored + lines[1].n_stored == lines[1].n_records == count["n"]
    assert [line.n_stored for line in lines[2:]] == [0, 0]


@pytest.mark.parametrize("cut_by", [1, 100, 5_000])
def test_a_prefixed_file_that_is_cut_keeps_what_came_before(
    cut_by: int, captures: Captures, tmp_path: Path, database: Database
) -> None:
    messages = [data for name, data, _ in captures if name.startswith("strands-native/")][:3]
    path = tmp_path / "cut"
    prefixed = b"".join(len(data).to_bytes(4, "big") + data for data in messages)
    path.write_bytes(prefixed[:-cut_by])
    [line] = import_paths([path], database)
    assert line.n_stored > 0
    assert line.n_rejected == 1
    assert line.message is not None
    assert line.message.startswith("message 2, byte ")


def test_every_export_that_came_as_json_is_taken_without_a_reject(shared: Path) -> None:
    paths = sorted((shared / "clients" / "captures").glob("*/*.json.gz"))
    assert any(path.name.endswith(".raw.json.gz") for path in paths)
    for path in paths:
        items = list(decode_json(gzip.decompress(path.read_bytes()), _origin()))
        assert items, path
        assert all(isinstance(item, Decoded) and not item.is_repaired for item in items), path
