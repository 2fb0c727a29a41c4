"""Noise rows and audit labels."""

from typing import Any
from uuid import UUID

import pytest

from ingest import Origin
from ingest.containers.labels import decoded_label
from ingest.containers.noise import decoded_noise
from ingest.errors import RecordError
from replay_store.records import Label, NoiseLog

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
NOISE: dict[str, Any] = {"kind": "JITTER_NUM", "trace_id": TRACE, "time": "2026-11-30T00:00:00Z"}
LABEL: dict[str, Any] = {
    "trace_id": TRACE,
    "turn_index": 0,
    "call_index": 1,
    "label": "WRONG_TOOL",
    "annotator": "lin",
    "annotator_kind": "HUMAN",
    "time_ns": 1796000000000000000,
}


def _origin() -> Origin:
    return Origin(UUID(int=1), "rows.jsonl", 7)


def _noise(row: object) -> NoiseLog:
    record = decoded_noise(row, _origin()).record
    assert isinstance(record, NoiseLog)
    return record


def _label(row: object) -> Label:
    record = decoded_label(row, _origin()).record
    assert isinstance(record, Label)
    return record


def test_a_noise_row_keeps_its_fields_and_gets_an_id_of_its_own() -> None:
    row = NOISE | {
        "trace_id": TRACE.upper(), "span_id": "00f067aa0ba902b7", "original_value": 12.5,
        "injected_value": {"a": 1}, "seed": -3, "is_whitelisted": False, "from_the_future": [1],
    }  # fmt: skip
    record = _noise(row)
    assert (record.trace_id, record.span_id) == (TRACE, "00f067aa0ba902b7")
    assert (record.original_value, record.injected_value) == ("12.5", '{"a":1}')
    assert (record.time_ns, record.seed, record.is_whitelisted) == (1795996800000000000, -3, False)
    assert record.noise_id == f"{record.record_hash:016x}"
    assert _noise(row | {"noise_id": "n1", "span_id": ""}).noise_id == "n1"


def test_the_same_row_has_the_same_hash_however_its_id_and_time_are_written() -> None:
    other = NOISE | {"trace_id": f"0x{TRACE}", "time_ns": 1795996800000000000}
    del other["time"]
    assert _noise(NOISE).record_hash == _noise(other).record_hash
    assert _noise(NOISE).record_hash != _noise(NOISE | {"kind": "DROP"}).record_hash


def test_a_label_keeps_its_fields_and_its_defaults_are_plain() -> None:
    record = _label(LABEL)
    assert (record.label, record.annotator_kind, record.source) == ("WRONG_TOOL", "HUMAN", "audit")
    assert (record.turn_index, record.call_index) == (0, 1)
    assert (record.inclusion_probability, record.sub, record.note) == (1.0, None, None)
    assert record.label_id == f"{record.record_hash:016x}"
    assert _label(LABEL | {"call_index": None, "label_id": "l1"}).label_id == "l1"
    assert _label(LABEL | {"call_index": None, "time": None}).call_index is None


def test_text_that_no_column_holds_is_escaped_and_noted() -> None:
    item = decoded_label(LABEL | {"note": "a\x00\ud800"}, _origin())
    assert isinstance(item.record, Label)
    assert (item.record.note, item.is_repaired) == (r"a\x00\ud800", True)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"kind": "SHUFFLE"}, "kind: SHUFFLE: input should be 'DROP'"),
        ({"kind": None}, "kind: nothing: "),
        ({"time": "2026-11-30T00:00:00"}, "time: 2026-11-30T00:00:00: no offset; write 2026-01-01T00:00:00Z"),
        ({"time": 5}, "time: 5: write 2026-01-01T00:00:00Z"),
        ({"trace_id": "abc"}, "trace_id: abc: 'abc' (3 characters) is no id"),
        ({"span_id": "abc"}, "span_id: abc: 'abc' (3 characters) is no id"),
        ({"seed": 2**64}, "seed: 18446744073709551616: "),
        ({"intensity": float("nan")}, "intensity: NaN: "),
    ],
)  # fmt: skip
def test_an_impossible_noise_field_is_named_with_what_to_write(
    fields: dict[str, Any], words: str
) -> None:
    with pytest.raises(RecordError) as error:
        _noise(NOISE | fields)
    assert error.value.reason == "field"
    assert error.value.detail.startswith(words)


@pytest.mark.parametrize(
    ("remove", "add", "words"),
    [
        ("label", {}, "label: missing: add 'label'"),
        ("label", {"lable": "RIGHT"}, "label: missing: rename 'lable' to 'label'"),
        ("turn_index", {"turnIndex": 0}, "turn_index: missing: rename 'turnIndex' to 'turn_index'"),
        ("note", {"trace_id": ""}, "trace_id: nothing: input should be a valid string"),
        ("note", {"turn_index": -1}, "turn_index: -1: input should be greater than or equal to 0"),
        ("note", {"inclusion_probability": 0}, "inclusion_probability: 0: input should be greater"),
        ("note", {"source": "guess"}, "source: guess: input should be 'audit', "),
        ("note", {"annotator": ""}, "annotator: nothing: string should have at least 1 character"),
    ],
)
def test_an_impossible_label_field_is_named_with_what_to_write(
    remove: str, add: dict[str, Any], words: str
) -> None:
    row = {name: value for name, value in LABEL.items() if name != remove} | add
    with pytest.raises(RecordError) as error:
        _label(row)
    assert error.value.detail.startswith(words)


def test_every_bad_field_of_a_row_is_named_at_once() -> None:
    with pytest.raises(RecordError) as error:
        _label({"trace_id": TRACE})
    for field in ("turn_index", "label", "annotator", "annotator_kind"):
        assert f"{field}: missing" in error.value.detail


@pytest.mark.parametrize("row", [5, None, [], "text"])
def test_a_row_that_is_no_object_is_refused(row: object) -> None:
    with pytest.raises(RecordError, match="one JSON object a line"):
        _label(row)
