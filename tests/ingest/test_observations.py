"""What an agent that embeds the observation pipeline emits becomes rows, exactly."""

import json
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any

import pytest
from opentelemetry.exporter.otlp.proto.common.trace_encoder import encode_spans
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from ingest.rebuild import rebuild
from pipeline.observation import Observation, ToolOutput, decode_snapshot, observe
from replay_store.derive import derive
from replay_store.reader import trace_noise
from replay_store.saw import (
    ObservationFilter,
    count_observations,
    find_observations,
    get_observation,
)

NOW = datetime(2026, 11, 28, 8, 0, tzinfo=UTC)
OUTPUTS = [
    ToolOutput(
        tool="query_order_status",
        version="1.3.0",
        received_at=NOW,
        body={"order_id": "12345", "status": "refunding", "estimated_delivery": "2026-12-01"},
    ),
    ToolOutput(
        tool="order_api",
        version="1.0.0",
        received_at=NOW,
        body={"order_id": "12345", "estimated_delivery": "2026-12-02", "logistics_info": []},
    ),
    ToolOutput(
        tool="get_user_points",
        version="1.0.0",
        received_at=NOW,
        body={"user_id": "U789", "points_balance": 1250},
    ),
]
CONTEXT = {
    "target_order_id": "12345",
    "user_id": "U789",
    "query_timestamp": NOW,
    "user_intent": "track_delivery",
}


