"""Decisions judged by the ground truth that came with the data."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ingest import import_paths
from metrics import LabelSource, by_container
from replay_store import Database, derive
from replay_store.expected import judge, judge_expected
from tests.stores import memory_store


def _call(name: str, arguments: Any = None, hash_: int = 0) -> dict[str, Any]:
    written = None if arguments is None else json.dumps(arguments)
    return {"tool_name": name, "arguments": written, "arguments_hash": hash_}


def _meant(name: str | None, match: str = "exact", arguments: Any = None, hash_: int = 0) -> Any:
    return _call(name or "", arguments, hash_) | {"tool_name": name, "match": match}


NONE = _call("NO_CALL")
CASES: dict[str, tuple[list[Any], list[Any], list[str]]] = {
    "right": ([_call("f")], [_meant("f")], ["RIGHT"]),
    "dots are underscores": ([_call("a_f")], [_meant("a.f")], ["RIGHT"]),
    "wrong arguments": ([_call("f", hash_=1)], [_meant("f")], ["RIGHT_TOOL_WRONG_ARGS"]),
    "wrong tool": ([_call("g")], [_meant("f")], ["WRONG_TOOL"]),
    "one too many": ([_call("f"), _call("f")], [_meant("f")], ["RIGHT", "SHOULD_NOT_HAVE_CALLED"]),
    "the whole call goes before": (
        [_call("f", hash_=9), _call("f", hash_=1)],
        [_meant("f", hash_=1), _meant("g")],
        ["WRONG_TOOL", "RIGHT"],
    ),
    "no call at all": ([NONE], [_meant("f")], ["SHOULD_HAVE_CALLED"]),
    "turns between calls are not judged": ([NONE, _call("f"), NONE], [_meant("f")], ["RIGHT"]),
    "rightly none": ([NONE], [_meant(None, "no_call")], ["CORRECT_NO_CALL"]),
    "wrongly one": ([_call("f")], [_meant(None, "no_call")], ["SHOULD_NOT_HAVE_CALLED"]),
    "any call": ([_call("f")], [_meant(None, "any_call")], ["ACCEPTABLE_ALTERNATIVE"]),
    "none where any": ([NONE], [_meant(None, "any_call")], ["SHOULD_HAVE_CALLED"]),
    "one of several values": (
        [_call("f", {"city": "New York, NY"})],
        [_meant("f", "any_of", {"city": ["new york ny", "NYC"], "unit": ["", "km"]})],
        ["RIGHT"],
    ),
    "an argument too many": (
        [_call("f", {"city": "NYC", "x": 1})],
        [_meant("f", "any_of", {"city": ["NYC"]})],
        ["RIGHT_TOOL_WRONG_ARGS"],
    ),
    "an argument missing": (
        [_call("f", {})], [_meant("f", "any_of", {"city": ["NYC"]})], ["RIGHT_TOOL_WRONG_ARGS"],
    ),
    "truth is no number": (
        [_call("f", {"n": True})], [_meant("f", "any_of", {"n": [1]})], ["RIGHT_TOOL_WRONG_ARGS"],
    ),
    "values within values": (
        [_call("f", {"a": {"b": 2, "c": [1, "X"]}})],
        [_meant("f", "any_of", {"a": [{"b": [1, 2.0], "c": [[1, "x"]]}]})],
        ["RIGHT"],
    ),
    "arguments that are no object": (
        [_call("f", "text")], [_meant("f", "any_of", {})], ["RIGHT_TOOL_WRONG_ARGS"],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_decision_is_judged_by_what_its_case_expects(case: str) -> None:
    decisions, expected, labels = CASES[case]
    assert [item.label for item in judge(decisions, expected)] == labels


@pytest.fixture
def take(tmp_path: Path) -> Callable[..., None]:
    def taken(database: Database, name: str, *lines: Any) -> None:
        path = tmp_path / name
        path.write_text("\n".join(json.dumps(line) for line in lines))
        import_paths([path], database)
        derive(database)

    return taken


def test_results_are_judged_once_whichever_file_came_first(take: Callable[..., None]) -> None:
    right = {"id": "simple_python_0", "result": [{"f": '{"a": 1}'}], "latency": 1.0}
    wrong = {"id": "simple_python_1", "result": "I cannot.", "latency": 3.0}
    answers = [
        {"id": f"simple_python_{index}", "ground_truth": [{"f": {"a": [1]}}]} for index in range(2)
    ]
    with memory_store() as database:
        take(database, "BFCL_v4_simple_python_result.json", right, wrong)
        assert judge_expected(database) == 0
        take(database, "BFCL_v4_simple_python.json", *answers)
        assert judge_expected(database) == judge_expected(database) == 2
        rows = database.rows("select label, expected_tool, annotator_kind, source from label")
        report = by_container(database)["bfcl-results"]
    assert sorted(tuple(row.values()) for row in rows) == [
        ("RIGHT", "f", "RULE", LabelSource.REPLAY),
        ("SHOULD_HAVE_CALLED", "f", "RULE", LabelSource.REPLAY),
    ]
    assert (report.n_judged, report.n_right_tool, report.n_right_call) == (2, 1, 1)
    assert report.turn_p95_ms == pytest.approx(2_900)


def test_a_store_without_cases_is_not_judged() -> None:
    with memory_store() as database:
        assert judge_expected(database) == 0
