"""Replay cases as files: read whole or refused with place, reason and next step."""

from pathlib import Path
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.replay import (
    ArgumentRule,
    Case,
    CaseError,
    CaseKind,
    Chosen,
    Expected,
    ExpectedFact,
    ExpectedPrompt,
    Gold,
    Offered,
    Origin,
    Passage,
    Recorded,
    case_from_json,
    case_to_json,
    read_case,
    read_case_dir,
    write_case,
)

DECISION: dict[str, Any] = {
    "case_id": "where-is-my-order",
    "kind": "decision",
    "input": [{"role": "user", "text": "202611200815 发货了吗"}],
    "offered": [{"name": "query_order_status", "description": "按订单号查询"}],
    "gold": {"need": "CALL", "best": ["query_order_status"]},
}
OBSERVATION: dict[str, Any] = {
    "case_id": "order-shipped",
    "kind": "observation",
    "recorded": [{"tool": "query_order_status", "body": {"status": "shipped"}}],
    "expected": {"facts": []},
}


def test_a_minimal_case_of_each_kind_is_read() -> None:
    assert case_from_json(DECISION).kind is CaseKind.DECISION
    assert case_from_json(DECISION | {"kind": "end_to_end"}).kind is CaseKind.END_TO_END
    assert case_from_json(OBSERVATION).kind is CaseKind.OBSERVATION
    assert case_from_json(OBSERVATION | {"kind": "adapter"}).kind is CaseKind.ADAPTER


