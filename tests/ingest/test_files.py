"""Files into the store: ledger lines, rejects, repairs, duplicates."""

import gzip
import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest import Progress, import_paths
from ingest.paths import os_problem
from replay_store import Batch, Database, Writer
from replay_store.records import Span
from replay_store.writer import Written

Make = Callable[..., dict[str, Any]]
Take = Callable[..., Any]

SPAN = {
    "traceId": "4bf92f3577b34da6a3ce929d0e0e4736",
    "spanId": "00f067aa0ba902b7",
    "name": "chat",
    "startTimeUnixNano": "1796000000000000000",
    "endTimeUnixNano": "1796000000250000000",
}
OTHER = SPAN | {"spanId": "00f067aa0ba902b8"}


def _export(*spans: object) -> bytes:
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}).encode()


def _with(**fields: object) -> dict[str, object]:
    return {**SPAN, **fields}


HALF = _export(SPAN)[:-30]

BAD_INPUT = {
    "a half line last": (
        _export(SPAN) + b"\n" + HALF, 2, 1, 0, [("line 2", "truncated")], "line 2: the JSON ends in the middle",
    ),
    "a half line first": (
        HALF + b"\n" + _export(SPAN) + b"\n", 2, 1, 0, [("line 1", "truncated")], "line 1: the JSON ends",
    ),
    "a trace id of a wrong length": (
        _export(SPAN, _with(traceId="abc")), 2, 1, 0, [("resource 0, scope 0, span 1", "trace_id")],
        "resource 0, scope 0, span 1: traceId: 'abc' (3 characters) is no id",
    ),
    "a span id of a wrong length": (
        _export(_with(spanId="abc"), OTHER), 2, 1, 0, [("resource 0, scope 0, span 0", "span_id")], "spanId",
    ),
    "an end before the start": (_export(_with(endTimeUnixNano="5")), 1, 1, 0, [], None),
    "an end of zero": (_export(_with(endTimeUnixNano="0")), 1, 1, 0, [], None),
    "invalid UTF-8": (_export(SPAN).replace(b'"chat"', b'"ch\xff\xfet"'), 1, 1, 1, [], None),
    "a NUL": (_export(_with(name="a\x00b")), 1, 1, 1, [], None),
    "a bare NUL": (_export(SPAN).replace(b'"chat"', b'"ch\x00t"'), 1, 1, 1, [], None),
    "a lone surrogate": (_export(_with(name="a\ud800b")), 1, 1, 1, [], None),
    "NaN": (
        _export(_with(attributes=[{"key": "a", "value": {"doubleValue": float("nan")}}])), 1, 1, 0, [], None,
    ),
    "an empty file": (b"", 0, 0, 0, [], "empty: expected"),
    "a text file": (b"Dear all", 0, 0, 0, [], "text that begins 'Dear all'"),
    "a file without records": (_export(), 0, 0, 0, [], "no records"),
    "a truncated gzip file": (
        gzip.compress(_export(*[_with(spanId=f"{n:016x}", name=os.urandom(99).hex()) for n in range(1, 99)]))[:6_000],
        None, None, 0, None, "the gzip data ends early",
    ),
    "a document cut in the middle": (
        json.dumps(json.loads(_export(SPAN, OTHER)), indent=1).encode()[:-90], 2, 1, 0, None,
        "the JSON ends in the middle",
    ),
    "a line of another kind": (
        _export(SPAN) + b'\n{"kind": "DROP", "fact_id": "f"}\n', 2, 1, 0, [("line 2", "other_kind")],
        "a noise row in a file of another kind",
    ),
    "a scalar line": (
        _export(SPAN) + b"\n\n42\n" + _export(OTHER), 3, 2, 0, [("line 3", "shape")], "line 3: a int",
    ),
    "metrics": (
        b'{"resourceMetrics": [{"scopeMetrics": [{"metrics": [{}, {}]}]}]}', 0, 0, 0, [], "2 metrics left out",
    ),
    "a line nested too deep": (
        _export(SPAN) + b"\n" + b"[" * 5_000, 2, 1, 0, [("line 2", "depth")], "nests too deep",
    ),
    "a number of too many digits": (
        _export(SPAN) + b'\n{"resourceSpans": ' + b"9" * 5_000 + b"}", 2, 1, 0, [("line 2", "json")], "4300 digits",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_INPUT)
def test_bad_input_costs_itself_only_and_says_where_what_and_what_to_do(
    case: str, take: Take
) -> None:
    data, n_records, n_stored, n_repaired, rejects, words = BAD_INPUT[case]
    taken = take(data)
    if n_records is not None:
        assert (taken.line.n_records, taken.line.n_stored) == (n_records, n_stored)
    assert taken.line.n_repaired == n_repaired
    if rejects is not None:
        assert taken.rejects == rejects
    if words is None:
        assert taken.line.message is None
    else:
        assert words in taken.line.message
        assert ";" in taken.line.message


@pytest.mark.parametrize(
    ("case", "sql", "expected"),
    [
        ("invalid UTF-8", "select name from span", r"ch\xff\xfet"),
        ("a NUL", "select name from span", r"a\x00b"),
        ("a bare NUL", "select name from span", r"ch\x00t"),
        ("a lone surrogate", "select name from span", r"a\ud800b"),
        ("NaN", "select attributes from span", '{"a":"NaN"}'),
        ("an end of zero", "select duration_ns from span", None),
        ("an end before the start", "select end_time_ns from span", 5),
    ],
)
def test_what_was_mended_is_visible_in_the_store(
    case: str, sql: str, expected: object, take: Take
) -> None:
    [row] = take(BAD_INPUT[case][0]).rows(sql)
    assert list(row.values()) == [expected]


@settings(
    max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(st.data())
def test_any_bytes_are_taken_and_their_ledger_adds_up(take: Take, data: st.DataObject) -> None:
    good = data.draw(st.sampled_from([entry[0] for entry in BAD_INPUT.values()]))
    at = data.draw(st.integers(min_value=0, max_value=len(good)))
    patch = data.draw(st.binary(max_size=40))
    cut = data.draw(st.integers(min_value=0, max_value=200))
    for content in (patch, good[:at] + patch + good[at + cut :], b"\x00\x00\x00\x05" + patch):
        line = take(content).line
        assert line.n_records or line.message


def test_a_ten_megabyte_attribute_is_stored_whole(take: Take) -> None:
    text = "x" * 10_000_000
    taken = take(_export(_with(attributes={"big": text})) + b"\n" + _export(OTHER) + b"\n")
    rows = taken.rows("select length(attributes) as n from span order by n")
    assert [row["n"] for row in rows] == [2, len(text) + len('{"big":""}')]


def test_the_same_bytes_twice_count_once(take: Take) -> None:
    assert take(_export(SPAN, OTHER)).line.n_stored == 2
    again = take(gzip.compress(_export(SPAN, OTHER)), "again.gz").line
    assert (again.n_records, again.n_stored, again.n_merged) == (2, 0, 2)


def test_a_record_twice_in_one_file_counts_once(take: Take) -> None:
    line = take(_export(SPAN, SPAN)).line
    assert (line.n_records, line.n_stored, line.n_merged) == (2, 1, 1)


def test_two_versions_of_one_span_are_both_kept(take: Take) -> None:
    assert take(_export(_with(endTimeUnixNano="0"), SPAN)).line.n_stored == 2


def test_noise_rows_and_labels_are_stored(take: Take) -> None:
    noise = b'{"kind": "DROP", "fact_id": "f", "trace_id": "%s"}' % SPAN["traceId"].encode()
    label = {
        "trace_id": SPAN["traceId"], "turn_index": 0, "label": "RIGHT", "annotator": "lin",
        "annotator_kind": "HUMAN",
    }  # fmt: skip
    bad = json.dumps(label | {"label": "GOOD"}).encode()
    taken = take(noise + b"\n" + b'{"kind": "NOPE", "fact_id": "f"}\n')
    assert (taken.line.container, taken.line.n_stored) == ("noise-log", 1)
    assert taken.rejects == [("line 2", "field")]
    taken = take(json.dumps(label).encode() + b"\n" + bad + b"\n" + _export(SPAN))
    assert (taken.line.container, taken.line.n_stored) == ("labels", 1)
    assert taken.rejects == [("line 2", "field"), ("line 3", "other_kind")]
    assert "2 of 3 records refused, the first at line 2: label: GOOD" in taken.line.message


def test_a_folder_is_walked_in_order_without_hidden_files(
    tmp_path: Path, database: Database
) -> None:
    for name in ("b/2.json", "a/1.json", ".hidden", ".git/3.json", "c.json"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(_export(SPAN))
    lines = import_paths([tmp_path], database)
    assert [Path(line.path).name for line in lines] == ["c.json", "1.json", "2.json"]
    assert sum(line.n_stored for line in lines) == 1


@pytest.mark.parametrize(
    ("name", "words"),
    [("missing.json", "no such file"), ("empty", "a folder without files"), ("pipe", "a device"),
     ("bad\x00name", "no path"), ("n" * 5_000, "cannot be read (File name too long)"), ("file/below", "no such file")],
)  # fmt: skip
def test_a_path_without_a_file_gets_a_ledger_line(
    name: str, words: str, tmp_path: Path, database: Database
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").touch()
    os.mkfifo(tmp_path / "pipe")
    [line] = import_paths([tmp_path / name], database)
    assert (line.n_records, line.sha256, line.n_bytes) == (0, None, None)
    assert line.message is not None
    assert line.message.startswith(words)
    assert database.rows("select message from ingest_file") == [{"message": line.message}]


@pytest.mark.parametrize(
    ("error", "words"),
    [(PermissionError(13, "Permission denied"), "no permission to read it"),
     (FileNotFoundError(2, "No such file"), "no such file"),
     (OSError(5, "Input/output error"), "cannot be read (Input/output error)")],
)  # fmt: skip
def test_what_the_system_refuses_is_a_sentence(error: OSError, words: str) -> None:
    assert os_problem(error).startswith(words)


def test_a_file_that_vanishes_after_it_was_found_gets_a_ledger_line(
    tmp_path: Path, database: Database
) -> None:
    for name in ("1.json", "2.json"):
        (tmp_path / name).write_bytes(_export(SPAN))

    def vanish(_: Progress) -> None:
        (tmp_path / "2.json").unlink(missing_ok=True)

    lines = import_paths([tmp_path / "1.json", tmp_path / "2.json"], database, on_progress=vanish)
    assert [line.n_stored for line in lines] == [1, 0]
    assert lines[1].message is not None
    assert lines[1].message.startswith("no such file")


def test_a_file_that_vanishes_just_before_it_is_opened_gets_a_ledger_line(
    tmp_path: Path, database: Database
) -> None:
    path = tmp_path / "1.json"
    path.write_bytes(_export(SPAN))

    def clock() -> int:
        path.unlink(missing_ok=True)
        return 7

    [line] = import_paths([path], database, clock=clock)
    assert line.message is not None
    assert line.message.startswith("no such file")


def test_a_folder_that_vanishes_while_it_is_walked_gets_a_ledger_line(
    tmp_path: Path, database: Database
) -> None:
    (tmp_path / "1.json").write_bytes(_export(SPAN))
    (tmp_path / "folder").mkdir()

    def vanish(_: Progress) -> None:
        (tmp_path / "folder").rmdir() if (tmp_path / "folder").exists() else None

    lines = import_paths([tmp_path], database, on_progress=vanish)
    assert [Path(line.path).name for line in lines] == ["1.json", "folder"]
    assert lines[1].message is not None
    assert lines[1].message.startswith("no such file")


def test_a_name_that_is_not_utf8_is_shown_escaped(tmp_path: Path, database: Database) -> None:
    path = tmp_path / os.fsdecode(b"n\xffme.json")
    path.write_bytes(_export(SPAN))
    assert stat.S_ISREG(path.stat().st_mode)
    [line] = import_paths([path], database)
    assert line.path.endswith(r"n\xffme.json")


def test_progress_goes_from_nothing_to_the_whole_file(tmp_path: Path, database: Database) -> None:
    path = tmp_path / "many.jsonl"
    spans = [_with(spanId=f"{n:016x}") for n in range(1, 10_001)]
    path.write_bytes(b"\n".join(_export(*spans[at : at + 100]) for at in range(0, 10_000, 100)))
    seen: list[Progress] = []
    [line] = import_paths([path], database, on_progress=seen.append)
    assert line.n_stored == 10_000
    assert [step.n_records for step in seen] == [0, 8192, 10_000]
    assert seen[-1].n_bytes_done == seen[-1].n_bytes_total == line.n_bytes == path.stat().st_size


@pytest.mark.parametrize("n_lines", [1, 2, 10])
def test_a_commit_is_as_large_as_its_records_however_the_file_is_cut(
    n_lines: int, tmp_path: Path, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingest.files.BATCH_BYTES", 12_000)
    attribute = {"key": "long", "value": {"stringValue": "x" * 4_000}}
    spans = [_with(spanId=f"{n:016x}", attributes=[attribute]) for n in range(1, 11)]
    path = tmp_path / "long.jsonl"
    each = len(spans) // n_lines
    path.write_bytes(b"\n".join(_export(*spans[at : at + each]) for at in range(0, 10, each)))
    seen: list[Progress] = []
    import_paths([path], database, on_progress=seen.append)
    assert [step.n_records for step in seen] == [0, 3, 6, 9, 10]


def test_what_arrived_later_in_a_file_is_stamped_later(
    tmp_path: Path, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingest.files.BATCH_RECORDS", 2)
    path = tmp_path / "long.jsonl"
    path.write_bytes(b"\n".join(_export(_with(spanId=f"{n:016x}")) for n in range(1, 6)))
    # The last but one goes back, as the clock of a machine may.
    clock = iter((10, 20, 15, 40))
    [line] = import_paths([path], database, clock=lambda: next(clock))
    rows = database.rows("select received_time_ns as time from span order by record_index")
    assert [row["time"] for row in rows] == [10, 10, 20, 20, 20]
    assert (line.started_time_ns, line.finished_time_ns) == (10, 40)


def test_spans_wait_for_their_derivation_in_the_same_commit(take: Take) -> None:
    rows = take(_export(SPAN)).rows("select hex_trace(trace_id) as id from dirty_trace")
    assert rows == [{"id": SPAN["traceId"]}]


def test_messages_in_a_file_of_nothing_but_logs_are_read(take: Take) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "get", "arguments": "{}"}}
    log = {
        "traceId": SPAN["traceId"], "spanId": SPAN["spanId"], "timeUnixNano": "1796000000000000000",
        "eventName": "gen_ai.choice",
        "body": {"stringValue": json.dumps({"message": {"tool_calls": [call]}})},
    }  # fmt: skip
    taken = take(json.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": [log]}]}]}).encode())
    rows = taken.rows("select evidence, tool_name, tool_call_id from call_evidence")
    assert rows == [{"evidence": "request", "tool_name": "get", "tool_call_id": "c1"}]


def test_what_waits_for_a_commit_is_mapped_and_holds_texts_only(
    tmp_path: Path, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting: list[Span] = []
    write = Writer.write_accounted

    def watched(self: Writer, batch: Batch, account: Any) -> Written:
        waiting.extend(batch.spans)
        assert len(batch.span_roles) == len(batch.spans)
        return write(self, batch, account)

    monkeypatch.setattr(Writer, "write_accounted", watched)
    path = tmp_path / "one.json"
    path.write_bytes(_export(_with(attributes=[{"key": "a", "value": {"stringValue": "b"}}])))
    import_paths([path], database)
    [span] = waiting
    assert span.attributes == {}
    assert database.rows("select attributes from span") == [{"attributes": '{"a":"b"}'}]
