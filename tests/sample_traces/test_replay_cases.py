"""The world's own cases: what they say is right is what its judge said, from its own records."""

import gzip
import json
from collections import Counter
from collections.abc import Mapping
from datetime import datetime

import pytest

import sample_traces
from pipeline.observation import (
    ToolOutput,
    build_observation_input,
    decode_context,
    package_rules,
)
from pipeline.replay import Case, CaseKind, case_from_json, case_to_json, label_choice
from replay_store import Database
from replay_store.replay.capture import Wanted, capture
from sample_traces.world import World

Decision = tuple[object, object, object]


@pytest.fixture(scope="module")
def cases() -> list[Case]:
    """The cases as they lie in git."""
    lines = gzip.decompress(sample_traces.paths()[3].read_bytes()).splitlines()
    return [case_from_json(json.loads(line)) for line in lines]


def _of(cases: list[Case], kind: CaseKind) -> list[Case]:
    return [case for case in cases if case.kind is kind]


def test_every_line_is_a_case_and_says_no_more_than_it_must(cases: list[Case]) -> None:
    lines = gzip.decompress(sample_traces.paths()[3].read_bytes()).splitlines()
    assert [case_to_json(case) for case in cases] == [json.loads(line) for line in lines]
    assert len({case.case_id for case in cases}) == len(cases)


def test_each_replay_label_has_its_case_and_the_case_gives_the_label_again(
    world: World, cases: list[Case]
) -> None:
    labels: Mapping[Decision, object] = {
        (row["trace_id"], row["turn_index"], row["call_index"]): row["label"]
        for row in world.label_rows
        if row["source"] == "replay"
    }
    found: dict[Decision, object] = {}
    for case in _of(cases, CaseKind.DECISION):
        assert case.origin is not None
        assert case.gold is not None
        assert case.chosen is not None
        place = (case.origin.trace_id, case.origin.turn_index, case.origin.call_index)
        found[place] = label_choice(case.gold, case.offered, case.chosen).label
    assert found == labels
    assert len(set(labels.values())) >= 5


def test_observations_cover_every_tool_that_is_read_and_every_way_it_turns_out(
    cases: list[Case],
) -> None:
    observed = _of(cases, CaseKind.OBSERVATION)
    covered = {tool for case in observed for tool in case.tools}
    read = {"query_order_status", "get_user_points", "check_coupon", "inventory_check",
            "sales_summary"}  # fmt: skip
    assert covered == read
    kinds = Counter(
        fact.kind for case in observed for fact in (case.expected and case.expected.facts) or ()
    )
    assert set(kinds) == {"FACT", "UNKNOWN", "UNPARSED", "FAILED", "DEGRADED"}
    assert any("CONFLICT" in (case.title or "") for case in observed)


def test_playing_an_observation_by_the_rules_that_recorded_it_gives_its_prompt_again(
    cases: list[Case],
) -> None:
    n_read = 0
    for case in _of(cases, CaseKind.OBSERVATION):
        outputs = [
            ToolOutput(item.tool, item.version, _moment(item.received_at), item.body,
                       item.error, item.degradation)
            for item in case.recorded
        ]  # fmt: skip
        text = build_observation_input(
            outputs, decode_context(json.dumps(case.context)), cni_enabled=False
        )
        assert case.expected is not None
        assert case.expected.prompt is not None
        assert text == case.expected.prompt.text
        n_read += 1
    assert n_read > 10
    assert package_rules().version == "0"


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


def test_tasks_are_one_for_each_intent_that_went_well(world: World, cases: list[Case]) -> None:
    tasks = _of(cases, CaseKind.END_TO_END)
    assert len(tasks) == len({truth["intent"] for truth in world.truth.values()})
    for case in tasks:
        assert case.origin is not None
        assert case.gold is not None
        assert list(case.gold.best) == world.truth[case.origin.trace_id]["tools"]
        assert [item.tool for item in case.recorded] == list(case.gold.best)
    assert [case.case_id for case in tasks if case.gold and not case.gold.is_ordered] != []


def test_a_case_taken_from_the_stored_trace_is_the_one_the_world_wrote(
    store: Database, cases: list[Case]
) -> None:
    for case in cases[::7]:  # of each kind some: every one costs queries over the whole store
        assert case.origin is not None
        accept = case.kind is not CaseKind.OBSERVATION
        wanted = Wanted(frozenset({case.kind}), case.origin.turn_index, accept=accept)
        captured = capture(store, case.origin.trace_id, wanted, str(case.time))
        [taken] = [
            found
            for found in captured.cases
            if case.kind is CaseKind.END_TO_END or found.origin == case.origin
        ]
        assert (taken.input, taken.offered, taken.context) == (
            case.input, case.offered, case.context,
        )  # fmt: skip
        assert (taken.chosen, taken.expected) == (case.chosen, case.expected)
        if case.gold is not None and taken.gold is not None:
            assert (taken.gold.need, taken.gold.best) == (case.gold.need, case.gold.best)
            assert taken.gold.is_ordered == case.gold.is_ordered
        bodies = [(item.tool, item.body, item.arguments) for item in taken.recorded]
        assert bodies == [(item.tool, item.body, item.arguments) for item in case.recorded]


def test_cases_load_into_the_store_with_the_other_files(store: Database, cases: list[Case]) -> None:
    rows = store.rows("select case_id from replay_case order by case_id")
    assert [row["case_id"] for row in rows] == sorted(case.case_id for case in cases)
    [line] = store.rows("select * from ingest_file where container = 'replay-cases'")
    assert (line["n_records"], line["n_stored"], line["n_rejected"]) == (len(cases), len(cases), 0)
