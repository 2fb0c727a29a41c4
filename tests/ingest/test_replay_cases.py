"""Replay cases on their way in: stored once, refused with a reason, newer versions beside older."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from ingest import Redactor, import_paths
from replay_store import Database
from replay_store.reader import record_of
from replay_store.records import ReplayCase
from tests.ingest.conftest import Taken

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
CASE: dict[str, Any] = {
    "case_id": "where-is-my-order",
    "kind": "decision",
    "time": "2026-11-29T09:30:00+08:00",
    "origin": {"trace_id": TRACE, "turn_index": 0, "call_index": 0},
    "input": [{"role": "user", "text": "我的订单 202611200815 到哪了？"}],
    "offered": [{"name": "query_order_status"}, {"name": "search_orders"}],
    "chosen": {"tool": "query_order_status", "arguments": {"order_no": "202611200815"}},
    "gold": {"need": "CALL", "best": ["query_order_status"], "acceptable": ["search_orders"]},
}


def _lines(*rows: object) -> bytes:
    return b"".join(orjson.dumps(row) + b"\n" for row in rows)


def _stored(database: Database) -> list[ReplayCase]:
    rows = database.rows("select * from replay_case order by record_index")
    return [record_of(ReplayCase, row) for row in rows]


def test_a_case_is_stored_whole_with_what_it_is_found_by(take: Callable[..., Taken]) -> None:
    taken = take(_lines(CASE))
    assert (taken.line.container, taken.line.n_stored) == ("replay-cases", 1)
    [case] = _stored(taken.database)
    assert case.case_id == "where-is-my-order"
    assert (case.case_kind, case.is_retired) == ("decision", False)
    assert str(case.trace_id).replace("-", "") == TRACE
    assert list(case.tool_names) == ["query_order_status", "search_orders"]
    assert case.time_ns == 1_795_915_800_000_000_000
    assert case.body == {"format": "toolsight-replay-case/1", **CASE}


def test_the_same_case_twice_counts_once_and_a_change_is_a_version_beside_it(
    take: Callable[..., Taken],
) -> None:
    assert take(_lines(CASE, CASE)).line.n_merged == 1
    assert take(_lines(CASE)).line.n_merged == 1
    changed = take(_lines(CASE | {"title": "another"}))
    assert changed.line.n_stored == 1
    assert {case.case_id for case in _stored(changed.database)} == {"where-is-my-order"}
    assert len(_stored(changed.database)) == 2


def test_a_case_without_time_counts_once_too(take: Callable[..., Taken]) -> None:
    row = {name: value for name, value in CASE.items() if name != "time"}
    take(_lines(row))
    assert take(_lines(row)).line.n_merged == 1


def test_a_wrong_case_is_refused_and_takes_no_good_one_with_it(take: Callable[..., Taken]) -> None:
    bad = CASE | {"glod": {}, "case_id": "other"}
    taken = take(_lines(CASE, bad, CASE | {"case_id": "third"}, [1]))
    assert (taken.line.n_records, taken.line.n_stored, taken.line.n_rejected) == (4, 2, 2)
    assert taken.rejects == [("line 2", "field"), ("line 4", "other_kind")] or taken.rejects == [
        ("line 2", "field"),
        ("line 4", "field"),
    ]
    message = taken.line.message or ""
    assert "line 2: glod: no such field: rename it to 'gold' (replay case)" in message


@pytest.mark.parametrize("other", ["label", "noise"])
def test_a_row_of_another_kind_among_cases_is_refused(
    take: Callable[..., Taken], other: str
) -> None:
    rows = {
        "label": {"trace_id": TRACE, "turn_index": 0, "label": "RIGHT", "annotator": "lin",
                  "annotator_kind": "HUMAN"},
        "noise": {"kind": "DROP", "trace_id": TRACE, "fact_id": "a", "seed": 1},
    }  # fmt: skip
    taken = take(_lines(CASE, rows[other]))
    assert taken.rejects == [("line 2", "other_kind")]


def test_a_case_is_known_by_two_of_its_own_fields(take: Callable[..., Taken]) -> None:
    taken = take(_lines({"case_id": "a", "gold": {"need": "CALL"}}))
    assert taken.line.container == "replay-cases"
    assert "kind: missing: add it" in (taken.line.message or "")


def test_what_must_not_be_kept_is_taken_out_of_a_case(database: Database, tmp_path: Path) -> None:
    said = CASE | {"input": [{"role": "user", "text": "打 13812345678 给我"}]}
    path = tmp_path / "cases.jsonl"
    path.write_bytes(_lines(said))
    [line] = import_paths([path], database, clock=lambda: 7, redactor=Redactor())
    [case] = _stored(database)
    assert line.n_redacted == 1
    assert "13812345678" not in str(case.body)
    assert "[redacted phone" in str(case.body)


def test_a_text_that_no_column_can_hold_is_escaped_and_counted(take: Callable[..., Taken]) -> None:
    row = CASE | {"title": "a\u0000b"}
    taken = take(_lines(row))
    assert taken.line.n_repaired == 1
    assert _stored(taken.database)[0].body["title"] != "a\u0000b"


def test_a_case_in_a_file_of_its_own_is_read_as_it_lies_in_git(take: Callable[..., Taken]) -> None:
    indented = orjson.dumps(
        {"format": "toolsight-replay-case/1", **CASE}, option=orjson.OPT_INDENT_2
    )
    taken = take(indented)
    assert (taken.line.container, taken.line.n_stored) == ("replay-case", 1)
    assert take(_lines(CASE)).line.n_merged == 1
    assert take(orjson.dumps(CASE, option=orjson.OPT_INDENT_2)).line.n_merged == 1


@pytest.mark.parametrize(
    ("data", "reason"),
    [(b'{\n  "case_id": "a",\n  "glod": {}\n}', "field"), (b'{\n "case_id": "a",\n', "truncated")],
)
def test_a_wrong_file_of_one_case_is_refused_with_its_reason(
    take: Callable[..., Taken], data: bytes, reason: str
) -> None:
    taken = take(data)
    assert taken.line.n_rejected == 1
    assert taken.rejects == [("document", reason)]
