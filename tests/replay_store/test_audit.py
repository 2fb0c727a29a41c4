"""Draws are random but repeatable and frozen; labels supersede; a rater never sees an outcome."""

import dataclasses
from collections import Counter
from collections.abc import Iterator
from itertools import count
from typing import TYPE_CHECKING, Any
from uuid import UUID

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.vocabulary import NO_CALL, SelectionLabel
from replay_store import Database
from replay_store.audit import (
    MAX_ITEMS,
    batches,
    draw_batch,
    frame_size,
    get_batch,
    items,
)
from replay_store.audit_context import item_context, item_contexts, item_outcome
from replay_store.audit_labels import (
    LabelDraft,
    applies,
    batch_labels,
    judged_decisions,
    record_labels,
)
from replay_store.audit_messages import Passage, input_passages
from replay_store.audit_progress import progress
from replay_store.errors import AuditError
from replay_store.records import AuditBatch, Decision
from tests.stores import memory_store

if TYPE_CHECKING:
    from tests.replay_store.conftest import Agent

T0 = 1_764_547_200_000_000_000
HOUR = 3_600_000_000_000
OUTCOME = "marker-of-the-outcome"
HOSTILE = "<script>alert(1)</script> ![](http://evil.example/x)"


def decision(trace: int, turn: int, tool: str = "query_order", call: int | None = 0) -> Decision:
    return Decision(
        trace_id=f"{trace:032x}",
        turn_index=turn,
        call_index=None if tool == NO_CALL else call,
        decision_id=UUID(int=trace * 1000 + turn * 10 + (call or 0) + 1),
        llm_span_id=None,
        time_ns=T0 + trace,
        hour=None,
        tool_name=tool,
        tool_call_id=None,
        is_pseudo=tool == "final_answer",
        arguments_hash=None,
        catalogue_hash=None,
        is_offered=None,
        contract_version=None,
        model=None,
        agent_name=None,
    )


@pytest.fixture(scope="module")
def pool() -> Iterator[Database]:
    """One store for the laws, emptied before each example."""
    with memory_store() as opened:
        yield opened


def emptied(database: Database) -> Database:
    with database.transaction() as cursor:
        for table in ("audit_batch", "audit_item", "label"):
            cursor.execute(f"delete from {table}")
    return database


def store(database: Database, decisions: list[Decision]) -> None:
    names = [field.name for field in dataclasses.fields(Decision)]
    columns, values = ", ".join(names), ", ".join(f"${name}" for name in names)
    with database.transaction() as cursor:
        cursor.execute("delete from decision_open")
        for row in decisions:
            cursor.execute(
                f"insert into decision_open ({columns}) values ({values})",
                {name: getattr(row, name) for name in names},
            )


def world(sizes: list[int]) -> list[Decision]:
    return [decision(trace, turn) for trace, n in enumerate(sizes) for turn in range(n)]


def draw(database: Database, **changes: Any) -> AuditBatch:
    values: dict[str, Any] = {
        "name": "November",
        "start_time_ns": T0,
        "end_time_ns": T0 + HOUR,
        "n": 5,
        "seed": 7,
        "created_by": "Lin",
        "clock": lambda: T0 + HOUR,
    }
    return draw_batch(database, **values | changes)


def picked(database: Database, batch: AuditBatch) -> list[tuple[str, int, int | None]]:
    return [
        (item.trace_id, item.turn_index, item.call_index)
        for item in items(database, batch.batch_id)
    ]


@pytest.fixture
def ticks() -> Iterator[int]:
    return count(T0 + 2 * HOUR)


@pytest.mark.parametrize("per_trace", [1, 2, None])
def test_a_seed_draws_the_same_again_and_another_seed_does_not(
    database: Database, per_trace: int | None
) -> None:
    store(database, world([3] * 30))
    first = draw(database, per_trace=per_trace)
    again = draw(database, per_trace=per_trace, clock=lambda: T0 + HOUR + 1)
    other = draw(database, per_trace=per_trace, seed=8)

    assert first.batch_id != again.batch_id
    assert picked(database, first) == picked(database, again)
    assert picked(database, first) != picked(database, other)


def test_a_draw_does_not_depend_on_the_order_of_the_rows(database: Database) -> None:
    store(database, world([2] * 20))
    first = picked(database, draw(database))
    store(database, list(reversed(world([2] * 20))))

    assert picked(database, draw(database, clock=lambda: T0 + HOUR + 1)) == first


