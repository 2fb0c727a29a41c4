"""What the model saw: the spans of observations, and the raw outputs of runs, as rows.

Names and meanings are `pipeline.observation.attributes`. An event that does not read as what the
pipeline writes is passed over: the span itself is kept whole.
"""

import hashlib
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from ingest.dialects.values import items, number, parsed, text
from pipeline.observation import attributes as names
from pipeline.vocabulary import Evidence
from replay_store.records import (
    CallEvidence,
    Fact,
    Observation,
    ObservedNoise,
    Prompt,
    RawOccurrence,
    RawOutput,
    Snapshot,
    Span,
)
from replay_store.writer import Batch

SOURCE_OBSERVATION: Final = "observation"
SOURCE_EXECUTION: Final = "execution"

_Attributes = Mapping[str, Any]
_COUNTS: Final = {
    "n_outputs": names.N_OUTPUTS,
    "n_fragments": names.N_FRAGMENTS,
    "n_cells": names.N_CELLS,
    "n_multi_source_cells": names.N_MULTI_SOURCE_CELLS,
    "n_conflicts": names.N_CONFLICTS,
    "n_unknown": names.N_UNKNOWN,
    "n_unparsed": names.N_UNPARSED,
    "n_failed": names.N_FAILED,
    "n_empty": names.N_EMPTY,
    "n_degraded": names.N_DEGRADED,
}
_MEASURES: Final = {
    "mean_confidence": names.MEAN_CONFIDENCE,
    "parse_ms": names.PARSE_MS,
    "align_ms": names.ALIGN_MS,
    "inject_ms": names.INJECT_MS,
    "render_ms": names.RENDER_MS,
    "noise_intensity": names.NOISE_INTENSITY,
}

_NOISE_TEXTS: Final = (
    "profile",
    "profile_version",
    "fact_id",
    "entity_ref",
    "fact_type",
    "original_value",
    "injected_value",
    "reason",
    "snapshot_hash_before",
    "snapshot_hash_after",
)
_NOISE_REALS: Final = ("intensity", "confidence_before", "confidence_after", "gate_u", "mag_u")


def is_observation(span: Span) -> bool:
    """Whether the span is one whole observation, not one of its stages."""
    return names.SNAPSHOT_HASH in span.attributes


def map_observation(span: Span, batch: Batch) -> None:
    """Add the rows of one observation to a batch."""
    raw_events = _events(span, names.EVENT_RAW_OUTPUT)
    batch.observations.append(_observation(span, raw_events))
    for position, event in enumerate(raw_events):
        _add_raw(span, event, position, batch)
    for event in _events(span, names.EVENT_SNAPSHOT):
        batch.snapshots.append(_snapshot(span, event))
        batch.facts.extend(_facts(span, event))
    batch.prompts.extend(_prompt(span, event) for event in _events(span, names.EVENT_PROMPT))
    for event in _events(span, names.EVENT_NOISE):
        batch.observed_noise.extend(_noise(span, event))


def map_execution(span: Span, evidence: CallEvidence, batch: Batch) -> None:
    """Keep the raw output of a run, when its span shows one."""
    if evidence.evidence is not Evidence.EXECUTION or not evidence.result or not evidence.tool_name:
        return
    raw = _raw_output(evidence.tool_name, evidence.contract_version, evidence.result)
    batch.raw_outputs.append(raw)
    batch.raw_occurrences.append(
        RawOccurrence(
            trace_id=span.trace_id,
            span_id=span.span_id,
            record_hash=span.record_hash,
            position=evidence.position,
            raw_id=raw.raw_id,
            source=SOURCE_EXECUTION,
            time_ns=span.end_time_ns,
            received_time_text=None,
            error_class=evidence.error_type,
            degradation=evidence.degradation,
        )
    )


def _events(span: Span, name: str) -> list[_Attributes]:
    return [event["attributes"] for event in span.events if event["name"] == name]


def _observation(span: Span, raw_events: list[_Attributes]) -> Observation:
    seen = span.attributes
    counts = {field: number(seen.get(key)) or 0 for field, key in _COUNTS.items()}
    measures = {field: _real(seen.get(key)) for field, key in _MEASURES.items()}
    tools = [tool for event in raw_events if (tool := text(event.get(names.TOOL)))]
    return Observation(
        trace_id=span.trace_id,
        span_id=span.span_id,
        record_hash=span.record_hash,
        time_ns=span.start_time_ns,
        hour=span.hour,
        query_time_ns=_time_ns(seen.get(names.QUERY_TIME)),
        intent=text(seen.get(names.INTENT)),
        primary_entity=text(seen.get(names.PRIMARY_ENTITY)),
        tool_names=tools,
        rule_version=text(seen.get(names.RULE_VERSION)),
        rule_sha256=text(seen.get(names.RULE_SHA256)),
        snapshot_hash=text(seen[names.SNAPSHOT_HASH]) or "",
        noisy_snapshot_hash=text(seen.get(names.SNAPSHOT_HASH_NOISY)),
        signals=[str(signal) for signal in _array(seen.get(names.SIGNALS))],
        noise_profile=text(seen.get(names.NOISE_PROFILE)),
        noise_seed=number(seen.get(names.NOISE_SEED)),
        n_noise_eligible=number(seen.get(names.N_NOISE_ELIGIBLE)),
        n_noise_hit=number(seen.get(names.N_NOISE_HIT)),
        **counts,
        **measures,  # type: ignore[arg-type]
    )


