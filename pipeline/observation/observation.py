"""Everything one observation produced: what was read, what was said, and how long it took."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from pipeline.observation.callers import Caller
from pipeline.observation.fragment import SemanticFragment
from pipeline.observation.inputs import Context, ToolOutput
from pipeline.observation.noise_log import NoiseHeader, NoiseRecord
from pipeline.observation.owner_templates import OwnerTemplates
from pipeline.observation.render import Prompt, render
from pipeline.observation.resolved import ResolvedSnapshot
from pipeline.observation.rules.model import RuleSet
from pipeline.observation.shadow import ShadowReading
from pipeline.observation.snapshot import SemanticSnapshot
from pipeline.observation.tokens import TokenCounter

CLEAN = "clean"
NOISY = "noisy"


@dataclass(frozen=True, slots=True)
class Variant:
    """One reading of the evidence, clean or noisy."""

    name: str
    """`clean` or `noisy`."""
    snapshot: SemanticSnapshot
    resolved: ResolvedSnapshot


@dataclass(frozen=True, slots=True)
class PromptKey:
    """Names one prompt of an observation."""

    template: str
    language: str
    variant: str


@dataclass(frozen=True, slots=True)
class Observation:
    """The result of `observe`; immutable."""

    outputs: tuple[ToolOutput, ...]
    context: Context
    rules: RuleSet
    critical: frozenset[str]
    fragments: tuple[SemanticFragment, ...]
    clean: Variant
    noisy: Variant | None
    """None when noise is off."""
    noise: tuple[NoiseRecord, ...]
    noise_header: NoiseHeader | None
    prompts: Mapping[PromptKey, Prompt]
    timings_ms: Mapping[str, float]
    """By stage: parse, align, inject (with noise), render, shadow (with one)."""
    templates: OwnerTemplates = field(default_factory=OwnerTemplates)
    """Of owners, beside the package's."""
    shadow: ShadowReading | None = None
    """What another version would have read; None where none runs in the shadow."""

    @property
    def shown(self) -> Variant:
        """What the model is given: the noisy variant when noise is on."""
        return self.noisy or self.clean

    def to_prompt(
        self,
        template: str = "concise",
        language: str = "zh",
        *,
        variant: str | None = None,
        source: str | None = None,
        counter: TokenCounter | None = None,
        caller: Caller = Caller.LOCAL,
    ) -> Prompt:
        """Render once more, in any template, language and variant (the shown one by default).

        Debug prompts are for local and privileged callers only.

        Raises:
            TemplateError: There is no such template or language, or it cannot be used.
            KeyError: There is no such variant.
        """
        variants = {known.name: known for known in (self.clean, self.noisy) if known is not None}
        chosen = self.shown if variant is None else variants[variant]
        return render(
            chosen.resolved,
            template,
            language,
            rules=self.rules,
            critical=self.critical,
            source=self.templates.source(template, language) if source is None else source,
            outputs=self.outputs,
            noise=self.noise if chosen.name == NOISY else (),
            counter=counter,
            pseudonym_key=self.context.pseudonym_key,
            caller=caller,
        )
