"""Decisions judged by the ground truth that came with the data: labels of a rule, source replay.

Only runs of cases that tell everything that is right are judged. A turn that asks for no call is
judged where none is expected, or where a call was expected and the whole run made none.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any, Final, NamedTuple

from pipeline.vocabulary import NO_CALL, AnnotatorKind, Match, SelectionLabel
from replay_store.database import Database
from replay_store.records import Label
from replay_store.statements import statement
from replay_store.writer import Batch, Writer

ANNOTATOR: Final = "ground truth"
_Row = Mapping[str, Any]
_IGNORED: Final = str.maketrans("", "", " ,./-_*^")


class Judged(NamedTuple):
    """The verdict on one decision."""

    decision: _Row
    label: SelectionLabel
    expected_tool: str | None


def judge_expected(database: Database) -> int:
    """Make the labels of all judged runs anew.

    Returns:
        How many decisions were judged; 0 for a store without such cases.
    """
    expected = _by_trace(database.rows(statement("sql/expected_calls")))
    labels: list[Label] = []
    if expected:
        parameters = {"trace_ids": list(expected)}
        decisions = _by_trace(database.rows(statement("sql/expected_decisions"), parameters))
        for trace_id, made in decisions.items():
            first = expected[trace_id][0]
            labels.extend(_label(item, first) for item in judge(made, expected[trace_id]))
    with database.transaction() as cursor:
        cursor.execute(statement("sql/forget_expected_labels"), {"annotator": ANNOTATOR})
    if labels:
        Writer(database).write(Batch(labels=labels))
    return len(labels)


def judge(decisions: Sequence[_Row], expected: Sequence[_Row]) -> list[Judged]:
    """The verdicts on the decisions of one run, in order; some get none.

    Args:
        decisions: `tool_name` (NO_CALL for none), `arguments` as JSON text, `arguments_hash`.
        expected: `tool_name`, `arguments` as JSON text, `arguments_hash`, `match`.
    """
    calls = [item for item in decisions if item["tool_name"] != NO_CALL]
    turns = [item for item in decisions if item["tool_name"] == NO_CALL]
    kinds = {item["match"] for item in expected}
    if kinds == {Match.NO_CALL}:
        wrong = [Judged(call, SelectionLabel.SHOULD_NOT_HAVE_CALLED, NO_CALL) for call in calls]
        return wrong or [Judged(turn, SelectionLabel.CORRECT_NO_CALL, NO_CALL) for turn in turns]
    if not calls:
        missed = next((item["tool_name"] for item in expected if item["tool_name"]), None)
        return [Judged(turn, SelectionLabel.SHOULD_HAVE_CALLED, missed) for turn in turns[-1:]]
    if kinds == {Match.ANY_CALL}:
        return [Judged(call, SelectionLabel.ACCEPTABLE_ALTERNATIVE, None) for call in calls]
    return _matched(calls, [item for item in expected if item["tool_name"]])


def _matched(calls: Sequence[_Row], expected: Sequence[_Row]) -> list[Judged]:
    """Whole calls are matched first, so that one with wrong arguments takes no other's place."""
    waiting = list(expected)
    found: dict[int, Judged] = {}
    for fits, label in (
        (_is_call, SelectionLabel.RIGHT),
        (_is_tool, SelectionLabel.RIGHT_TOOL_WRONG_ARGS),
    ):
        for index, call in enumerate(calls):
            meant = next((item for item in waiting if fits(call, item)), None)
            if index not in found and meant is not None:
                waiting.remove(meant)
                found[index] = Judged(call, label, meant["tool_name"])
    for index, call in enumerate(calls):
        if index not in found and waiting:
            meant = waiting.pop(0)
            found[index] = Judged(call, SelectionLabel.WRONG_TOOL, meant["tool_name"])
        elif index not in found:
            found[index] = Judged(call, SelectionLabel.SHOULD_NOT_HAVE_CALLED, NO_CALL)
    return [found[index] for index in range(len(calls))]


def _is_tool(call: _Row, meant: _Row) -> bool:
    return _folded(call["tool_name"]) == _folded(meant["tool_name"])


def _is_call(call: _Row, meant: _Row) -> bool:
    if not _is_tool(call, meant):
        return False
    if meant["match"] == Match.NAME_ONLY:
        return True
    if meant["match"] == Match.ANY_OF:
        return _are_acceptable(_value(call["arguments"]), _value(meant["arguments"]))
    return bool(call["arguments_hash"] == meant["arguments_hash"])


def _folded(name: str) -> str:
    """APIs forbid dots and dashes in names, so models give them back as underscores."""
    return name.replace(".", "_").replace("-", "_")


def _value(text: str | None) -> Any:
    try:
        return json.loads(text) if text else {}
    except ValueError:
        return text


def _are_acceptable(given: Any, acceptable: Any) -> bool:
    """Each argument is one of its values, none is missing that may not be left out, none is more."""
    if not isinstance(given, dict) or not isinstance(acceptable, dict):
        return False
    if not given.keys() <= acceptable.keys():
        return False
    return all(
        any(_is_same(given[name], value) for value in _listed(values))
        if name in given
        else "" in _listed(values)
        for name, values in acceptable.items()
    )


def _listed(values: Any) -> list[Any]:
    return values if isinstance(values, list) else [values]


def _is_same(given: Any, value: Any) -> bool:
    if isinstance(given, str) and isinstance(value, str):
        return given.lower().translate(_IGNORED) == value.lower().translate(_IGNORED)
    if isinstance(given, dict) and isinstance(value, dict):
        return _are_acceptable(given, value)
    if isinstance(given, list) and isinstance(value, list):
        pairs = zip(given, value, strict=False)
        return len(given) == len(value) and all(_is_same(mine, theirs) for mine, theirs in pairs)
    return bool(given == value) and isinstance(given, bool) == isinstance(value, bool)


def _by_trace(rows: Sequence[_Row]) -> dict[str, list[_Row]]:
    return {key: list(part) for key, part in groupby(rows, lambda row: str(row["trace_id"]))}


def _label(judged: Judged, expected: _Row) -> Label:
    made = judged.decision
    key = f"{made['trace_id']}|{made['turn_index']}|{made['call_index']}|{judged.label}"
    digest = hashlib.sha256(key.encode()).digest()
    return Label(
        label_id=digest[:8].hex(),
        record_hash=int.from_bytes(digest[:8]),
        trace_id=str(made["trace_id"]),
        turn_index=int(made["turn_index"]),
        call_index=made["call_index"],
        label=judged.label,
        sub=None,
        expected_tool=judged.expected_tool,
        annotator=ANNOTATOR,
        annotator_kind=AnnotatorKind.RULE,
        source="replay",
        batch_id=None,
        inclusion_probability=1.0,
        time_ns=made["time_ns"],
        note=None,
        file_id=expected["file_id"],
        record_index=0,
        received_time_ns=int(expected["received_time_ns"]),
    )