def _add_raw(span: Span, event: _Attributes, position: int, batch: Batch) -> None:
    body = text(event.get(names.RAW))
    if body is None:
        return
    # A bare body names no tool: whichever parsers' keys matched have read it.
    raw = _raw_output(text(event.get(names.TOOL)) or "", text(event.get(names.TOOL_VERSION)), body)
    batch.raw_outputs.append(raw)
    batch.raw_occurrences.append(
        RawOccurrence(
            trace_id=span.trace_id,
            span_id=span.span_id,
            record_hash=span.record_hash,
            position=position,
            raw_id=raw.raw_id,
            source=SOURCE_OBSERVATION,
            time_ns=span.start_time_ns,
            received_time_text=text(event.get(names.RECEIVED_AT)),
            error_class=text(event.get(names.ERROR)),
            degradation=text(event.get(names.DEGRADATION)),
        )
    )


def _raw_output(tool: str, version: str | None, body: str) -> RawOutput:
    data = body.encode()
    digest = hashlib.sha256(f"{tool}\0{version or ''}\0".encode() + data)
    return RawOutput(digest.hexdigest()[:32], tool, version, body, len(data))


def _snapshot(span: Span, event: _Attributes) -> Snapshot:
    return Snapshot(
        trace_id=span.trace_id,
        span_id=span.span_id,
        record_hash=span.record_hash,
        variant=text(event.get(names.VARIANT)) or "clean",
        snapshot_hash=text(event.get(names.SNAPSHOT_HASH)) or "",
        facts=text(event.get(names.FACTS)) or "[]",
    )


def _facts(span: Span, event: _Attributes) -> Iterator[Fact]:
    variant = text(event.get(names.VARIANT)) or "clean"
    for row in items(event.get(names.FACTS)):
        if (
            isinstance(row, dict)
            and isinstance(row.get("entity"), list)
            and len(row["entity"]) == 2
        ):
            yield _fact(span, variant, row)


def _fact(span: Span, variant: str, row: Mapping[str, Any]) -> Fact:
    value = row.get("value")
    return Fact(
        trace_id=span.trace_id,
        span_id=span.span_id,
        record_hash=span.record_hash,
        variant=variant,
        fact_id=str(row.get("fact_id", "")),
        entity_type=str(row["entity"][0]),
        entity_id=str(row["entity"][1]),
        fact_type=str(row.get("type", "")),
        kind=str(row.get("kind", "")),
        value=text(value),
        confidence=_real(row.get("confidence")) or 0.0,
        confidence_origin=str(row.get("confidence_origin", "")),
        source=str(row.get("source", "")),
        tool_name=str(row.get("tool", "")),
        raw=text(row.get("raw")),
        reason=text(row.get("reason")),
        observed_time_ns=_time_ns(row.get("observed_at")),
        valid_time_ns=_time_ns(row.get("valid_at")),
        contract_version=text(row.get("contract_version")),
        parser_version=text(row.get("parser_version")),
        rule_version=text(row.get("rule_version")),
    )


def _prompt(span: Span, event: _Attributes) -> Prompt:
    return Prompt(
        trace_id=span.trace_id,
        span_id=span.span_id,
        record_hash=span.record_hash,
        variant=text(event.get(names.VARIANT)) or "clean",
        template=text(event.get(names.TEMPLATE)) or "",
        language=text(event.get(names.LANGUAGE)) or "",
        text=text(event.get(names.TEXT)) or "",
        n_tokens=number(event.get(names.N_TOKENS)),
        token_counter=text(event.get(names.TOKEN_COUNTER)),
    )


def _noise(span: Span, event: _Attributes) -> Iterator[ObservedNoise]:
    for row in items(event.get(names.ROWS)):
        if isinstance(row, dict) and isinstance(row.get("noise_id"), str) and row.get("kind"):
            told: dict[str, Any] = {name: text(row.get(name)) for name in _NOISE_TEXTS}
            told |= {name: _real(row.get(name)) for name in _NOISE_REALS}
            is_whitelisted = row.get("is_whitelisted")
            yield ObservedNoise(
                trace_id=span.trace_id,
                span_id=span.span_id,
                record_hash=span.record_hash,
                noise_id=row["noise_id"],
                kind=str(row["kind"]),
                time_ns=number(row.get("time_ns")) or span.start_time_ns,
                seed=number(row.get("seed")),
                is_whitelisted=is_whitelisted if isinstance(is_whitelisted, bool) else None,
                received_time_ns=span.received_time_ns,
                **told,
            )


def _array(value: Any) -> list[Any]:
    value = parsed(value)
    return value if isinstance(value, list) else []


def _real(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value)


def _time_ns(value: Any) -> int | None:
    """Nanoseconds of an ISO 8601 time with an offset; None for anything else."""
    if not isinstance(value, str):
        return None
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    if moment.tzinfo is None:
        return None
    return int(moment.timestamp()) * 1_000_000_000 + moment.microsecond * 1_000