def test_a_draw_is_frozen_when_more_decisions_come(database: Database) -> None:
    store(database, world([2] * 10))
    batch = draw(database)
    before = items(database, batch.batch_id)
    store(database, world([4] * 40))

    assert items(database, batch.batch_id) == before
    assert get_batch(database, batch.batch_id) == batch
    assert (batch.n_frame, batch.n_drawn) == (20, 5)


@settings(max_examples=25, deadline=None)
@given(
    sizes=st.lists(st.integers(1, 5), min_size=1, max_size=12),
    n=st.integers(1, 40),
    seed=st.integers(0, 2**31),
    per_trace=st.sampled_from([1, 2, 3, None]),
)
def test_probabilities_are_those_of_the_draw(
    pool: Database, sizes: list[int], n: int, seed: int, per_trace: int | None
) -> None:
    database = emptied(pool)
    store(database, world(sizes))
    batch = draw(database, n=n, seed=seed, per_trace=per_trace)
    drawn = items(database, batch.batch_id)

    assert [item.position for item in drawn] == list(range(batch.n_drawn))
    assert len(set(picked(database, batch))) == batch.n_drawn
    assert all(0 < item.inclusion_probability <= 1 for item in drawn)
    if per_trace is None:
        # Over the whole frame the probabilities sum to the number drawn.
        each = drawn[0].inclusion_probability
        assert {item.inclusion_probability for item in drawn} == {each}
        assert each * sum(sizes) == pytest.approx(batch.n_drawn)
        assert batch.n_drawn == min(n, sum(sizes))
        return
    by_trace = Counter(item.trace_id for item in drawn)
    assert max(by_trace.values()) <= per_trace
    # A drawn trace gives all it may; its decisions share k / K * taken / held.
    for item in drawn:
        held = sizes[int(item.trace_id, 16)]
        assert by_trace[item.trace_id] == min(per_trace, held)
        expected = len(by_trace) / len(sizes) * min(per_trace, held) / held
        assert item.inclusion_probability == pytest.approx(expected)
    if per_trace == 1:
        assert batch.n_drawn == min(n, len(sizes))


def test_over_many_seeds_a_decision_is_drawn_as_often_as_it_says(database: Database) -> None:
    store(database, world([1, 2, 4, 4]))
    n_seeds = 120
    seen: Counter[tuple[str, int, int | None]] = Counter()
    chance: dict[tuple[str, int, int | None], float] = {}
    for seed in range(n_seeds):
        batch = draw(database, n=2, seed=seed)
        for item in items(database, batch.batch_id):
            key = (item.trace_id, item.turn_index, item.call_index)
            seen[key] += 1
            chance[key] = item.inclusion_probability

    assert len(chance) == 11
    for key, p in chance.items():
        # Five standard deviations of a binomial count.
        assert abs(seen[key] - n_seeds * p) < 5 * (n_seeds * p * (1 - p)) ** 0.5, key
    assert sum(chance.values()) == pytest.approx(2)


@pytest.mark.parametrize(
    ("tool_name", "expected"), [(None, 4), ("query_order", 2), (NO_CALL, 1), ("unknown", 0)]
)
def test_a_frame_holds_decisions_of_the_period_and_tool_but_no_pseudo_tools(
    database: Database, tool_name: str | None, expected: int
) -> None:
    rows = [
        decision(1, 0),
        decision(2, 0),
        decision(2, 1, "refund_order"),
        decision(3, 0, NO_CALL),
        decision(4, 0, "final_answer"),
        dataclasses.replace(decision(5, 0), time_ns=T0 + HOUR),
    ]
    store(database, rows)
    found = frame_size(database, start_time_ns=T0, end_time_ns=T0 + HOUR, tool_name=tool_name)

    assert found.n_decisions == expected


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"name": "  "}, "name: expected"),
        ({"created_by": ""}, "annotator: expected"),
        ({"n": 0}, "n: 0: expected"),
        ({"n": MAX_ITEMS + 1}, "expected 1 to"),
        ({"per_trace": 0}, "per_trace: 0"),
        ({"end_time_ns": T0}, "no decision in this period"),
        ({"tool_name": "'; drop table span"}, "no decision in this period"),
    ],
)
def test_an_impossible_draw_says_why_and_leaves_nothing(
    database: Database, changes: dict[str, Any], sentence: str
) -> None:
    store(database, world([1, 1]))
    with pytest.raises(AuditError, match=sentence):
        draw(database, **changes)

    assert batches(database) == []


def test_batches_are_listed_newest_first(database: Database) -> None:
    store(database, world([1] * 5))
    drawn = [draw(database, clock=lambda at=at: T0 + at) for at in (1, 3, 2)]

    assert [batch.created_time_ns - T0 for batch in batches(database)] == [3, 2, 1]
    assert {batch.batch_id for batch in drawn} == {batch.batch_id for batch in batches(database)}


