"""A recorded observation made ready to look at: each template's text, where it is from, what it tells.

Recorded first: a prompt that was recorded is shown as recorded. One that was not is rendered now
from the recorded evidence, and says so. Pure; the rules are an argument.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from dashboard.views.saw.panes import Pane, pane
from pipeline.observation import (
    TEMPLATES,
    Caller,
    Cell,
    CriticalityChecker,
    EstimatedTokens,
    NoiseRecord,
    OwnerTemplates,
    Prompt,
    ResolvedSnapshot,
    RuleSet,
    TemplateError,
    TokenCounter,
    render,
    token_counter,
)
from pipeline.observation.callers import DEBUG
from pipeline.observation.display import Wording
from pipeline.observation.safety import TEXT_CAP
from replay_store.rereading import CUT, recorded_context, recorded_outputs, resolve_recorded
from replay_store.saw import RecordedObservation

CLEAN: Final = "clean"
NOISY: Final = "noisy"
MAX_OWN: Final = 3
"""Templates of owners that stand beside the package's."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules that give labels and re-rendered texts."""

    rule_set: RuleSet
    is_own: bool
    """Whether they are the ones that the observation was recorded with."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One variant of one observation in one language."""

    recorded: RecordedObservation
    rules: Rules
    language: str
    variant: str
    resolved: ResolvedSnapshot | None
    """None when the evidence of the variant was not recorded."""
    critical: frozenset[str]
    panes: tuple[Pane, ...]
    """The package's templates, then others that were recorded."""
    raw_prompt: str
    """What the model would have been given without the pipeline: the outputs, one after another.
    Empty for callers who may not see it."""
    raw_tokens: int | None
    """None when not every output was recorded whole."""
    counter: TokenCounter
    caller: Caller = Caller.LOCAL

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The facts, in the order in which prompts tell them."""
        return () if self.resolved is None else self.resolved.cells

    def wording(self) -> Wording:
        """Words for the facts, in the prompt's language, without the marks around free text."""
        return Wording(self.rules.rule_set, self.language, None, TEXT_CAP)

    def saved(self, pane: Pane) -> int | None:
        """Tokens that a template saves against the raw outputs; negative when it takes more."""
        if self.raw_tokens is None or pane.n_tokens is None:
            return None
        return self.raw_tokens - pane.n_tokens


def read(
    recorded: RecordedObservation,
    rules: Rules,
    language: str,
    variant: str,
    *,
    caller: Caller = Caller.LOCAL,
    owned: OwnerTemplates | None = None,
    chosen: str = "",
) -> Reading:
    """Make one variant of an observation ready in one language.

    Args:
        recorded: From `get_observation`.
        rules: Its own rules where they are known.
        language: `zh` or `en`.
        variant: `clean` or `noisy`.
        caller: Who reads it; others than local and privileged callers get no raw outputs and no
            debug prompt, recorded or not.
        owned: Templates of owners; `MAX_OWN` of them are shown beside the package's.
        chosen: The one of them that is shown whatever their number.
    """
    resolved = resolve_recorded(recorded, variant, rules.rule_set)
    critical = CriticalityChecker(rules.rule_set).check(recorded_context(recorded))
    counter = token_counter_of(recorded)
    raw = "\n".join(record.output.body for record in recorded.raw)
    wording = Wording(rules.rule_set, language, None, TEXT_CAP)
    templates = owned or OwnerTemplates()
    renderer = Renderer(recorded, rules, critical, caller, templates)
    cells = () if resolved is None else resolved.cells
    panes = []
    own = sorted(templates.in_language(language), key=lambda name: (name != chosen, name))
    for template in _templates(recorded, own[:MAX_OWN], caller):
        made, problem = renderer.render(resolved, template, language, variant)
        text = _recorded_text(recorded, template, language, variant)
        if template not in TEMPLATES and text is not None:
            problem = None  # an owner's own template: recorded is all there is
        panes.append(pane(template, text, made, problem, cells, wording, counter))
    return Reading(
        recorded=recorded,
        rules=rules,
        language=language,
        variant=variant,
        resolved=resolved,
        critical=critical,
        panes=tuple(panes),
        raw_prompt=raw if caller.sees_raw else "",
        raw_tokens=counter.count(raw) if _is_raw_whole(recorded) else None,
        counter=counter,
        caller=caller,
    )


@dataclass(frozen=True, slots=True)
class Renderer:
    """Renders the evidence of one observation now."""

    recorded: RecordedObservation
    rules: Rules
    critical: frozenset[str]
    caller: Caller
    owned: OwnerTemplates = field(default_factory=OwnerTemplates)

    def render(
        self,
        resolved: ResolvedSnapshot | None,
        template: str,
        language: str,
        variant: str,
        *,
        source: str | None = None,
        noise: Sequence[NoiseRecord] | None = None,
    ) -> tuple[Prompt | None, str | None]:
        """The prompt as it renders now, or why there is none; neither without evidence.

        Args:
            resolved: The evidence.
            template: Its name.
            language: `zh` or `en`.
            variant: `clean` or `noisy`.
            source: Another text than the template's own.
            noise: Other disturbances than the recorded ones.
        """
        if resolved is None:
            return None, None
        recorded = self.recorded.noise if noise is None else noise
        try:
            made = render(
                resolved,
                template,
                language,
                rules=self.rules.rule_set,
                critical=self.critical,
                source=self.owned.source(template, language) if source is None else source,
                outputs=recorded_outputs(self.recorded),
                noise=recorded if variant == NOISY else (),
                caller=self.caller,
            )
        except TemplateError as error:
            return None, str(error)
        return made, None


def variants(recorded: RecordedObservation) -> tuple[str, ...]:
    """The variants there are: clean, and noisy where noise was on."""
    return (CLEAN,) if recorded.observation.noisy_snapshot_hash is None else (CLEAN, NOISY)


def _templates(recorded: RecordedObservation, own: Sequence[str], caller: Caller) -> list[str]:
    """The package's, the owners', then others that were recorded."""
    names = dict.fromkeys([*TEMPLATES, *own, *(prompt.template for prompt in recorded.prompts)])
    return [name for name in names if caller.sees_raw or name != DEBUG]


def _recorded_text(
    recorded: RecordedObservation, template: str, language: str, variant: str
) -> str | None:
    wanted = (template, language, variant)
    return next(
        (p.text for p in recorded.prompts if (p.template, p.language, p.variant) == wanted), None
    )


def _is_raw_whole(recorded: RecordedObservation) -> bool:
    is_all = len(recorded.raw) >= max(recorded.observation.n_outputs, 1)
    return is_all and not any(record.output.body.endswith(CUT) for record in recorded.raw)


def token_counter_of(recorded: RecordedObservation) -> TokenCounter:
    """What counted the recorded prompts, where it is installed; the estimate otherwise."""
    name = next((p.token_counter for p in recorded.prompts if p.token_counter), None)
    return EstimatedTokens() if name is None else token_counter(name)
