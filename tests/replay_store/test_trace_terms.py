"""Conditions on traces: each finds what it says, negated the rest, and counts alike."""

from dataclasses import fields
from typing import Any
from uuid import UUID

import pytest

from replay_store import Batch, Database, TraceFilter, Writer
from replay_store.reader import find_traces
from replay_store.records import JsonValue, SpanLog
from replay_store.text_search import TextSearch
from replay_store.trace_counts import count_traces
from replay_store.trace_terms import NUMBERS, TEXTS, Term

START = 1_764_547_200_000_000_000
ONE, TWO = "1" * 32, "2" * 32
HOSTILE = "'; drop table span; --"


@pytest.fixture
def shop(agent: Any) -> Database:
    """Trace 1: a long run of two tools in Chinese. Trace 2: a short one that timed out."""
    agent.root(trace_id=ONE, attributes={"session.id": "conv_7"})
    agent.model(
        2, 1, 2, asks=(("c1", "get_order", {"id": "7"}),), trace_id=ONE, says="Your order 已发货"
    )
    agent.tool(
        3,
        2,
        3,
        "get_order",
        call_id="c1",
        result='{"note": "订单\\"加急\\""}',
        trace_id=ONE,
        attributes={"toolsight.contract_version": "1.3.0"},
    )
    agent.tool(4, 4, 5, "getXorder", trace_id=ONE)
    agent.tool(
        12,
        100,
        101,
        "put",
        parent=None,
        status_code=2,
        trace_id=TWO,
        attributes={"error.type": "TIMEOUT", "gen_ai.agent.name": "other"},
    )
    agent.write()
    return agent.database  # type: ignore[no-any-return]


CASES = [
    (Term("tool", "put"), {TWO}),
    (Term("tool", "PUT"), {TWO}),
    (Term("tool", "get*"), {ONE}),
    (Term("tool", "get_order"), {ONE}),
    (Term("tool", "%"), set()),
    (Term("tool", HOSTILE), set()),
    (Term("error", "TIMEOUT"), {TWO}),
    (Term("error", "*"), {TWO}),
    (Term("agent", "shop"), {ONE}),
    (Term("name", "invoke*"), {ONE}),
    (Term("session", "conv_7"), {ONE}),
    (Term("session", "convX7"), set()),
    (Term("model", "qwen*"), {ONE}),
    (Term("sign", ("timeout", "call_error")), {TWO}),
    (Term("duration", low=2 * 10**9), {ONE}),
    (Term("duration", high=2 * 10**9), {TWO}),
    (Term("calls", low=2, high=2), {ONE}),
    (Term("errors", low=1), {TWO}),
    (Term("tokens", low=120), {ONE}),
    (Term("spans", high=1), {TWO}),
    (Term("observed", "noise"), set()),
    (Term("note", ""), set()),
]


def test_each_term_finds_what_it_says_and_its_negation_the_rest(shop: Database) -> None:
    for term, expected in CASES:
        plain = TraceFilter(terms=(term,))
        turned = TraceFilter(terms=(Term(term.kind, term.value, term.low, term.high, True),))

        assert ids(shop, plain) == expected, term
        assert ids(shop, turned) == {ONE, TWO} - expected, term
        assert count_traces(shop, plain) == len(expected)
    assert shop.rows("select count(*) as n from span")[0]["n"] > 0


def test_terms_must_all_hold_and_go_with_the_rest_of_the_filter(shop: Database) -> None:
    both = (Term("tool", "get*"), Term("calls", low=2))

    assert ids(shop, TraceFilter(terms=both)) == {ONE}
    assert ids(shop, TraceFilter(terms=(*both, Term("tool", "put")))) == set()
    assert ids(shop, TraceFilter(terms=both, status="error")) == set()


def test_every_kind_has_a_text(shop: Database) -> None:
    for kind in (*TEXTS, *NUMBERS):
        count_traces(shop, TraceFilter(terms=(Term(kind, "x"),)))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["已发货"], {ONE}),
        (["YOUR order"], {ONE}),
        (['订单"加急"'], {ONE}),
        (["timeout"], {TWO}),
        (["your order", "timeout"], set()),
        ([HOSTILE], set()),
        (["%"], set()),
    ],
)
def test_words_are_found_in_the_text_of_spans_in_any_case(
    shop: Database, words: list[str], expected: set[str]
) -> None:
    search = TextSearch(shop, words, slice_rows=2)
    search.run()

    assert set(search.state.trace_ids) == expected
    assert (search.state.fraction, search.state.is_done, search.state.is_stopped) == (
        1.0,
        True,
        False,
    )


def test_a_text_search_keeps_to_its_time_and_ends_when_it_is_stopped(shop: Database) -> None:
    start = 1_764_547_200_000_000_000
    early = TextSearch(shop, ["gen_ai"], end_time_ns=start + 50 * 10**9)
    early.run()
    stopped = TextSearch(shop, ["gen_ai"], slice_rows=1)
    stopped.stop()
    stopped.run()

    assert early.state.trace_ids == (ONE,)
    assert stopped.state.is_stopped
    assert stopped.state.is_done
    assert stopped.state.fraction < 1


def test_words_are_found_in_log_records_within_their_time(shop: Database) -> None:
    hour = 3_600 * 10**9
    logs = [
        log(TWO, 1, "Gateway 订单 timed out", time_ns=START),
        log(TWO, 2, {"step": 'refund "twice"'}, observed_time_ns=START + hour),
        log(ONE, 3, "nothing", attributes={"pod": "shop-7f9c"}, time_ns=START),
        log(None, 4, "Gateway without a trace", time_ns=START),
    ]
    Writer(shop).write(Batch(span_logs=logs))

    assert searched(shop, "gateway 订单") == {TWO}
    assert searched(shop, 'refund "twice"') == {TWO}
    assert searched(shop, "SHOP-7f9c") == {ONE}
    assert searched(shop, "without a trace") == set()
    assert searched(shop, 'refund "twice"', end_time_ns=START + hour) == set()
    assert searched(shop, 'refund "twice"', start_time_ns=START + hour) == {TWO}


def test_a_search_goes_through_spans_and_logs_to_the_end(shop: Database) -> None:
    Writer(shop).write(Batch(span_logs=[log(TWO, n, "Gateway") for n in range(5)]))
    search = TextSearch(shop, ["gateway"], slice_rows=2)
    search.run()

    assert search.state.fraction == 1.0
    assert search.state.trace_ids == (TWO,)


def test_an_empty_store_is_searched_at_once(database: Database) -> None:
    search = TextSearch(database, ["x"])
    search.run()

    assert search.state.is_done
    assert search.state.trace_ids == ()


def searched(database: Database, words: str, **time: int) -> set[str]:
    search = TextSearch(database, [words], slice_rows=2, **time)
    search.run()
    return set(search.state.trace_ids)


def log(trace_id: str | None, number: int, body: JsonValue, **more: Any) -> SpanLog:
    values: dict[str, Any] = dict.fromkeys(field.name for field in fields(SpanLog))
    values |= {"trace_id": trace_id, "record_hash": number, "record_index": number, "body": body}
    values |= {"attributes": {}, "resource": {}, "file_id": UUID(int=1), "received_time_ns": START}
    return SpanLog(**values | more)


def ids(database: Database, wanted: TraceFilter) -> set[str]:
    return {trace.trace_id for trace in find_traces(database, wanted, limit=10)}
