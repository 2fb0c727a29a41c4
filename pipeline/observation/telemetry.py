"""What an observation tells OpenTelemetry. Names and meanings: `attributes`.

Without a configured provider every call here is a no-op; nothing long is built then.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Final

from pipeline.observation import attributes as names
from pipeline.observation.fragment import SemanticFragment, iso
from pipeline.observation.inputs import ToolOutput
from pipeline.observation.noise_log import NoiseHeader
from pipeline.observation.observation import Observation, PromptKey, Variant
from pipeline.observation.privacy import raw_text
from pipeline.observation.render import Prompt
from pipeline.observation.shadow import ShadowReading
from pipeline.observation.wire import encode_context, encode_snapshot

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer
    from opentelemetry.util.types import AttributeValue

MAX_RAW: Final = 65_536
"""Characters of a raw output that its event carries."""

__all__ = [
    "default_tracer",
    "describe",
    "describe_noise",
    "describe_parse",
    "describe_prompt",
    "describe_shadow",
    "names",
    "origin_of",
]


def default_tracer() -> "Tracer":
    """The tracer of the global provider; a no-op one when none is configured."""
    from opentelemetry import trace

    return trace.get_tracer(names.SCOPE)


def origin_of(span: "Span") -> tuple[str | None, str | None, int | None]:
    """Trace and span id in lower hex; None for a span that is not recorded. Never a time."""
    context = span.get_span_context()
    if not context.is_valid:
        return None, None, None
    return f"{context.trace_id:032x}", f"{context.span_id:016x}", None


def describe_parse(span: "Span", output: ToolOutput, fragments: Sequence[SemanticFragment]) -> None:
    """Attributes of one `parse`."""
    if span.is_recording():
        _set(
            span,
            {
                names.TOOL: fragments[0].tool if fragments else output.tool,
                names.TOOL_VERSION: output.version,
                names.N_FRAGMENTS: len(fragments),
                names.RULE_VERSION: fragments[0].rule_version if fragments else None,
                names.PARSER_VERSION: fragments[0].parser_version if fragments else None,
            },
        )


def describe_noise(span: "Span", header: NoiseHeader) -> None:
    """Attributes of one `inject`; also set on `observe`."""
    if span.is_recording():
        _set(
            span,
            {
                names.NOISE_PROFILE: f"{header.profile.name}@{header.profile.version}",
                names.NOISE_SEED: header.seed,
                names.NOISE_INTENSITY: header.intensity,
                names.N_NOISE_ELIGIBLE: header.n_eligible,
                names.N_NOISE_HIT: header.n_hit,
                names.N_NOISE_WHITELISTED: header.n_whitelisted,
            },
        )


def describe_prompt(span: "Span", key: PromptKey, prompt: Prompt) -> None:
    """Attributes of one `render`."""
    if span.is_recording():
        _set(
            span,
            {
                **_prompt_attributes(key, prompt),
                names.N_SHOWN: len(prompt.shown),
                names.N_CUT: len(prompt.cut),
                names.N_OMITTED: len(prompt.omitted),
                names.BROKEN: [cell.key for cell in prompt.broken],
            },
        )


def describe_shadow(span: "Span", found: ShadowReading) -> None:
    """Attributes of one `shadow`."""
    if span.is_recording():
        _set(
            span,
            {
                names.RULE_VERSION: found.version,
                names.RULE_SHA256: found.sha256,
                names.N_SHADOW_CHANGED: found.n_facts_changed,
                names.SHADOW_CHANGED: list(found.changed),
                names.N_CELLS: found.after.n_cells,
                names.N_CONFLICTS: found.after.n_conflicts,
                names.N_UNKNOWN: found.after.n_unknown,
                names.N_UNPARSED: found.after.n_unparsed,
            },
        )


def describe(span: "Span", observation: Observation) -> None:
    """Attributes and events of one `observe`."""
    if not span.is_recording():
        return
    _set(span, _observation_attributes(observation))
    if observation.noise_header is not None:
        describe_noise(span, observation.noise_header)
    for output in observation.outputs:
        _event(span, names.EVENT_RAW_OUTPUT, _raw_attributes(output, observation))
    for variant in (observation.clean, observation.noisy):
        if variant is not None:
            _event(span, names.EVENT_SNAPSHOT, _snapshot_attributes(variant))
    for key, prompt in observation.prompts.items():
        values = {**_prompt_attributes(key, prompt), names.TEXT: prompt.text}
        _event(span, names.EVENT_PROMPT, values)
    if observation.noise_header is not None:
        rows = json.dumps([asdict(record) for record in observation.noise], ensure_ascii=False)
        _event(span, names.EVENT_NOISE, {names.ROWS: rows})


def _observation_attributes(observation: Observation) -> dict[str, "AttributeValue | None"]:
    resolved = observation.clean.resolved  # noise must not look like bad tools
    health = resolved.health
    noisy = observation.noisy
    primary = resolved.primary
    timings = observation.timings_ms
    return {
        names.PARSE_MS: timings.get("parse"),
        names.ALIGN_MS: timings.get("align"),
        names.INJECT_MS: timings.get("inject"),
        names.RENDER_MS: timings.get("render"),
        names.N_OUTPUTS: len(observation.outputs),
        names.N_FRAGMENTS: len(observation.fragments),
        names.N_CELLS: health.n_cells,
        names.N_MULTI_SOURCE_CELLS: health.n_multi_source_cells,
        names.N_CONFLICTS: health.n_conflicts,
        names.N_UNKNOWN: health.n_unknown,
        names.N_UNPARSED: health.n_unparsed,
        names.N_FAILED: health.n_failed,
        names.N_EMPTY: health.n_empty,
        names.N_DEGRADED: health.n_degraded,
        names.MEAN_CONFIDENCE: health.mean_confidence,
        names.SIGNALS: [signal.name for signal in resolved.signals],
        names.INTENT: observation.context.intent,
        names.CONTEXT: encode_context(observation.context, observation.rules),
        names.PRIMARY_ENTITY: None if primary is None else str(primary),
        names.QUERY_TIME: iso(observation.context.query_time),
        names.SNAPSHOT_HASH: observation.clean.snapshot.content_hash,
        names.SNAPSHOT_HASH_NOISY: None if noisy is None else noisy.snapshot.content_hash,
        names.RULE_VERSION: observation.rules.version,
        names.RULE_SHA256: observation.rules.sha256,
    }


def _raw_attributes(
    output: ToolOutput, observation: Observation
) -> dict[str, "AttributeValue | None"]:
    raw = raw_text(output, observation.rules, MAX_RAW, observation.context.pseudonym_key)
    return {
        names.TOOL: output.tool or None,
        names.TOOL_VERSION: output.version,
        names.RECEIVED_AT: iso(output.received_at),
        names.RAW: raw,
        names.RAW_SHA256: hashlib.sha256(raw.encode("utf-8", "surrogatepass")).hexdigest(),
        names.ERROR: None if output.error is None else str(output.error),
        names.DEGRADATION: output.degradation,
    }


def _snapshot_attributes(variant: Variant) -> dict[str, "AttributeValue | None"]:
    return {
        names.VARIANT: variant.name,
        names.SNAPSHOT_HASH: variant.snapshot.content_hash,
        names.FACTS: encode_snapshot(variant.snapshot),
    }


def _prompt_attributes(key: PromptKey, prompt: Prompt) -> dict[str, "AttributeValue | None"]:
    return {
        names.TEMPLATE: key.template,
        names.LANGUAGE: key.language,
        names.VARIANT: key.variant,
        names.N_TOKENS: prompt.n_tokens,
        names.TOKEN_COUNTER: prompt.token_counter,
    }


def _set(span: "Span", values: dict[str, "AttributeValue | None"]) -> None:
    span.set_attributes(_present(values))


def _event(span: "Span", name: str, values: dict[str, "AttributeValue | None"]) -> None:
    span.add_event(name, _present(values))


def _present(values: dict[str, "AttributeValue | None"]) -> dict[str, "AttributeValue"]:
    """The attributes that have a value; text without lone surrogates, which no exporter takes."""
    return {name: _clean(value) for name, value in values.items() if value is not None}


def _clean(value: "AttributeValue") -> "AttributeValue":
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    return value
