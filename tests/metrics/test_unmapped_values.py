"""Raw values that no dictionary maps, by where they came from."""

from metrics import Example, Scope, unmapped_values
from tests.metrics.conftest import ALL, SECOND, T0, Store, trace_id


def test_values_are_counted_by_traces_and_shared_among_their_type(store: Store) -> None:
    for number in range(4):
        span_id = store.observation(number, time=number)
        store.fact(number, span_id, raw="refunding", contract="1.3")
        store.fact(number, span_id, kind="FACT", raw="shipped", contract="1.3")
    lone = store.observation(9, time=9)
    for _ in range(6):
        store.fact(9, lone, raw="lost", contract="1.3")
    first, second = unmapped_values(store.database, ALL)
    assert (first.raw, first.n, first.n_traces, first.n_facts) == ("refunding", 4, 4, 14)
    assert first.share == 4 / 14
    assert (first.tool_name, first.contract_version, first.fact_type) == ("search", "1.3", "STATUS")
    assert (first.first_time_ns, first.last_time_ns) == (T0, T0 + 3 * SECOND)
    assert (second.raw, second.n, second.n_traces) == ("lost", 6, 1)


def test_examples_are_the_newest_five(store: Store) -> None:
    spans = []
    for number in range(7):
        spans.append(store.observation(number, time=number))
        store.fact(number, spans[-1], raw="x")
    (value,) = unmapped_values(store.database, ALL)
    expected = tuple(Example(trace_id(n), f"{spans[n]:016x}") for n in (6, 5, 4, 3, 2))
    assert value.examples == expected


def test_contract_versions_and_tools_are_apart(store: Store) -> None:
    span_id = store.observation(1)
    store.fact(1, span_id, raw="x", contract=None)
    store.fact(1, span_id, raw="x", contract="2")
    store.fact(1, span_id, raw="x", tool="pay")
    found = unmapped_values(store.database, ALL)
    assert [(v.tool_name, v.contract_version, v.n_facts) for v in found] == [
        ("pay", None, 1),
        ("search", "2", 1),
        ("search", None, 1),
    ]


def test_noisy_superseded_and_outside_facts_do_not_count(store: Store) -> None:
    span_id = store.observation(1, version=1, end=None)
    store.observation(1, version=2, span_id=span_id)
    store.fact(1, span_id, raw="old", version=1)
    store.fact(1, span_id, raw="noise", version=2, variant="noisy")
    late = store.observation(2, time=2000)
    store.fact(2, late, raw="late")
    assert unmapped_values(store.database, Scope(T0, T0 + 1000 * SECOND)) == ()


def test_a_limit_keeps_the_first(store: Store) -> None:
    for number, raw in enumerate(["a", "b", "b"]):
        store.fact(number, store.observation(number), raw=raw)
    assert [value.raw for value in unmapped_values(store.database, ALL, 1)] == ["b"]


def test_a_raw_value_that_was_not_kept_is_none(store: Store) -> None:
    store.fact(1, store.observation(1))
    assert unmapped_values(store.database, ALL)[0].raw is None
