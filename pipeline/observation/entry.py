"""The one call an agent makes: tool outputs in, the text its model reads out (S0 §4.4)."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING

from pipeline.observation import telemetry
from pipeline.observation.callers import Caller
from pipeline.observation.criticality import CriticalityChecker
from pipeline.observation.fragment import SemanticFragment
from pipeline.observation.grouping import primary_entity, related_entities
from pipeline.observation.inputs import ANY_TOOL, Context, ToolOutput
from pipeline.observation.noise import Injection, inject
from pipeline.observation.noise_log import PROFILES, NoiseOrigin, NoiseProfile
from pipeline.observation.observation import CLEAN, NOISY, Observation, PromptKey, Variant
from pipeline.observation.owner_templates import OwnerTemplates
from pipeline.observation.parser import parse
from pipeline.observation.render import Prompt, render
from pipeline.observation.resolver import resolve
from pipeline.observation.rules import RuleSet, package_rules
from pipeline.observation.shadow import ShadowReading, shadow_reading
from pipeline.observation.snapshot import SemanticSnapshot, align
from pipeline.observation.tokens import TokenCounter

if TYPE_CHECKING:
    from opentelemetry.trace import Span, Tracer

LIVE_PROFILE = PROFILES["seed-v1-live"]


def build_observation_input(
    tool_outputs: Sequence[object],
    context: Mapping[str, object] | Context,
    cni_enabled: bool = True,
    cni_intensity: float = 0.3,
) -> str:
    """What the model reads about some tool outputs: the concise Chinese prompt.

    Args:
        tool_outputs: `ToolOutput`s, or bare bodies; of a bare one every parser whose required keys
            match runs.
        context: The seed's dict (`target_order_id`, `user_id`, `query_timestamp`, `user_intent`),
            or a `Context`.
        cni_enabled: Whether controlled noise is applied; pass what
            `ObservationSettings.from_environment` read.
        cni_intensity: Its strength, in [0, 1].

    Returns:
        Never the empty text.
    """
    observation = observe(
        tool_outputs, context, cni_enabled=cni_enabled, cni_intensity=cni_intensity
    )
    key = PromptKey("concise", "zh", observation.shown.name)
    return observation.prompts[key].text


def observe(
    tool_outputs: Sequence[object],
    context: Mapping[str, object] | Context,
    *,
    rules: RuleSet | None = None,
    shadow: RuleSet | None = None,
    cni_enabled: bool = False,
    cni_intensity: float = 0.3,
    seed: int = 0,
    profile: NoiseProfile = LIVE_PROFILE,
    templates: Sequence[str] = ("concise",),
    languages: Sequence[str] = ("zh",),
    owner_templates: OwnerTemplates | None = None,
    caller: Caller = Caller.LOCAL,
    counter: TokenCounter | None = None,
    tracer: "Tracer | None" = None,
    timer: Callable[[], float] = time.perf_counter,
) -> Observation:
    """One whole observation: parse, align, disturb, render, and tell OpenTelemetry.

    Every template is rendered in every language, clean and, with noise on, noisy.

    Args:
        tool_outputs: See `build_observation_input`.
        context: See `build_observation_input`.
        rules: The dictionary; the package's version 0 when None.
        shadow: Another version, which reads too and is shown to nobody: what it would have read
            otherwise is told. None reads with one version only.
        cni_enabled: Whether a noisy variant is made.
        cni_intensity: In [0, 1].
        seed: Of the noise.
        profile: Of the noise; the live one leaves enum labels alone.
        templates: Names, of the package's or the owners'.
        languages: Of the prompts.
        owner_templates: Templates beside the package's.
        caller: Who reads the prompts; debug ones are for local and privileged callers only.
        counter: Counts tokens; an estimate when None.
        tracer: Where spans go; the global provider's when None.
        timer: Seconds that pass, for the stages' timings.

    Raises:
        TemplateError: There is no such template or language, or it is not for this caller.
        ValueError: The intensity is outside [0, 1].
    """
    known = context if isinstance(context, Context) else Context.from_mapping(context)
    outputs = tuple(_as_output(output) for output in tool_outputs)
    owned = owner_templates or OwnerTemplates()
    rules = rules or package_rules()
    run = _Run(rules, known, tracer or telemetry.default_tracer(), timer, owned, caller)
    with run.tracer.start_as_current_span(telemetry.names.SPAN_OBSERVE) as span:
        fragments = run.parse(outputs)
        clean = run.align(fragments)
        injection = run.inject(clean, profile, seed, cni_intensity) if cni_enabled else None
        noisy = None if injection is None else run.variant(NOISY, injection.snapshot)
        variants = [variant for variant in (clean, noisy) if variant is not None]
        keys = [PromptKey(t, la, v.name) for v in variants for t in templates for la in languages]
        prompts = run.render(keys, variants, outputs, injection, counter)
        shadowed = None if shadow is None else run.shadow(outputs, clean, shadow)
        observation = Observation(
            outputs=outputs,
            context=known,
            rules=run.rules,
            critical=run.critical,
            fragments=tuple(fragments),
            clean=clean,
            noisy=noisy,
            noise=() if injection is None else tuple(injection.records),
            noise_header=None if injection is None else injection.header,
            prompts=prompts,
            timings_ms=run.timings_ms,
            templates=owned,
            shadow=shadowed,
        )
        telemetry.describe(span, observation)
    return observation


def _as_output(output: object) -> ToolOutput:
    if isinstance(output, ToolOutput):
        return output
    return ToolOutput(tool=ANY_TOOL, version=None, received_at=None, body=output)


class _Run:
    """One observation under way: shared arguments and the time each stage took."""

    def __init__(
        self,
        rules: RuleSet,
        context: Context,
        tracer: "Tracer",
        timer: Callable[[], float],
        templates: OwnerTemplates,
        caller: Caller,
    ) -> None:
        self._templates = templates
        self._caller = caller
        self.rules = rules
        self.context = context
        self.tracer = tracer
        self._timer = timer
        self.critical = CriticalityChecker(rules).check(context)
        self.timings_ms: dict[str, float] = {}
        self._primary = primary_entity(rules, context)
        self._related = related_entities(rules, context)

    def parse(self, outputs: Sequence[ToolOutput]) -> list[SemanticFragment]:
        fragments: list[SemanticFragment] = []
        for output in outputs:
            with self._stage("parse"), self._span(telemetry.names.SPAN_PARSE) as span:
                found = parse(output, self.rules, self.context)
                telemetry.describe_parse(span, output, found)
            fragments += found
        return fragments

    def align(self, fragments: Sequence[SemanticFragment]) -> Variant:
        with self._span(telemetry.names.SPAN_ALIGN):
            return self.variant(CLEAN, align(fragments))

    def variant(self, name: str, snapshot: SemanticSnapshot) -> Variant:
        with self._stage("align"):
            resolved = resolve(
                snapshot,
                self.context.query_time,
                self._primary,
                rules=self.rules,
                related=self._related,
            )
        return Variant(name, snapshot, resolved)

    def inject(
        self, clean: Variant, profile: NoiseProfile, seed: int, intensity: float
    ) -> Injection:
        with self._stage("inject"), self._span(telemetry.names.SPAN_INJECT) as span:
            origin = telemetry.origin_of(span)
            injection = inject(
                clean.snapshot, profile, seed, intensity, self.critical, NoiseOrigin(*origin)
            )
            telemetry.describe_noise(span, injection.header)
        return injection

    def render(
        self,
        keys: Sequence[PromptKey],
        variants: Sequence[Variant],
        outputs: Sequence[ToolOutput],
        injection: Injection | None,
        counter: TokenCounter | None,
    ) -> dict[PromptKey, Prompt]:
        resolved = {variant.name: variant.resolved for variant in variants}
        records = [] if injection is None else injection.records
        prompts = {}
        for key in keys:
            with self._stage("render"), self._span(telemetry.names.SPAN_RENDER) as span:
                prompts[key] = render(
                    resolved[key.variant],
                    key.template,
                    key.language,
                    rules=self.rules,
                    critical=self.critical,
                    source=self._templates.source(key.template, key.language),
                    outputs=outputs,
                    noise=records if key.variant == NOISY else (),
                    counter=counter,
                    pseudonym_key=self.context.pseudonym_key,
                    caller=self._caller,
                )
                telemetry.describe_prompt(span, key, prompts[key])
        return prompts

    def shadow(
        self, outputs: Sequence[ToolOutput], clean: Variant, rules: RuleSet
    ) -> ShadowReading:
        with self._stage("shadow"), self._span(telemetry.names.SPAN_SHADOW) as span:
            found = shadow_reading(outputs, self.context, clean.resolved, rules)
            telemetry.describe_shadow(span, found)
        return found

    def _span(self, name: str) -> "AbstractContextManager[Span]":
        return self.tracer.start_as_current_span(name)

    @contextmanager
    def _stage(self, name: str) -> Iterator[None]:
        start = self._timer()
        try:
            yield
        finally:
            spent = (self._timer() - start) * 1000
            self.timings_ms[name] = self.timings_ms.get(name, 0.0) + spent
