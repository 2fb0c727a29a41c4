"""Observations: made by the real pipeline, on the virtual clock, and shown to the model."""

import json
from collections.abc import Iterator, Sequence

import pytest
from opentelemetry.sdk.trace import Event, ReadableSpan

from pipeline.observation import (
    CriticalityChecker,
    decode_context,
    decode_snapshot,
    inject,
    package_rules,
)
from pipeline.observation import attributes as names
from pipeline.observation.noise_log import PROFILES
from sample_traces.world import SEED, World

Spans = Sequence[ReadableSpan]
STAGES = {names.SPAN_PARSE, names.SPAN_ALIGN, names.SPAN_INJECT, names.SPAN_RENDER}


def _attributes(span: ReadableSpan | Event) -> dict[str, object]:
    return dict(span.attributes or {})


def _observed(world: World) -> Iterator[tuple[Spans, ReadableSpan]]:
    for spans in world.traces.values():
        for span in spans:
            if span.name == names.SPAN_OBSERVE:
                yield spans, span


def _events(span: ReadableSpan, name: str) -> list[dict[str, object]]:
    return [_attributes(event) for event in span.events if event.name == name]


def test_every_run_whose_outputs_the_dictionary_reads_is_observed(world: World) -> None:
    rules = package_rules()
    for trace_id, spans in world.traces.items():
        read = [
            span
            for span in spans
            if span.name.startswith("execute_tool ")
            and rules.for_tool(str(_attributes(span)["gen_ai.tool.name"]))
        ]
        observed = [span for span in spans if span.name == names.SPAN_OBSERVE]
        assert sum(int(str(_attributes(s)[names.N_OUTPUTS])) for s in observed) == len(read)
        assert world.truth[trace_id]["observations"] == len(observed)


def test_an_observation_comes_after_its_tools_and_before_the_next_answer(world: World) -> None:
    for spans, span in _observed(world):
        tools = [s for s in spans if s.name.startswith("execute_tool ")]
        assert not [
            s for s in tools if (s.start_time or 0) < (span.start_time or 0) < (s.end_time or 0)
        ]
        assert [s for s in tools if (s.end_time or 0) <= (span.start_time or 0)]
        chats = [s for s in spans if s.name.startswith("chat ")]
        assert not [
            s for s in chats if (s.start_time or 0) < (span.end_time or 0) <= (s.end_time or 0)
        ]


def test_the_model_reads_the_prompt_of_the_shown_variant(world: World) -> None:
    for spans, span in _observed(world):
        later = [
            str(_attributes(s)["gen_ai.input.messages"])
            for s in spans
            if s.name.startswith("chat ") and (s.start_time or 0) >= (span.end_time or 0)
        ]
        shown = "noisy" if names.SNAPSHOT_HASH_NOISY in _attributes(span) else "clean"
        (text,) = [
            str(event[names.TEXT])
            for event in _events(span, names.EVENT_PROMPT)
            if (event[names.VARIANT], event[names.TEMPLATE]) == (shown, "concise")
        ]
        quoted = json.dumps(text, ensure_ascii=False).strip('"')  # advice may follow it
        assert all(quoted in messages for messages in later)


def test_the_tool_span_keeps_the_raw_answer(world: World) -> None:
    results = {
        str(_attributes(span).get("gen_ai.tool.call.result"))
        for spans in world.traces.values()
        for span in spans
        if span.name == "execute_tool query_order_status"
    }
    assert any('"status":"refunding"' in result for result in results)
    assert not any("【" in result for result in results)


def test_snapshots_read_back_as_what_their_hash_names(world: World) -> None:
    for _, span in _observed(world):
        for event in _events(span, names.EVENT_SNAPSHOT):
            snapshot = decode_snapshot(str(event[names.FACTS]))
            assert snapshot.content_hash == event[names.SNAPSHOT_HASH]
        assert decode_context(str(_attributes(span)[names.CONTEXT])).query_time is not None


