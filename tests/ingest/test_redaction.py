"""What must not be kept: each kind is found, look-alikes stay, and nothing else changes."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest import Kind, Redactor, import_paths
from tests.stores import memory_store

REDACTOR = Redactor()
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P"


@pytest.mark.parametrize(
    ("kind", "found"),
    [
        (Kind.PHONE, "13800138000"),
        (Kind.PHONE, "138-0013-8000"),
        (Kind.PHONE, "+86 138 0013 8000"),
        (Kind.PHONE, "+44 20 7946 0958"),
        (Kind.EMAIL, "li.wei+shop@mail.example.cn"),
        (Kind.ID_CARD, "11010519491231002X"),
        (Kind.CARD, "4539 1488 0343 6467"),
        (Kind.CARD, "6222021234567890128"),
        (Kind.SECRET, "sk-proj-abcdefghijklmnopqrstuvwxyz"),
        (Kind.SECRET, "ghp_0123456789abcdefghij0123456789abcdef"),
        (Kind.SECRET, "AKIAIOSFODNN7EXAMPLE"),
        (Kind.SECRET, JWT),
        (Kind.SECRET, "Bearer abcdefghijklmnop.qrst"),
        (Kind.SECRET, "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----"),
    ],
)
@pytest.mark.parametrize("around", ["{}", "用户{}，请回电", "a ({}) b", '{{"to": "{}"}}'])
def test_it_is_found_wherever_it_stands(kind: Kind, found: str, around: str) -> None:
    text = around.format(found)

    cleaned = _cleaned({"attributes": {"x": text}})["attributes"]["x"]

    assert found not in cleaned
    assert f"[redacted {kind} " in cleaned


@pytest.mark.parametrize(
    "text",
    [
        "1795910400000000000",
        "1764547200000",
        "0af7651916cd43dd8448eb211c80319c",
        "4539148803436468",
        "110105194912310021",
        "order 20261130123456",
        "12800138000",
        "id13800138000",
        "me@localhost",
        "sk-short",
        "the password is asked for",
        "tokens: 1234567",
    ],
)
def test_a_look_alike_stays(text: str) -> None:
    assert _cleaned({"attributes": {"x": text}}) == {"attributes": {"x": text}}


def test_a_secret_in_nested_json_leaves_its_key() -> None:
    text = json.dumps({"password": "hunter22", "user": "li"})

    cleaned = json.loads(_cleaned({"attributes": {"x": text}})["attributes"]["x"])

    assert cleaned["user"] == "li"
    assert cleaned["password"].startswith("[redacted secret ")


def test_a_configured_key_loses_its_whole_value_whatever_it_is() -> None:
    fields = {"attributes": {"My.Key": {"deep": [1]}, "my.key2": "kept"}}

    cleaned = _cleaned(fields, Redactor(keys=["my.key"]))["attributes"]

    assert cleaned["my.key2"] == "kept"
    assert cleaned["My.Key"].startswith("[redacted key ")


def test_ids_and_numbers_stay_what_they_are() -> None:
    fields = {
        "trace_id": "45391488034364674539148803436467",
        "duration_ns": 13_800_138_000,
        "attributes": {"elapsed_ns": 13_800_138_000},
        "events": [{"time_ns": 13_800_138_000, "attributes": {}}],
    }

    assert _cleaned(fields) == fields


def test_equal_values_stay_equal_and_different_ones_different() -> None:
    first, second, again = (
        _cleaned({"attributes": {"x": text}})["attributes"]["x"]
        for text in ("13800138000", "13800138001", "13800138000")
    )

    assert first == again != second


@settings(deadline=None)
@given(st.text(max_size=300))
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    once = _cleaned({"x": text})

    assert _cleaned(once) == once


@settings(deadline=None)
@given(
    st.dictionaries(st.text("abc键", max_size=8), st.text("abc 你好-_.,", max_size=40), max_size=5)
)
def test_harmless_text_is_untouched(attributes: dict[str, str]) -> None:
    assert _cleaned({"attributes": attributes}) == {"attributes": attributes}


def test_a_file_keeps_nothing_of_it_and_counts_it(tmp_path: Path) -> None:
    path, phone = tmp_path / "export.json", "13800138000"
    attributes = [{"key": "input.value", "value": {"stringValue": f"call {phone}"}}]
    good = {
        "traceId": "1" * 32,
        "spanId": "1" * 16,
        "name": f"to {phone}",
        "attributes": attributes,
    }
    bad = {"traceId": "no id", "spanId": phone, "attributes": attributes}
    spans = {"resourceSpans": [{"scopeSpans": [{"spans": [good, bad]}]}]}
    path.write_text(json.dumps(spans), encoding="utf-8")

    with memory_store() as database:
        [line] = import_paths([path], database, redactor=Redactor())
        kept = str([database.rows(f"select * from {table}") for table in ("span", "reject")])

    assert (line.n_stored, line.n_rejected, line.n_redacted) == (1, 1, 2)
    assert phone not in kept
    assert kept.count("[redacted phone ") >= 3


def _cleaned(fields: dict[str, Any], redactor: Redactor | None = None) -> dict[str, Any]:
    redactor = redactor or REDACTOR
    text = json.dumps(fields, ensure_ascii=False).encode("utf-8", "surrogatepass")
    cleaned: dict[str, Any] = redactor.fields(fields, redactor.hits(text)).value
    return cleaned


@pytest.mark.parametrize(("digits", "is_sign"), [("286422338955", False), ("4222222222222", True)])
def test_a_number_too_short_for_a_card_is_no_sign_of_one(digits: str, *, is_sign: bool) -> None:
    hits = Redactor([Kind.CARD]).hits(f'{{"tracking_id":"{digits}"}}'.encode())
    assert bool(hits) is is_sign
