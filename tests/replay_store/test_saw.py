"""Recorded observations are found, counted and opened; of a span only its newest version counts."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from ingest.mapping import map_batch
from pipeline.observation import attributes as names
from replay_store import Batch, Database, Writer, derive, reader
from replay_store.records import Span, SpanEvent
from replay_store.saw import (
    TROUBLES,
    ObservationFilter,
    count_observations,
    count_troubles,
    find_observations,
    get_observation,
    observation_choices,
    trace_with_raw_results,
)
from tests.observed import Recorder, Seen, answer, order, points
from tests.stores import memory_store

FAR = 2**62


@pytest.fixture(scope="module")
def database() -> Iterator[Database]:
    """Read only: several tests share it, and what `seen` recorded in it."""
    with memory_store() as opened:
        yield opened


@pytest.fixture(scope="module")
def seen(database: Database, tmp_path_factory: pytest.TempPathFactory) -> list[Seen]:
    return record(database, tmp_path_factory.mktemp("seen"))


@pytest.fixture
def own_database() -> Iterator[Database]:
    """For tests that add to what was seen."""
    with memory_store() as opened:
        yield opened


@pytest.fixture
def own_seen(own_database: Database, tmp_path: Path) -> list[Seen]:
    return record(own_database, tmp_path)


def record(database: Database, folder: Path) -> list[Seen]:
    """Five observations: plain, unknown, conflict, failed, noisy; the last one is the newest."""
    recorder = Recorder()
    made = [
        recorder.observe([order(), points()]),
        recorder.observe([order(status="refunding")]),
        recorder.observe([order(), order(5, "order_status_api", status="delivered")]),
        recorder.observe([answer("order_api", None, error="TIMEOUT")]),
        recorder.observe(
            [points()],
            cni_enabled=True,
            cni_intensity=1.0,
            context={"user_intent": "track_points"},
        ),
    ]
    recorder.store(database, folder)
    return made


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (ObservationFilter(), [4, 3, 2, 1, 0]),
        (ObservationFilter(has="unknown"), [1]),
        (ObservationFilter(has="conflict"), [2]),
        (ObservationFilter(has="failed"), [3]),
        (ObservationFilter(has="noise"), [4]),
        (ObservationFilter(has="empty"), []),
        (ObservationFilter(tool_name="points_api"), [4, 0]),
        (ObservationFilter(intent="track_points"), [4]),
        (ObservationFilter(start_time_ns=FAR), []),
        (ObservationFilter(end_time_ns=0), []),
        (ObservationFilter(fact_type="STATUS", raw_value='"refunding"'), [1]),
        (ObservationFilter(fact_type="STATUS"), [2, 1, 0]),
    ],
)
def test_a_filter_finds_and_counts_the_same_observations(
    database: Database, seen: list[Seen], wanted: ObservationFilter, found: list[int]
) -> None:
    listed = [one.span_id for one in find_observations(database, wanted, limit=10)]

    assert listed == [seen[index].span_id for index in found]
    assert count_observations(database, wanted) == len(found)


def test_pages_follow_each_other(database: Database, seen: list[Seen]) -> None:
    pages = [
        find_observations(database, ObservationFilter(), limit=2, offset=offset)
        for offset in (0, 2, 4)
    ]

    ids = [one.span_id for page in pages for one in page]
    assert ids == [one.span_id for one in reversed(seen)]


def test_troubles_are_counted_without_the_filter_s_own(
    database: Database, seen: list[Seen]
) -> None:
    counts = count_troubles(database, ObservationFilter(has="noise"))

    assert tuple(counts) == TROUBLES
    for name, n in counts.items():
        assert n == count_observations(database, ObservationFilter(has=name)), name


def test_choices_are_the_tools_and_intents_most_frequent_first(
    database: Database, seen: list[Seen]
) -> None:
    found = observation_choices(database)

    assert found.tool_names == ("order_api", "points_api", "order_status_api")
    assert found.intents == ("track_delivery", "track_points")


def test_one_observation_comes_whole_with_context_and_noise(
    database: Database, seen: list[Seen]
) -> None:
    made = seen[4].observation
    found = get_observation(database, seen[4].trace_id, seen[4].span_id)

    assert found is not None
    assert [prompt.text for prompt in found.prompts if prompt.variant == "clean"] == [
        prompt.text for key, prompt in made.prompts.items() if key.variant == "clean"
    ]
    assert list(found.noise) == list(made.noise)
    assert found.noise
    assert found.context is not None
    assert '"track_points"' in found.context


def test_a_span_that_is_no_observation_is_none(database: Database, seen: list[Seen]) -> None:
    assert get_observation(database, seen[0].trace_id, "f" * 16) is None


def test_of_a_span_that_came_twice_its_finished_version_counts(
    own_database: Database, own_seen: list[Seen]
) -> None:
    detail = reader.get_span(own_database, own_seen[0].trace_id, own_seen[0].span_id)
    assert detail is not None
    early = replace(
        detail.span,
        end_time_ns=None,
        duration_ns=None,
        record_hash=7,
        record_index=99,
        received_time_ns=detail.span.received_time_ns + 1,
        attributes={**detail.span.attributes, names.N_UNKNOWN: 3},
    )
    store(own_database, early)

    assert count_observations(own_database, ObservationFilter()) == len(own_seen)
    assert count_observations(own_database, ObservationFilter(has="unknown")) == 1
    found = get_observation(own_database, own_seen[0].trace_id, own_seen[0].span_id)
    assert found is not None
    assert found.observation.n_unknown == 0


@pytest.mark.parametrize("rows", ["no JSON", "{}", "[1]", '[{"kind": "DROP"}]', "5"])
def test_noise_that_the_pipeline_did_not_write_is_passed_over(
    own_database: Database, own_seen: list[Seen], rows: str
) -> None:
    detail = reader.get_span(own_database, own_seen[4].trace_id, own_seen[4].span_id)
    assert detail is not None
    event: SpanEvent = {
        "time_ns": None,
        "name": names.EVENT_NOISE,
        "attributes": {names.ROWS: rows},
    }
    others = [other for other in detail.span.events if other["name"] != names.EVENT_NOISE]
    store(
        own_database,
        replace(
            detail.span,
            record_hash=8,
            events=[*others, event],
            received_time_ns=detail.span.received_time_ns + 1,
        ),
    )

    found = get_observation(own_database, own_seen[4].trace_id, own_seen[4].span_id)
    assert found is not None
    assert (found.observation.record_hash, list(found.noise)) == (8, [])


def test_a_trace_with_a_raw_result_is_the_newest_one(
    own_database: Database, make_span: Callable[..., Span]
) -> None:
    assert trace_with_raw_results(own_database) is None
    run = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "order_api"}
    for number in (1, 2):
        store(
            own_database,
            make_span(
                trace_id=f"{number:032x}",
                start_time_ns=number * 10**18,
                end_time_ns=number * 10**18 + 1,
                attributes=run | {"gen_ai.tool.call.result": "{}"},
            ),
        )

    assert trace_with_raw_results(own_database) == f"{2:032x}"


def store(database: Database, span: Span) -> None:
    batch = Batch(spans=[span])
    map_batch(batch)
    Writer(database).write(batch)
    derive(database)