@pytest.fixture
def observed(take: Callable[..., Any]) -> tuple[Observation, Any]:
    """One observation with noise, emitted by the SDK, exported and imported."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    seen = observe(
        OUTPUTS,
        CONTEXT,
        cni_enabled=True,
        cni_intensity=1.0,
        templates=("concise", "verbose"),
        languages=("zh", "en"),
        tracer=provider.get_tracer("shop"),
    )
    taken = take(encode_spans(exporter.get_finished_spans()).SerializeToString())
    return seen, taken.database


def test_an_observation_is_one_row_with_its_counts(observed: tuple[Observation, Any]) -> None:
    seen, database = observed
    [row] = find_observations(database, ObservationFilter(), limit=5)
    health = seen.shown.resolved.health
    assert (row.intent, row.primary_entity) == ("track_delivery", "order:12345")
    assert list(row.tool_names) == ["query_order_status", "order_api", "get_user_points"]
    assert (row.n_cells, row.n_unknown, row.n_conflicts, row.n_multi_source_cells) == (
        health.n_cells,
        health.n_unknown,
        health.n_conflicts,
        health.n_multi_source_cells,
    )
    assert row.n_unknown > 0
    assert row.snapshot_hash == seen.clean.snapshot.content_hash
    assert row.query_time_ns == int(NOW.timestamp()) * 1_000_000_000
    assert row.n_noise_hit == len(seen.noise)


def test_the_recorded_snapshot_reads_back_to_the_same_evidence(
    observed: tuple[Observation, Any],
) -> None:
    seen, database = observed
    [row] = find_observations(database, ObservationFilter(), limit=1)
    recorded = get_observation(database, row.trace_id, row.span_id)
    assert recorded is not None
    clean, noisy = recorded.snapshots
    assert decode_snapshot(clean.facts) == seen.clean.snapshot
    assert seen.noisy is not None
    assert decode_snapshot(noisy.facts) == seen.noisy.snapshot
    assert {fact.fact_id for fact in recorded.facts if fact.variant == "clean"} == {
        fragment.fact_id for fragment in seen.clean.snapshot
    }


def test_prompts_and_raw_outputs_are_kept_as_they_were(observed: tuple[Observation, Any]) -> None:
    seen, database = observed
    [row] = find_observations(database, ObservationFilter(), limit=1)
    recorded = get_observation(database, row.trace_id, row.span_id)
    assert recorded is not None
    texts = {(p.template, p.language, p.variant): p.text for p in recorded.prompts}
    assert texts == {
        (key.template, key.language, key.variant): prompt.text
        for key, prompt in seen.prompts.items()
    }
    assert [raw.output.tool_name for raw in recorded.raw] == [output.tool for output in OUTPUTS]
    assert '"refunding"' in recorded.raw[0].output.body
    assert recorded.raw[0].occurrence.received_time_text == NOW.isoformat()


@pytest.mark.parametrize(
    ("wanted", "n"),
    [
        ({"has": "unknown"}, 1),
        ({"has": "conflict"}, 1),
        ({"has": "failed"}, 0),
        ({"tool_name": "order_api"}, 1),
        ({"tool_name": "other"}, 0),
        ({"intent": "cancel_order"}, 0),
        ({"fact_type": "STATUS"}, 1),
        ({"fact_type": "NOTHING"}, 0),
    ],
)
def test_observations_are_found_by_what_they_hold(
    observed: tuple[Observation, Any], wanted: dict[str, Any], n: int
) -> None:
    assert count_observations(observed[1], ObservationFilter(**wanted)) == n
    assert len(find_observations(observed[1], ObservationFilter(**wanted), limit=5)) == n


def test_noise_told_by_an_observation_is_a_row_of_its_trace(
    observed: tuple[Observation, Any],
) -> None:
    seen, database = observed
    [row] = find_observations(database, ObservationFilter(), limit=1)
    rows = trace_noise(database, row.trace_id)
    assert rows
    assert {item.noise_id for item in rows} == {item.noise_id for item in seen.noise}
    assert {(item.kind, item.fact_type) for item in rows} == {
        (item.kind, item.fact_type) for item in seen.noise
    }
    derive(database)
    assert database.rows("select n_noise from trace") == [{"n_noise": len(seen.noise)}]


def test_noise_that_a_log_tells_too_counts_once(
    observed: tuple[Observation, Any], take: Any
) -> None:
    seen, database = observed
    line = {key: value for key, value in asdict(seen.noise[0]).items() if value is not None} | {
        "time_ns": 1_795_000_000_000_000_000
    }
    take(json.dumps(line).encode(), "noise.jsonl")
    derive(database)
    assert len(trace_noise(database, str(seen.noise[0].trace_id))) == len(seen.noise)
    assert database.rows("select n_noise from trace") == [{"n_noise": len(seen.noise)}]


def test_a_rebuild_reads_observations_again(observed: tuple[Observation, Any]) -> None:
    database = observed[1]
    before = [
        sorted(map(str, database.rows(f"from {t}"))) for t in ("observation", "fact", "prompt")
    ]
    rebuild(database)
    after = [
        sorted(map(str, database.rows(f"from {t}"))) for t in ("observation", "fact", "prompt")
    ]
    assert after == before


def test_the_raw_result_of_a_run_goes_to_the_vault_once(agent_spans: Callable[..., Any]) -> None:
    database = agent_spans(result='{"order_id": "1"}', times=3)
    assert database.rows("select tool_name, body, n_bytes from raw_output") == [
        {"tool_name": "get", "body": '{"order_id": "1"}', "n_bytes": 17}
    ]
    assert database.row("select count(*) as n, min(source) as s from raw_occurrence") == {
        "n": 3,
        "s": "execution",
    }


@pytest.fixture
def agent_spans(make_span: Callable[..., Any], database: Any) -> Callable[..., Any]:
    from ingest.mapping import map_batch
    from replay_store import Batch, Writer

    def write(*, result: str, times: int) -> Any:
        attributes = {"gen_ai.tool.name": "get", "gen_ai.tool.call.result": result}
        batch = Batch(spans=[make_span(attributes=attributes) for _ in range(times)])
        map_batch(batch)
        Writer(database).write(batch)
        return database

    return write


@pytest.mark.parametrize(
    "attributes",
    [
        {"toolsight.observation.facts": "not json"},
        {"toolsight.observation.facts": '[{"entity": "order"}, 3, null]'},
        {},
    ],
)
def test_a_damaged_event_is_passed_over_and_the_span_kept(
    make_span: Callable[..., Any], attributes: dict[str, str]
) -> None:
    from ingest.mapping import map_spans
    from replay_store import Batch

    event = {"time_ns": 1, "name": "toolsight.snapshot", "attributes": attributes}
    span = make_span(attributes={"toolsight.observation.snapshot_hash": "x"}, events=[event])
    batch = Batch(spans=[span])
    map_spans([span], batch)
    assert (len(batch.observations), len(batch.snapshots), batch.facts) == (1, 1, [])
