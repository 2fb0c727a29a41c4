"""A version in the shadow: reads what the one in force reads, is shown to nobody, tells what differs."""

from typing import Any

from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from pipeline.observation import (
    Context,
    Observation,
    ToolOutput,
    load_rules,
    observe,
    package_rule_texts,
    package_rules,
    shadow_reading,
)
from pipeline.observation import attributes as names

TEXTS = package_rule_texts()
ORDER, DOMAIN = "order_status.yaml", "domain.yaml"
CONTEXT = Context(intent=None)
REFUNDING = ToolOutput("order_api", None, None, {"order_id": "1", "status": "refunding"})
STOCK = ToolOutput(
    "query_inventory", None, None, {"province": "A", "current_stock": 90, "min_safe_level": 100}
)
MAPPED = load_rules(
    TEXTS
    | {
        ORDER: TEXTS[ORDER]
        .replace("delivered, cancelled]", "delivered, cancelled, refunding]")
        .replace("    mapping:\n", "    mapping:\n      refunding: {zh: 退款中, en: Refunding}\n")
    },
    "mapped",
)
STRICTER = load_rules(
    TEXTS
    | {
        DOMAIN: TEXTS[DOMAIN]
        .replace("{below: 0.8,", "{below: 0.95,")
        .replace("{from: 0.8,", "{from: 0.95,")
    },
    "stricter",
)


def test_what_a_draft_would_have_read_is_told_beside_what_was_shown() -> None:
    alone = observe([REFUNDING], CONTEXT)
    observation = observe([REFUNDING], CONTEXT, shadow=MAPPED)

    found = observation.shadow
    assert found is not None
    assert (found.version, found.n_facts_changed, found.changed) == ("mapped", 1, ("STATUS",))
    assert (found.before.n_unknown, found.after.n_unknown) == (1, 0)
    assert not found.is_same
    assert {k: p.text for k, p in observation.prompts.items()} == {
        k: p.text for k, p in alone.prompts.items()
    }
    assert observation.rules is package_rules()
    assert set(observation.timings_ms) == {"parse", "align", "render", "shadow"}


def test_a_threshold_changes_what_is_derived() -> None:
    found = observe([STOCK], CONTEXT, shadow=STRICTER).shadow

    assert found is not None
    assert (found.n_facts_changed, found.changed) == (1, ("STOCK_STATUS",))


def test_the_same_rules_read_the_same() -> None:
    observation = observe([REFUNDING, STOCK, ToolOutput("x", None, None, b"\xff")], CONTEXT)

    found = shadow_reading(
        observation.outputs, CONTEXT, observation.clean.resolved, package_rules()
    )

    assert found.is_same
    assert found.changed == ()
    assert found.before == found.after


def test_noise_is_not_compared() -> None:
    noisy = observe([STOCK], CONTEXT, cni_enabled=True, cni_intensity=1.0, shadow=package_rules())

    assert noisy.shadow is not None
    assert noisy.shadow.is_same


def test_without_a_shadow_nothing_is_told() -> None:
    assert traced()[0].shadow is None
    assert not any(span == names.SPAN_SHADOW for span, _ in traced()[1])


def traced(**more: object) -> tuple[Observation, list[tuple[str, dict[str, Any]]]]:
    exporter = InMemorySpanExporter()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    tracer = provider.get_tracer("t")
    found = observe([REFUNDING], CONTEXT, tracer=tracer, **more)  # type: ignore[arg-type]
    spans = [(span.name, dict(span.attributes or {})) for span in exporter.get_finished_spans()]
    return found, spans


def test_the_comparison_is_emitted_as_a_span_of_its_own() -> None:
    _, spans = traced(shadow=MAPPED)

    [told] = [attributes for name, attributes in spans if name == names.SPAN_SHADOW]
    assert told[names.RULE_VERSION] == "mapped"
    assert told[names.RULE_SHA256] == MAPPED.sha256
    assert told[names.N_SHADOW_CHANGED] == 1
    assert told[names.SHADOW_CHANGED] == ("STATUS",)
    assert told[names.N_UNKNOWN] == 0
    [observed] = [attributes for name, attributes in spans if name == names.SPAN_OBSERVE]
    assert observed[names.RULE_VERSION] == package_rules().version
