"""Cases and runs in the store: versions beside each other, runs whole, cases from any trace."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

import orjson
import pytest

from ingest import import_paths
from pipeline.replay import Case, CaseKind, Chosen, Gold, case_from_json, label_choice, write_case
from pipeline.replay.outcome import Change, Compared, Outcome
from pipeline.replay.playing import compare
from pipeline.replay.setup import AS_RECORDED, Setup
from pipeline.vocabulary import AnnotatorKind, SelectionLabel
from replay_store import Batch, Database, Writer
from replay_store.records import Label
from replay_store.replay import (
    CaseFilter,
    ReplayRunError,
    RunTold,
    case_history,
    get_run,
    keep_cases,
    keep_run,
    played_run,
    runs,
    stored_cases,
)
from replay_store.replay.capture import CaptureError, Wanted, capture
from replay_store.replay.gold import gold_of_label, gold_of_task, right_call
from replay_store.replay.parts import answers
from tests.observed import Recorder, order, points

if TYPE_CHECKING:
    from tests.replay_store.conftest import Agent

MADE = "2026-11-29T09:30:00+08:00"
TOLD = RunTold("contracts", "as recorded", "contracts head (abc)", "lexical", "lin", "0.1.0", 7, 9)
CASE: dict[str, Any] = {
    "case_id": "one",
    "kind": "decision",
    "time": MADE,
    "input": [{"role": "user", "text": "q"}],
    "offered": [{"name": "a"}, {"name": "b"}],
    "chosen": {"tool": "a"},
    "gold": {"need": "CALL", "best": ["a"]},
}


def _case(**more: Any) -> Case:
    return case_from_json(CASE | more)


def test_the_newest_version_of_a_case_counts_and_the_same_one_is_kept_once(
    database: Database,
) -> None:
    assert keep_cases(database, [_case(), _case(case_id="two")], lambda: 1) == 2
    assert keep_cases(database, [_case()], lambda: 2) == 0
    assert keep_cases(database, [_case(title="new")], lambda: 3) == 1
    found = stored_cases(database)
    assert [(item.case.case_id, item.case.title) for item in found] == [
        ("one", "new"),
        ("two", None),
    ]
    assert found[0].received_time_ns == 3


def test_a_retired_case_is_left_out_unless_asked_for(database: Database) -> None:
    keep_cases(database, [_case()], lambda: 1)
    keep_cases(database, [_case(is_retired=True)], lambda: 2)
    assert stored_cases(database) == []
    [found] = stored_cases(database, CaseFilter(has_retired=True))
    assert found.case.is_retired


FILTERS = {
    CaseFilter(kinds=(CaseKind.OBSERVATION,)): ["seen"],
    CaseFilter(kinds=(CaseKind.OBSERVATION, CaseKind.DECISION)): ["one", "seen"],
    CaseFilter(case_ids=("one", "none")): ["one"],
    CaseFilter(tool_name="t"): ["seen"],
    CaseFilter(trace_id="a" * 32): ["one"],
}


@pytest.mark.parametrize("wanted", FILTERS)
def test_cases_are_found_by_kind_id_tool_and_trace(database: Database, wanted: CaseFilter) -> None:
    seen = {"case_id": "seen", "kind": "observation", "recorded": [{"tool": "t"}]}
    origin = {"trace_id": "a" * 32}
    keep_cases(
        database,
        [_case(origin=origin), case_from_json(seen | {"expected": {"facts": []}})],
        lambda: 1,
    )
    assert [item.case.case_id for item in stored_cases(database, wanted)] == FILTERS[wanted]


def test_a_case_kept_here_and_its_file_read_in_are_the_same_version(
    database: Database, tmp_path: Path
) -> None:
    case = _case(origin={"trace_id": "a" * 32, "turn_index": 1})
    keep_cases(database, [case], lambda: 1)
    path = tmp_path / "cases.jsonl"
    path.write_bytes(orjson.dumps(orjson.loads(write_case(case, tmp_path / "x").read_bytes())))
    [line] = import_paths([path], database, clock=lambda: 2)
    assert (line.n_stored, line.n_merged) == (0, 1)


def _compared() -> list[Compared]:
    right = Outcome(True, SelectionLabel.RIGHT, "a")
    wrong = Outcome(False, SelectionLabel.WRONG_TOOL, "b", problems=("chose b: a was right",))
    nobody = Outcome(None, skipped="no answer \x00\ud800")
    pairs = [(right, right), (right, wrong), (wrong, right), (wrong, wrong), (right, nobody)]
    return [
        Compared(_case(case_id=f"c{at}", origin={"trace_id": "b" * 32}), before, after)
        for at, (before, after) in enumerate(pairs)
    ]


def test_a_run_is_read_back_as_it_was_played(database: Database) -> None:
    played = played_run(TOLD, _compared())
    keep_run(database, played)
    run = played.run
    assert (run.n_cases, run.n_broken, run.n_fixed) == (5, 1, 1)
    assert (run.n_same_right, run.n_same_wrong, run.n_skipped) == (1, 1, 1)
    found = get_run(database, run.run_id)
    assert found == played
    assert [result.change for result in found.results] == [
        "same_right", "broken", "fixed", "same_wrong", "skipped",
    ]  # fmt: skip
    assert found.results[1].diff == [
        "- tool: a",
        "+ tool: b",
        "- label: RIGHT",
        "+ label: WRONG_TOOL",
    ]
    assert found.results[1].trace_id == "b" * 32


def test_runs_are_listed_newest_first_and_a_case_tells_its_history(database: Database) -> None:
    for started in (10, 30, 20):
        keep_run(database, played_run(replace(TOLD, started_time_ns=started), _compared()))
    assert [run.started_time_ns for run in runs(database)] == [30, 20, 10]
    assert [run.started_time_ns for run in runs(database, limit=1)] == [30]
    history = case_history(database, "c1")
    assert [(item.started_time_ns, item.change) for item in history] == [
        (30, Change.BROKEN), (20, Change.BROKEN), (10, Change.BROKEN),
    ]  # fmt: skip
    assert case_history(database, "nobody") == []


def test_a_run_without_cases_is_kept_and_an_unknown_one_is_named(database: Database) -> None:
    played = played_run(TOLD, [])
    keep_run(database, played)
    assert get_run(database, played.run.run_id).results == ()
    with pytest.raises(ReplayRunError, match="not in this store; choose another"):
        get_run(database, UUID(int=5))


def test_keeping_cases_and_runs_moves_the_version_of_the_store(database: Database) -> None:
    def version() -> int:
        row = database.row("select version from store_state")
        assert row is not None
        return int(row["version"])

    versions = [version()]
    keep_cases(database, [_case()], lambda: 1)
    versions.append(version())
    keep_run(database, played_run(TOLD, _compared()))
    versions.append(version())
    assert versions == sorted(set(versions))


LABELS: dict[tuple[SelectionLabel, str | None, Chosen], Gold | None] = {
    (SelectionLabel.CORRECT_NO_CALL, None, Chosen("NO_CALL")): Gold("NO_CALL"),
    (SelectionLabel.SHOULD_NOT_HAVE_CALLED, None, Chosen("a")): Gold("NO_CALL"),
    (SelectionLabel.SHOULD_HAVE_CALLED, "b", Chosen("NO_CALL")): Gold("CALL", ("b",)),
    (SelectionLabel.SHOULD_HAVE_CALLED, None, Chosen("NO_CALL")): None,
    (SelectionLabel.WRONG_TOOL, "b", Chosen("a")): Gold("CALL", ("b",)),
    (SelectionLabel.WRONG_TOOL, None, Chosen("a")): None,
    (SelectionLabel.WRONG_TOOL, "NO_CALL", Chosen("a")): Gold("NO_CALL"),
    (SelectionLabel.RIGHT_TOOL_WRONG_ARGS, "a", Chosen("a")): Gold("CALL", ("a",)),
    (SelectionLabel.ACCEPTABLE_ALTERNATIVE, "b", Chosen("a")): Gold("CALL", ("b",), ("a",)),
    (SelectionLabel.ACCEPTABLE_ALTERNATIVE, None, Chosen("a")): Gold("CALL", ("a",)),
    (SelectionLabel.RIGHT, "a", Chosen("a")): Gold("CALL", ("a",)),
    (SelectionLabel.CANT_TELL, None, Chosen("a")): None,
}


@pytest.mark.parametrize("given", [key[:2] for key in LABELS], ids=lambda key: f"{key[0]} {key[1]}")
def test_a_label_says_what_was_right_or_nothing(given: tuple[SelectionLabel, str | None]) -> None:
    [(key, gold)] = [(key, gold) for key, gold in LABELS.items() if key[:2] == given]
    label, expected, chosen = key
    found = gold_of_label(label, expected, chosen)
    if gold is None:
        assert found is None
        return
    assert found is not None
    assert (found.need, found.best, found.acceptable) == (gold.need, gold.best, gold.acceptable)
    told_apart = {SelectionLabel.RIGHT_TOOL_WRONG_ARGS, SelectionLabel.ACCEPTABLE_ALTERNATIVE}
    if label not in told_apart and expected != "NO_CALL":
        assert label_choice(found, (), chosen).label is label


def test_what_was_right_of_a_task_is_the_calls_that_were() -> None:
    a, b = (right_call(Chosen(tool, {"x": 1})) for tool in "ab")
    nothing = right_call(Chosen("NO_CALL"))
    task = gold_of_task([a, b, a, nothing], [0, 1, 2])
    assert (task.best, task.is_ordered, list(task.arguments)) == (("a", "b", "a"), True, ["b"])
    assert not gold_of_task([a, b, nothing], [0, 0]).is_ordered
    assert gold_of_task([a], [0]).is_ordered
    assert gold_of_task([nothing], []).need == "NO_CALL"


DEFINITIONS = orjson.dumps(
    [{"name": name, "description": f"about {name}", "parameters": {"type": "object"}}
     for name in ("query_order", "search")]
).decode()  # fmt: skip
GIVEN = orjson.dumps([{"role": "user", "parts": [{"type": "text", "content": "where?"}]}]).decode()


@pytest.fixture
def trace_id(agent: "Agent") -> str:
    """A call that ran, then an answer."""
    shown = {"gen_ai.tool.definitions": DEFINITIONS, "gen_ai.input.messages": GIVEN}
    agent.root()
    agent.model(2, 1, 2, asks=(("c1", "query_order", {"no": "7"}),), attributes=shown)
    agent.tool(
        3, 2, 3, "query_order", call_id="c1", arguments='{"no":"7"}', result='{"status":"x"}'
    )
    agent.model(4, 4, 5, says="done", attributes=shown)
    agent.write()
    row = agent.database.row("select hex_trace(trace_id) as trace_id from trace")
    assert row is not None
    found: str = row["trace_id"]
    return found


DECISIONS = frozenset({CaseKind.DECISION})


def _label(trace_id: str, label: SelectionLabel, expected: str | None, **more: Any) -> Label:
    fields: dict[str, Any] = {
        "label_id": "l", "record_hash": 1, "trace_id": trace_id, "turn_index": 0, "call_index": 0,
        "label": label, "sub": None, "expected_tool": expected, "annotator": "lin",
        "annotator_kind": AnnotatorKind.HUMAN, "source": "audit", "batch_id": None,
        "inclusion_probability": 1.0, "time_ns": 5, "note": None, "file_id": UUID(int=1),
        "record_index": 0, "received_time_ns": 5,
    }  # fmt: skip
    return Label(**fields | more)


def test_a_decision_becomes_a_case_when_somebody_says_what_was_right(
    database: Database, trace_id: str
) -> None:
    with pytest.raises(CaptureError, match="turn 0: nobody said what is right; label it"):
        capture(database, trace_id, Wanted(DECISIONS), MADE)
    accepted = capture(database, trace_id, Wanted(DECISIONS, accept=True), MADE)
    first, last = accepted.cases
    assert first.case_id == f"decision-{trace_id[:8]}-0-0"
    assert first.title == "where?"
    assert [tool.name for tool in first.offered] == ["query_order", "search"]
    assert first.offered[0].description == "about query_order"
    assert first.chosen == Chosen("query_order", {"no": "7"})
    assert first.time == MADE
    assert last.chosen == Chosen("NO_CALL")
    assert last.gold == Gold("NO_CALL")
    assert [item.change for item in compare(accepted.cases, AS_RECORDED, Setup("x"))] == [
        Change.SAME_RIGHT,
        Change.SAME_RIGHT,
    ]


def test_what_a_person_expects_comes_before_labels_and_labels_before_acceptance(
    database: Database, trace_id: str
) -> None:
    Writer(database).write(Batch(labels=[_label(trace_id, SelectionLabel.WRONG_TOOL, "search")]))
    [labelled] = capture(database, trace_id, Wanted(DECISIONS, 0, accept=True), MADE).cases
    assert labelled.gold == Gold("CALL", best=("search",))
    wanted = Wanted(DECISIONS, 0, "NO_CALL", accept=True)
    [expected] = capture(database, trace_id, wanted, MADE).cases
    assert expected.gold == Gold("NO_CALL")


def test_people_s_labels_come_before_a_rule_s_and_later_before_earlier(
    database: Database, trace_id: str
) -> None:
    rule = AnnotatorKind.RULE
    labels = [
        _label(trace_id, SelectionLabel.RIGHT, None, time_ns=1, record_hash=1),
        _label(trace_id, SelectionLabel.WRONG_TOOL, "search", time_ns=2, record_hash=2),
        _label(trace_id, SelectionLabel.RIGHT, None, time_ns=9, annotator_kind=rule, record_hash=3),
    ]
    Writer(database).write(Batch(labels=labels))
    [case] = capture(database, trace_id, Wanted(DECISIONS, 0), MADE).cases
    assert case.gold == Gold("CALL", best=("search",))


def test_what_settled_a_dispute_comes_before_what_raters_said_later(
    database: Database, trace_id: str
) -> None:
    settled = {"source": "adjudication", "time_ns": 2, "record_hash": 2}
    labels = [
        _label(trace_id, SelectionLabel.WRONG_TOOL, "search", **settled),
        _label(trace_id, SelectionLabel.RIGHT, None, time_ns=9, record_hash=3),
    ]
    Writer(database).write(Batch(labels=labels))
    [case] = capture(database, trace_id, Wanted(DECISIONS, 0), MADE).cases
    assert case.gold == Gold("CALL", best=("search",))


def test_a_whole_task_becomes_a_case_with_what_its_tools_answered(
    database: Database, trace_id: str
) -> None:
    wanted = Wanted(frozenset({CaseKind.END_TO_END}), accept=True)
    [case] = capture(database, trace_id, wanted, MADE).cases
    assert case.kind is CaseKind.END_TO_END
    assert case.gold is not None
    assert case.gold.best == ("query_order",)
    [answer] = case.recorded
    assert (answer.tool, answer.body, answer.arguments) == (
        "query_order", {"status": "x"}, {"no": "7"},
    )  # fmt: skip
    [played] = compare([case], AS_RECORDED, Setup("x"))
    assert played.change is Change.SAME_RIGHT
    with pytest.raises(CaptureError, match="nobody said of every decision what is right"):
        capture(database, trace_id, replace(wanted, accept=False), MADE)


def test_an_observation_becomes_a_case_that_its_own_rules_hold(
    database: Database, tmp_path: Path
) -> None:
    recorder = Recorder()
    recorder.observe([order(status="refunding"), points()])
    recorder.store(database, tmp_path)
    row = database.row("select hex_trace(trace_id) as trace_id from observation")
    assert row is not None
    captured = capture(database, row["trace_id"], Wanted(), MADE)
    [case] = captured.cases
    assert case.kind is CaseKind.OBSERVATION
    assert {fact.kind for fact in (case.expected and case.expected.facts) or ()} >= {
        "FACT",
        "UNKNOWN",
    }
    [played] = compare([case], AS_RECORDED, Setup("x"))
    assert (played.change, played.diff) == (Change.SAME_RIGHT, ())


def test_an_output_that_was_kept_in_part_makes_no_case(database: Database, tmp_path: Path) -> None:
    recorder = Recorder()
    recorder.observe([order(order_id="x" * 70_000)])
    recorder.store(database, tmp_path)
    row = database.row("select hex_trace(trace_id) as trace_id from observation")
    assert row is not None
    with pytest.raises(CaptureError, match="its raw outputs were not recorded whole"):
        capture(database, row["trace_id"], Wanted(), MADE)


def test_a_trace_that_is_not_there_or_shows_nothing_is_said_so(
    database: Database, agent: "Agent"
) -> None:
    with pytest.raises(CaptureError, match="not in this store; check the id"):
        capture(database, "0" * 31 + "1", Wanted(), MADE)
    agent.root()
    agent.model(2, 1, 2, says="done")
    agent.write()
    row = database.row("select hex_trace(trace_id) as trace_id from trace")
    assert row is not None
    with pytest.raises(CaptureError, match="the trace does not show"):
        capture(database, row["trace_id"], Wanted(accept=True), MADE)


@pytest.mark.parametrize(
    ("tool", "n_kept"),
    [
        pytest.param("get", 500, id="kept whole as a raw output"),
        pytest.param(None, 3_000, id="unnamed"),
    ],
)
def test_a_long_answer_is_kept_whole_once(agent: "Agent", tool: str | None, n_kept: int) -> None:
    answer = "文" * 3_000
    agent.root()
    attributes = {"gen_ai.tool.call.result": answer, "gen_ai.operation.name": "execute_tool"}
    named = {} if tool is None else {"gen_ai.tool.name": tool}
    run = agent.span(2, 1, 1, 2, name="execute_tool", attributes=attributes | named)
    agent.write()

    kept = agent.rows("call_evidence", "result", "position")
    assert kept == [(answer[:n_kept],)]
    assert agent.rows("tool_call", "result_preview", "call_index") == [(answer[:500],)]
    assert [recorded.body for recorded in answers(agent.database, run.trace_id, [])] == [answer]