def label_version(database: Database) -> tuple[int, int]:
    row = database.row(
        "select (select count(*) from label) as n, (select version from store_state) as version"
    )
    assert row is not None
    return int(row["n"]), int(row["version"])


def test_labels_given_twice_are_stored_once(database: Database, ticks: "Iterator[int]") -> None:
    store(database, world([1] * 5))
    batch = draw(database)
    drafts = [LabelDraft(at, SelectionLabel.RIGHT) for at in range(5)]
    first = record_labels(database, batch.batch_id, drafts, "Lin", lambda: next(ticks))
    stored = label_version(database)
    again = record_labels(database, batch.batch_id, drafts, " Lin ", lambda: next(ticks))

    assert (first, again) == (5, 0)
    assert label_version(database) == stored
    assert progress(database, batch.batch_id, "Lin").n_labelled == 5
    assert progress(database, batch.batch_id, "Mei").n_labelled == 0


def test_the_latest_label_holds_even_when_the_clock_stands_still(database: Database) -> None:
    store(database, world([1]))
    batch = draw(database)
    wanted = (SelectionLabel.WRONG_TOOL, SelectionLabel.CANT_TELL, SelectionLabel.RIGHT)
    for label in wanted:
        record_labels(database, batch.batch_id, [LabelDraft(0, label)], "Lin", lambda: T0)
    record_labels(
        database,
        batch.batch_id,
        [LabelDraft(0, SelectionLabel.WRONG_TOOL), LabelDraft(0, SelectionLabel.RIGHT)],
        "Mei",
        lambda: T0,
    )

    assert label_version(database)[0] == 5
    held = batch_labels(database, batch.batch_id)
    assert [(label.annotator, label.label) for label in held] == [
        ("Lin", SelectionLabel.RIGHT),
        ("Mei", SelectionLabel.RIGHT),
    ]
    judged = judged_decisions(database, start_time_ns=T0, end_time_ns=T0 + HOUR)
    assert [item.label for item in judged] == held


@settings(max_examples=15, deadline=None)
@given(
    given_labels=st.lists(
        st.tuples(
            st.integers(0, 3),
            st.sampled_from([label for label in SelectionLabel if applies(label, is_call=True)]),
            st.sampled_from(["Lin", "Mei"]),
        ),
        max_size=12,
    )
)
def test_progress_is_the_last_label_of_each_item(
    pool: Database,
    given_labels: list[tuple[int, SelectionLabel, str]],
) -> None:
    database = emptied(pool)
    store(database, world([1] * 4))
    batch = draw(database, n=4)
    expected: dict[str, dict[int, SelectionLabel]] = {"Lin": {}, "Mei": {}}
    for position, label, who in given_labels:
        record_labels(database, batch.batch_id, [LabelDraft(position, label)], who, lambda: T0)
        expected[who][position] = label

    for who, labels in expected.items():
        found = progress(database, batch.batch_id, who)
        assert {at: label.label for at, label in found.labels.items()} == labels
        (other,) = expected.keys() - {who}
        settled = {at for at, label in expected[other].items() if label != "CANT_TELL"}
        waiting = [at for at in range(4) if at not in labels and at not in settled]
        assert found.settled == settled
        assert found.first_open() == (waiting[0] if waiting else None)
        assert found.count(SelectionLabel.RIGHT) == list(labels.values()).count(
            SelectionLabel.RIGHT
        )


def test_a_label_carries_its_batch_its_weight_and_what_was_needed(database: Database) -> None:
    store(database, world([2] * 10))
    batch = draw(database)
    draft = LabelDraft(3, SelectionLabel.WRONG_TOOL, "search_orders", " why\x00\ud800 ")
    record_labels(database, batch.batch_id, [draft], "Lin", lambda: T0)
    (label,) = batch_labels(database, batch.batch_id)
    item = items(database, batch.batch_id)[3]

    assert (label.file_id, label.record_index, label.batch_id) == (
        batch.batch_id,
        3,
        str(batch.batch_id),
    )
    assert (label.source, label.annotator_kind) == ("audit", "HUMAN")
    assert label.inclusion_probability == item.inclusion_probability
    assert (label.expected_tool, label.note) == ("search_orders", "why�?")


def test_a_tool_is_kept_only_for_labels_that_need_one(database: Database) -> None:
    store(database, world([1]))
    batch = draw(database)
    draft = LabelDraft(0, SelectionLabel.RIGHT, "search_orders")
    record_labels(database, batch.batch_id, [draft], "Lin", lambda: T0)

    assert batch_labels(database, batch.batch_id)[0].expected_tool is None


