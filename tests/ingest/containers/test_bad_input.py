"""Bad files of every container: cut, of wrong types, empty, mixed. None stops an import."""

import copy
import io
import json
from collections.abc import Callable, Iterator
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest import Decoded, Origin
from ingest.containers.drafts import Piece
from ingest.containers.foreign import read_foreign
from ingest.containers.formats import FORMATS, Known, recognise
from ingest.containers.json_values import Values
from ingest.detection import detect
from ingest.errors import UnknownContainerError
from ingest.files import read
from ingest.source import Source
from replay_store.records import Reject
from tests.ingest.containers.samples import SAMPLES, Sample

Read = Callable[..., Any]
WRONG: st.SearchStrategy[Any] = st.sampled_from(
    [None, 0, -1, 1e308, "", "x", [], [1], {}, {"a": []}, True, [[]], [None]]
)


def _known(value: Any, *, is_lines: bool = False) -> Known | None:
    items = value if is_lines else [value]
    pieces = [Piece(item, f"line {index}") for index, item in enumerate(items, 1)]
    return recognise(Values(iter(pieces), is_lines=is_lines))


def _items(known: Known) -> list[Any]:
    return list(read_foreign(known, Origin(UUID(int=1), "folder/case-7.json", 7)))


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _places(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _places(item, (*path, index))


def _with(value: Any, path: tuple[Any, ...], wrong: Any) -> Any:
    if not path:
        return wrong
    changed = copy.copy(value)
    changed[path[0]] = _with(value[path[0]], path[1:], wrong)
    return changed


def test_every_format_has_a_sample() -> None:
    assert {sample.container for sample in SAMPLES} == {one.container.value for one in FORMATS}


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_a_sample_is_known_as_what_it_is_and_says_by_what(sample: Sample) -> None:
    known = _known(sample.value, is_lines=sample.is_lines)
    assert known is not None
    assert known.format.container == sample.container
    assert known.reason
    found = _items(known)
    assert any(isinstance(item, Decoded) for item in found) is sample.has_records
    assert not any(isinstance(item, Reject) for item in found)


@settings(
    max_examples=300, deadline=None, derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)  # fmt: skip
@given(st.data())
def test_a_value_of_a_wrong_type_anywhere_stops_nothing(data: st.DataObject) -> None:
    sample = data.draw(st.sampled_from(SAMPLES))
    value = sample.value
    for _ in range(data.draw(st.integers(1, 3))):
        path = data.draw(st.sampled_from(list(_places(value))))
        value = _with(value, path, data.draw(WRONG))
    if not isinstance(value, list) and sample.is_lines:
        return
    known = _known(value, is_lines=sample.is_lines)
    for item in _items(known) if known is not None else ():
        assert not isinstance(item, Reject) or ": expected " in item.detail


@pytest.mark.parametrize("share", [0.35, 0.8, 0.97])
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_a_file_that_is_cut_says_so(sample: Sample, share: float) -> None:
    text = (
        "\n".join(json.dumps(line) for line in sample.value)
        if sample.is_lines
        else json.dumps(sample.value)
    )
    source = Source(io.BytesIO(text.encode()[: int(len(text) * share)]))
    try:
        detected = detect(source)
    except UnknownContainerError:
        return  # Too little is left to tell what it was; the message says so.
    items = list(read(source, detected, Origin(UUID(int=1), "case-7.json", 7)))
    assert any(isinstance(item, Reject) for item in items)


@pytest.mark.parametrize("data", [b"[]", b"{}", b"[{}]", b"[[]]", b"null", b"{}\n{}\n", b"[null]"])
def test_a_file_of_nothing_says_what_was_tried(data: bytes, read_file: Read) -> None:
    line = read_file(data=data).line
    assert (line.container, line.n_records) == (None, 0)
    assert line.message


def test_a_line_of_another_kind_is_refused_by_what_it_looks_like(read_file: Read) -> None:
    turn = {"role": "User", "text": "hi"}
    stranger = {"id": "q", "ground_truth": []}
    read = read_file(lines=[turn, stranger, 42, turn])
    assert read.line.container == "api-bank"
    rows = read.rows("select place, reason, detail from reject order by place")
    assert [(row["place"], row["reason"]) for row in rows] == [
        ("line 2", "other_kind"), ("line 3", "shape"),
    ]  # fmt: skip
    assert "looks like BFCL possible answers (it has id and ground_truth)" in rows[0]["detail"]


def test_a_line_that_is_no_json_is_refused_with_its_place(read_file: Read) -> None:
    turn = b'{"role": "User", "text": "hi"}'
    read = read_file(data=turn + b"\n\n{broken\n" + turn + b"\n", name="talk.jsonl")
    assert read.rows("select place, reason from reject") == [{"place": "line 3", "reason": "json"}]
    assert read.turns() == 0


def test_values_that_json_cannot_hold_are_kept_as_text(read_file: Read) -> None:
    data = b'[{"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "f", '
    data += b'"arguments": {"x": NaN, "y": 1e400, "z": 99999999999999999999999}}}]}]'
    [call] = read_file(data=data).rows("select arguments_preview from tool_call")
    assert '"NaN"' in call["arguments_preview"]


def test_a_value_that_nests_too_deep_is_refused_and_the_rest_kept(read_file: Read) -> None:
    deep: Any = "x"
    for _ in range(400):
        deep = [deep]
    call = {"id": "c", "function": {"name": "f", "arguments": deep}}
    read = read_file(
        [{"role": "assistant", "tool_calls": [call]}, {"role": "user", "content": "x"}]
    )
    assert read.line.n_rejected >= 1
    assert {row["reason"] for row in read.rows("select reason from reject")} == {"depth"}


def test_a_zip_that_holds_no_log_says_so(read_file: Read) -> None:
    line = read_file(data=b"PK\x03\x04 and nothing", name="x.eval").line
    assert line.container is None
    assert "zip archive" in line.message