def test_everything_in_an_observation_happens_within_its_span(world: World) -> None:
    for _, span in _observed(world):
        start, end = span.start_time or 0, span.end_time or 0
        assert all(start <= event.timestamp <= end for event in span.events)
        for key in (names.PARSE_MS, names.ALIGN_MS, names.RENDER_MS):
            spent = float(str(_attributes(span)[key]))
            assert 0 < spent <= (end - start) / 1e6
            assert round(spent, 3) == spent


def test_one_run_in_ten_and_every_told_one_shows_its_stages_and_all_templates(world: World) -> None:
    detailed = set()
    for spans, span in _observed(world):
        own = span.context.span_id if span.context else 0
        stages = {s.name for s in spans if s.parent is not None and s.parent.span_id == own}
        templates = {event[names.TEMPLATE] for event in _events(span, names.EVENT_PROMPT)}
        assert stages <= STAGES
        assert (len(templates) == 3) is bool(stages)
        if stages:
            detailed.add(f"{span.context.trace_id:032x}" if span.context else "")
    observed = {trace_id for trace_id, truth in world.truth.items() if truth["observations"]}
    assert 0.08 < len(detailed) / len(observed) < 0.15
    told = {*world.highlights.values(), *(i for s in world.stories for i in s.trace_ids)}
    assert told & observed <= detailed


def test_every_noise_row_can_be_made_again_from_the_recorded_snapshot(world: World) -> None:
    rows = {str(row["noise_id"]): row for row in world.noise_rows}
    assert len(rows) == len(world.noise_rows) > 300
    n_seen = 0
    for _, span in _observed(world):
        told = [
            row
            for event in _events(span, names.EVENT_NOISE)
            for row in json.loads(str(event[names.ROWS]))
        ]
        if not told:
            continue
        clean, noisy = (
            decode_snapshot(str(event[names.FACTS]))
            for event in _events(span, names.EVENT_SNAPSHOT)
        )
        intensity = float(str(_attributes(span)[names.NOISE_INTENSITY]))
        context = decode_context(str(_attributes(span)[names.CONTEXT]))
        whitelist = CriticalityChecker(package_rules()).check(context)
        again = inject(clean, PROFILES["seed-v1-live"], SEED, intensity, whitelist)
        drawn = {(r.fact_id, r.kind, r.gate_u, r.mag_u) for r in again.records}
        assert {(r["fact_id"], r["kind"], r["gate_u"], r["mag_u"]) for r in told} == drawn
        assert {row["snapshot_hash_after"] for row in told} == {noisy.content_hash}
        for row in told:
            kept = rows[row["noise_id"]]
            assert {name: kept[name] for name in row if name != "time_ns"} == {
                name: row[name] for name in row if name != "time_ns"
            }
        n_seen += len(told)
    assert n_seen == len(rows)


def test_noise_points_at_a_span_of_its_trace(world: World) -> None:
    for row in world.noise_rows:
        contexts = [span.context for span in world.traces[str(row["trace_id"])]]
        assert row["span_id"] in {f"{c.span_id:016x}" for c in contexts if c is not None}


def test_every_kind_of_noise_that_leaves_labels_alone_occurs(world: World) -> None:
    kinds = {row["kind"] for row in world.noise_rows}
    assert kinds == {"DROP", "TRUNCATE", "JITTER_NUM", "JITTER_DATE"}


@pytest.mark.parametrize(
    ("counter", "at_least"),
    [
        pytest.param(names.N_MULTI_SOURCE_CELLS, 40, id="cells with two sources"),
        pytest.param(names.N_CONFLICTS, 1, id="conflicts"),
        pytest.param(names.N_UNKNOWN, 50, id="unknown values"),
        pytest.param(names.N_UNPARSED, 10, id="unreadable values"),
        pytest.param(names.N_FAILED, 100, id="failed calls"),
        pytest.param(names.N_DEGRADED, 1, id="answers of a fallback"),
    ],
)
def test_what_pages_show_occurs(world: World, counter: str, at_least: int) -> None:
    total = sum(int(str(_attributes(span)[counter])) for _, span in _observed(world))
    assert total >= at_least