@pytest.mark.parametrize(
    ("draft", "annotator", "sentence"),
    [
        (LabelDraft(9, SelectionLabel.RIGHT), "Lin", "no item 9"),
        (LabelDraft(-1, SelectionLabel.RIGHT), "Lin", "no item -1"),
        (LabelDraft(0, SelectionLabel.CORRECT_NO_CALL), "Lin", "the model made a call"),
        (LabelDraft(0, SelectionLabel.RIGHT), " ", "expected a name"),
    ],
)
def test_a_label_that_cannot_be_stores_none_of_its_company(
    database: Database, draft: LabelDraft, annotator: str, sentence: str
) -> None:
    store(database, world([1] * 2))
    batch = draw(database, n=2)
    good = LabelDraft(1, SelectionLabel.RIGHT)
    with pytest.raises(AuditError, match=sentence):
        record_labels(database, batch.batch_id, [good, draft], annotator, lambda: T0)

    assert label_version(database)[0] == 0


def test_every_label_applies_to_a_call_or_to_a_turn_without_one() -> None:
    of_both = {
        label
        for label in SelectionLabel
        if applies(label, is_call=True) and applies(label, is_call=False)
    }

    assert of_both == {SelectionLabel.CANT_TELL}
    assert all(
        applies(label, is_call=True) or applies(label, is_call=False) for label in SelectionLabel
    )


@pytest.mark.parametrize(
    ("label", "tool", "expected"),
    [
        ("RIGHT", "query_order", "query_order"),
        ("ACCEPTABLE_ALTERNATIVE", "query_order", "query_order"),
        ("RIGHT_TOOL_WRONG_ARGS", "query_order", "query_order"),
        ("WRONG_TOOL", "query_order", "search_orders"),
        ("SHOULD_NOT_HAVE_CALLED", "query_order", NO_CALL),
        ("CANT_TELL", "query_order", None),
        ("CORRECT_NO_CALL", NO_CALL, NO_CALL),
        ("SHOULD_HAVE_CALLED", NO_CALL, "search_orders"),
    ],
)
def test_each_label_names_the_tool_that_was_needed(
    database: Database, label: str, tool: str, expected: str | None
) -> None:
    store(database, [decision(1, 0, tool)])
    batch = draw(database)
    draft = LabelDraft(0, SelectionLabel(label), "search_orders")
    record_labels(database, batch.batch_id, [draft], "Lin", lambda: T0)
    (judged,) = judged_decisions(database, start_time_ns=T0, end_time_ns=T0 + HOUR)

    assert (judged.chosen_tool, judged.expected_tool) == (tool, expected)


# --- what a rater sees --------------------------------------------------------------------------

TOOLS: list[dict[str, object]] = [
    {"type": "function", "name": name, "description": f"{name}: {HOSTILE}", "parameters": {}}
    for name in ("search_orders", "query_order")
]


def conversation(agent: "Agent") -> AuditBatch:
    """Two calls in one turn, their outcomes, then an answer without a call."""
    agent.root()
    asked = [{"role": "user", "parts": [{"type": "text", "content": HOSTILE}]}]
    agent.model(
        2,
        1,
        2,
        asks=(("c1", "search_orders", {"keyword": "cup"}), ("c2", "query_order", {"no": "1"})),
        says="let me look",
        attributes={
            "gen_ai.system_instructions": '[{"type":"text","content":"be brief"}]',
            "gen_ai.tool.definitions": orjson.dumps(TOOLS).decode(),
            "gen_ai.input.messages": orjson.dumps(asked).decode(),
        },
    )
    agent.tool(3, 2, 3, "search_orders", call_id="c1", arguments="{}", result=OUTCOME)
    agent.tool(
        4,
        3,
        4,
        "query_order",
        call_id="c2",
        arguments="{}",
        status_code=2,
        status_message=OUTCOME,
        attributes={"error.type": OUTCOME},
    )
    agent.model(5, 5, 6, answers=(("c1", OUTCOME), ("c2", OUTCOME)), says="done")
    agent.write()
    return draw_batch(
        agent.database,
        name="all",
        start_time_ns=agent.start_ns,
        end_time_ns=agent.start_ns + HOUR,
        n=10,
        per_trace=None,
        seed=1,
        created_by="Lin",
        clock=lambda: T0,
    )


def position_of(agent: "Agent", batch: AuditBatch, turn: int, call: int | None) -> int:
    return next(
        item.position
        for item in items(agent.database, batch.batch_id)
        if (item.turn_index, item.call_index) == (turn, call)
    )


