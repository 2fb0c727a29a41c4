"""Labels: each points at a decision that exists, with a weight that fits the draw."""

import json
from collections import Counter
from datetime import datetime

from pipeline.vocabulary import AnnotatorKind, SelectionLabel
from sample_traces.audit import BATCHES, DECISIONS_PER_TRACE, label_rows
from sample_traces.timeline import epoch_ns
from sample_traces.truth import JudgedDecision
from sample_traces.world import World


def _decisions(world: World) -> dict[tuple[object, ...], str]:
    """What the spans show: (trace, turn, call) to the tool asked for."""
    found: dict[tuple[object, ...], str] = {}
    for trace_id, spans in world.traces.items():
        chats = [s for s in spans if "gen_ai.output.messages" in (s.attributes or {})]
        for turn, span in enumerate(sorted(chats, key=lambda s: s.start_time or 0)):
            (message,) = json.loads(str((span.attributes or {})["gen_ai.output.messages"]))
            calls = [part["name"] for part in message["parts"] if part["type"] == "tool_call"]
            for position, name in enumerate(calls):
                found[trace_id, turn, position] = name
            if not calls:
                found[trace_id, turn, None] = "NO_CALL"
    return found


def _audited(world: World) -> list[dict[str, object]]:
    return [dict(row) for row in world.label_rows if row["source"] == "audit"]


def _key(row: dict[str, object]) -> tuple[object, ...]:
    return row["trace_id"], row["turn_index"], row["call_index"]


def test_every_label_points_at_a_decision_of_a_finished_run(world: World) -> None:
    known = _decisions(world)
    for row in map(dict, world.label_rows):
        assert _key(row) in known
        assert world.truth[str(row["trace_id"])]["is_finished"]


def test_labels_agree_with_whether_a_call_was_made(world: World) -> None:
    known = _decisions(world)
    for row in map(dict, world.label_rows):
        label, tool = SelectionLabel(str(row["label"])), known[_key(row)]
        if label in (SelectionLabel.CORRECT_NO_CALL, SelectionLabel.SHOULD_HAVE_CALLED):
            assert tool == "NO_CALL"
        elif label is SelectionLabel.WRONG_TOOL:
            assert row["expected_tool"] not in (None, tool)
        elif label is SelectionLabel.RIGHT:
            assert row["expected_tool"] == tool


def test_every_label_occurs(world: World) -> None:
    assert {row["label"] for row in world.label_rows} == {label.value for label in SelectionLabel}


def test_no_decision_is_drawn_twice_and_no_trace_gives_more_than_two(world: World) -> None:
    rows = _audited(world)
    assert len(set(map(_key, rows))) == len(rows)
    assert max(Counter(row["trace_id"] for row in rows).values()) <= DECISIONS_PER_TRACE


def test_weights_add_up_to_the_decisions_there_are(world: World) -> None:
    finished = [k for k in _decisions(world) if world.truth[str(k[0])]["is_finished"]]
    weights = [1 / float(str(row["inclusion_probability"])) for row in _audited(world)]
    assert 0.93 < sum(weights) / len(finished) < 1.07
    assert max(weights) > 3 * min(weights)


def test_people_audit_and_the_replay_is_told_apart(world: World) -> None:
    kinds = {(row["source"], row["annotator_kind"]) for row in world.label_rows}
    assert kinds == {("audit", AnnotatorKind.HUMAN), ("replay", AnnotatorKind.RULE)}
    assert len({row["annotator"] for row in _audited(world)}) == 3
    assert 1080 <= len(_audited(world)) <= 1120
    assert sum(row["source"] == "replay" for row in world.label_rows) == 40


def test_more_is_judged_of_the_last_week(world: World) -> None:
    sizes = Counter(row["batch_id"] for row in _audited(world))
    assert list(sizes) == [batch.name for batch in BATCHES]
    assert sizes[BATCHES[1].name] > 1.5 * sizes[BATCHES[0].name]


def test_times_carry_an_offset(world: World) -> None:
    for row in world.label_rows:
        assert datetime.fromisoformat(str(row["time"])).utcoffset() is not None


def test_a_trace_with_few_decisions_is_drawn_whole() -> None:
    at_ns = epoch_ns(BATCHES[0].start)
    decision = JudgedDecision(
        "0" * 32, 0, None, at_ns, "NO_CALL", SelectionLabel.CORRECT_NO_CALL, None
    )
    first, *replayed = label_rows([decision], seed=1)
    assert first["inclusion_probability"] == 1.0
    assert [row["source"] for row in replayed] == ["replay"]