Wrong = tuple[dict[str, Any], str]
WRONG: dict[str, Wrong] = {
    "a misspelt field": ({"glod": {}}, "glod: no such field: rename it to 'gold'"),
    "a field of the future": ({"zzz": 1}, "zzz: no such field: remove it"),
    "a nested misspelt field": (
        {"gold": {"need": "CALL", "bset": ["a"]}},
        "gold.bset: no such field: rename it to 'best'",
    ),
    "no id": ({"case_id": None}, "case_id: None: input should be a valid string; correct it"),
    "an id that is no file name": ({"case_id": "../a"}, "case_id: '../a': expected letters"),
    "a kind that is none": ({"kind": "x"}, "kind: 'x': input should be 'decision'"),
    "another format": ({"format": "y/2"}, "format: 'y/2': input should be 'toolsight-replay-"),
    "nothing given": ({"input": []}, "input: missing: a case of kind decision needs it; add it"),
    "nothing offered": ({"offered": []}, "offered: missing"),
    "no gold": ({"gold": None}, "gold: missing: a case of kind decision needs it; add it"),
    "a text for a list": ({"input": "hi"}, "input: 'hi': input should be a valid list"),
    "a passage without text": ({"input": [{"role": "user"}]}, "input[0].text: missing: add it"),
    "a call without a tool": ({"gold": {"need": "CALL"}}, "gold.best: missing: a call is needed"),
    "no call with a tool": (
        {"gold": {"need": "NO_CALL", "best": ["a"]}},
        "gold.need: 'NO_CALL': tools are named as right",
    ),
    "right and forbidden": (
        {"gold": {"need": "CALL", "best": ["a"], "forbidden": ["a"]}},
        "gold.forbidden: a: also named as right",
    ),
    "a pattern that is none": (
        {"gold": {"need": "CALL", "best": ["a"], "arguments": {"a": {"b": {"pattern": "("}}}}},
        "gold.arguments.a.b.pattern: '(': no regular expression",
    ),
    "a time without offset": ({"time": "2026-01-01T00:00:00"}, "time: '2026-01-01T00:00:00'"),
    "no time": (
        {"recorded": [{"tool": "a", "received_at": "noon"}]},
        "recorded[0].received_at: 'noon': no time; write 2026-01-01T00:00:00Z",
    ),
    "a trace id that is none": ({"origin": {"trace_id": "AB"}}, "origin.trace_id: 'AB': expected"),
    "a span id that is none": (
        {"origin": {"trace_id": "a" * 32, "span_id": "x"}},
        "origin.span_id: 'x': expected 16",
    ),
    "a turn before the first": (
        {"origin": {"trace_id": "a" * 32, "turn_index": -1}},
        "origin.turn_index: -1: expected 0 or more",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_case_names_its_file_the_field_and_what_to_do(name: str) -> None:
    fields, sentence = WRONG[name]
    with pytest.raises(CaseError) as caught:
        case_from_json(DECISION | fields, "cases/a.json")
    message = str(caught.value)
    assert message.startswith("cases/a.json: ")
    assert sentence in message
    assert message.endswith("(replay case)")


def test_all_that_is_wrong_is_told_at_once() -> None:
    with pytest.raises(CaseError) as caught:
        case_from_json({"case_id": "a", "kind": "decision", "time": "x"})
    assert [problem.split(":")[0] for problem in caught.value.problems] == [
        "input",
        "offered",
        "gold",
        "time",
    ]


@pytest.mark.parametrize("value", [None, [], "text", 7])
def test_what_is_no_object_is_no_case(value: object) -> None:
    with pytest.raises(CaseError, match="expected an object"):
        case_from_json(value)


def test_files_are_read_by_id_and_written_under_it(tmp_path: Path) -> None:
    for case_id in ("b", "a"):
        path = write_case(case_from_json(DECISION | {"case_id": case_id}), tmp_path / "deep")
        assert path.name == f"{case_id}.json"
    (tmp_path / "notes.txt").write_text("no case", encoding="utf-8")
    assert [case.case_id for case in read_case_dir(tmp_path)] == ["a", "b"]


def test_a_written_case_has_one_key_a_line_and_keeps_chinese_readable(tmp_path: Path) -> None:
    text = write_case(case_from_json(DECISION), tmp_path).read_text(encoding="utf-8")
    assert '      "text": "202611200815 发货了吗"\n' in text
    assert text.endswith("}\n")


def test_what_cannot_be_read_names_the_file(tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text("{", encoding="utf-8")
    with pytest.raises(CaseError, match=r"broken\.json: is no JSON"):
        read_case(broken)
    with pytest.raises(CaseError, match=r"missing\.json: cannot be read"):
        read_case(tmp_path / "missing.json")
    with pytest.raises(CaseError, match="no such folder"):
        read_case_dir(tmp_path / "nowhere")


def test_two_files_with_one_id_are_refused(tmp_path: Path) -> None:
    case = case_from_json(DECISION)
    write_case(case, tmp_path / "one")
    write_case(case, tmp_path / "two")
    with pytest.raises(CaseError, match=r"two.*case_id: where-is-my-order: .*one.* has it too"):
        read_case_dir(tmp_path)


def test_a_case_covers_the_tools_it_names() -> None:
    case = case_from_json(
        DECISION
        | {
            "gold": {"need": "CALL", "best": ["a"], "acceptable": ["b"], "forbidden": ["c"]},
            "chosen": {"tool": "d"},
            "recorded": [{"tool": "a"}, {"tool": "e"}],
        }
    )
    assert case.tools == ("a", "b", "c", "d", "e")
    assert case_from_json(DECISION | {"chosen": {"tool": "NO_CALL"}}).tools == (
        "query_order_status",
    )


_texts = st.text(max_size=20).filter(lambda text: text.isprintable())
_json = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | _texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_texts, inner, max_size=3),
    max_leaves=6,
)
_objects = st.dictionaries(_texts, _json, max_size=3)
_tools = st.sampled_from(["query_order_status", "search_orders", "工具"])
_maybe_text = st.none() | _texts
_gold = st.builds(
    Gold,
    need=st.just("CALL"),
    best=st.lists(_tools, min_size=1, max_size=3).map(tuple),
    arguments=st.dictionaries(
        _tools,
        st.dictionaries(
            _texts,
            st.builds(
                ArgumentRule,
                values=st.lists(_json, max_size=3).map(tuple),
                pattern=st.sampled_from([None, "[0-9]{12}"]),
                is_ignored=st.booleans(),
                is_optional=st.booleans(),
            ),
            max_size=2,
        ),
        max_size=2,
    ),
)
_cases = st.builds(
    Case,
    case_id=st.from_regex(r"\A[A-Za-z0-9][A-Za-z0-9._-]{0,30}\Z"),
    kind=st.sampled_from(CaseKind),
    title=_maybe_text,
    time=st.sampled_from([None, "2026-11-29T09:30:00+08:00"]),
    is_retired=st.booleans(),
    origin=st.none() | st.builds(Origin, st.just("a" * 32), st.none(), st.none() | st.just(3)),
    input=st.lists(
        st.builds(Passage, _texts, _texts, st.sampled_from(["text", "call", "answer"])),
        min_size=1,
        max_size=3,
    ).map(tuple),
    context=st.none() | _objects,
    offered=st.lists(
        st.builds(Offered, _tools, _maybe_text, st.none() | _objects), min_size=1, max_size=3
    ).map(tuple),
    recorded=st.lists(
        st.builds(Recorded, _tools, _json, st.none() | _objects), min_size=1, max_size=3
    ).map(tuple),
    chosen=st.none() | st.builds(Chosen, _tools, st.none() | _objects),
    gold=_gold,
    expected=st.builds(
        Expected,
        st.none()
        | st.lists(st.builds(ExpectedFact, _texts, _texts, _texts, value=_json)).map(tuple),
        st.none() | st.builds(ExpectedPrompt, _texts),
        _json,
    ),
)


@given(_cases)
def test_a_case_reads_back_from_the_json_it_was_written_as(case: Case) -> None:
    written = orjson.dumps(case_to_json(case))
    assert case_from_json(orjson.loads(written)) == case