@pytest.mark.parametrize("call", [0, 1])
def test_a_rater_sees_what_the_model_saw_and_chose_but_not_how_it_went_on(
    agent: "Agent", call: int
) -> None:
    batch = conversation(agent)
    context = item_context(agent.database, batch.batch_id, position_of(agent, batch, 0, call))
    tool = ("search_orders", "query_order")[call]

    assert context.chosen is not None
    assert context.chosen.tool_name == tool
    assert orjson.loads(context.chosen.arguments or "") == [{"keyword": "cup"}, {"no": "1"}][call]
    assert [other.tool_name for other in context.beside] == [("query_order", "search_orders")[call]]
    assert context.conversation == (
        Passage("system", "text", "be brief"),
        Passage("user", "text", HOSTILE),
    )
    assert [offer.tool_name for offer in context.offered] == ["search_orders", "query_order"]
    assert context.offered[0].description == f"search_orders: {HOSTILE}"
    assert (context.said, context.is_offered) == ("let me look", True)
    assert OUTCOME not in repr(context)


def test_earlier_answers_are_part_of_what_the_next_decision_rests_on(agent: "Agent") -> None:
    batch = conversation(agent)
    context = item_context(agent.database, batch.batch_id, position_of(agent, batch, 1, None))

    assert context.chosen is None
    assert [(p.kind, p.text) for p in context.conversation] == [("answer", OUTCOME)] * 2
    assert context.said == "done"


@pytest.mark.parametrize(("call", "status"), [(0, "ok"), (1, "error")])
def test_the_outcome_is_a_question_of_its_own(agent: "Agent", call: int, status: str) -> None:
    batch = conversation(agent)
    found = item_outcome(agent.database, batch.batch_id, position_of(agent, batch, 0, call))

    assert (found.call_status, found.is_executed) == (status, True)
    assert OUTCOME in repr(found)


def test_a_turn_without_a_call_has_the_outcome_of_its_run(agent: "Agent") -> None:
    batch = conversation(agent)
    found = item_outcome(agent.database, batch.batch_id, position_of(agent, batch, 1, None))

    assert (found.call_status, found.result) == (None, None)
    assert found.trace_status is not None


def test_a_decision_that_is_gone_says_so(agent: "Agent") -> None:
    batch = conversation(agent)
    with agent.database.transaction() as cursor:
        cursor.execute("delete from decision_open")
    found = item_contexts(agent.database, batch.batch_id, 0, 10)

    assert [context.is_stored for context in found] == [False] * batch.n_drawn


def test_an_unknown_item_is_an_error_that_names_it(agent: "Agent") -> None:
    batch = conversation(agent)
    for ask in (item_context, item_outcome):
        with pytest.raises(AuditError, match="no item 99"):
            ask(agent.database, batch.batch_id, 99)


@pytest.mark.parametrize(
    ("caption", "attributes", "expected"),
    [
        ("nothing", {}, ()),
        ("not JSON", {"gen_ai.input.messages": "[oops"}, (Passage("input", "text", "[oops"),)),
        ("too deep", {"input.value": "[" * 5000}, (Passage("input", "text", "[" * 5000),)),
        (
            "OpenAI messages",
            {
                "gen_ai.input.messages": [
                    {"role": "user", "content": "hi"},
                    {
                        "role": "assistant",
                        "content": None,
                        "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}],
                    },
                    {"role": "tool", "tool_call_id": "1", "content": "42"},
                ]
            },
            (
                Passage("user", "text", "hi"),
                Passage("assistant", "call", "{}", "f"),
                Passage("tool", "answer", "42"),
            ),
        ),
        (
            "Anthropic blocks",
            {
                "gen_ai.input.messages": [
                    {
                        "role": "assistant",
                        "content": [{"type": "tool_use", "name": "f", "input": {}}],
                    },
                    {"role": "user", "content": [{"type": "tool_result", "content": "42"}]},
                ]
            },
            (Passage("assistant", "call", "{}", "f"), Passage("user", "answer", "42")),
        ),
        (
            "one attribute a field",
            {
                "llm.input_messages.10.message.content": "second",
                "llm.input_messages.2.message.role": "user",
                "llm.input_messages.2.message.content": "first",
            },
            (Passage("user", "text", "first"), Passage("input", "text", "second")),
        ),
        (
            "a shape nobody knows",
            {"gen_ai.input.messages": [{"role": "user", "parts": [{"odd": 1}]}, 7]},
            (Passage("user", "text", '{"odd":1}'), Passage("input", "text", "7")),
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_conversations_of_every_shape_are_read_and_none_is_dropped(
    caption: str, attributes: dict[str, Any], expected: tuple[Passage, ...]
) -> None:
    assert input_passages(attributes) == expected
