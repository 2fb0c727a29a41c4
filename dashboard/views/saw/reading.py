"""A recorded observation made ready to look at: each template's text, where it is from, what it tells.

Recorded first: a prompt that was recorded is shown as recorded. One that was not is rendered now
from the recorded evidence, and says so. Pure; the rules are an argument.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from pipeline.observation import (
    TEMPLATES,
    Cell,
    Coverage,
    CriticalityChecker,
    EstimatedTokens,
    NoiseRecord,
    Prompt,
    ResolvedSnapshot,
    RuleSet,
    TemplateError,
    TokenCounter,
    render,
    token_counter,
)
from pipeline.observation.display import Wording
from pipeline.observation.safety import TEXT_CAP
from replay_store.rereading import CUT, recorded_context, recorded_outputs, resolve_recorded
from replay_store.saw import RecordedObservation

CLEAN: Final = "clean"
NOISY: Final = "noisy"


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules that give labels and re-rendered texts."""

    rule_set: RuleSet
    is_own: bool
    """Whether they are the ones that the observation was recorded with."""


@dataclass(frozen=True, slots=True)
class Pane:
    """One template's text."""

    template: str
    text: str | None
    """None when there is none: not recorded, and the template cannot be rendered."""
    n_tokens: int | None
    is_recorded: bool
    is_different: bool
    """Whether rendering it now gives another text than the recorded one."""
    coverage: Mapping[str, Coverage]
    """By cell key; of the text that is shown."""
    problem: str | None = None
    """Why it cannot be rendered now."""


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
    """What the model would have been given without the pipeline: the outputs, one after another."""
    raw_tokens: int | None
    """None when not every output was recorded whole."""
    counter: TokenCounter

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


def read(recorded: RecordedObservation, rules: Rules, language: str, variant: str) -> Reading:
    """Make one variant of an observation ready in one language.

    Args:
        recorded: From `get_observation`.
        rules: Its own rules where they are known.
        language: `zh` or `en`.
        variant: `clean` or `noisy`.
    """
    resolved = resolve_recorded(recorded, variant, rules.rule_set)
    critical = CriticalityChecker(rules.rule_set).check(recorded_context(recorded))
    counter = _counter(recorded)
    raw = "\n".join(record.output.body for record in recorded.raw)
    wordings = Wording(rules.rule_set, language, None, TEXT_CAP)
    panes = []
    for template in _templates(recorded):
        made, problem = _render(recorded, resolved, rules, critical, (template, language, variant))
        text = _recorded_text(recorded, template, language, variant)
        if template not in TEMPLATES and text is not None:
            problem = None  # an owner's own template: recorded is all there is
        panes.append(_pane(template, text, made, problem, resolved, wordings, counter))
    return Reading(
        recorded=recorded,
        rules=rules,
        language=language,
        variant=variant,
        resolved=resolved,
        critical=critical,
        panes=tuple(panes),
        raw_prompt=raw,
        raw_tokens=counter.count(raw) if _is_raw_whole(recorded) else None,
        counter=counter,
    )


def variants(recorded: RecordedObservation) -> tuple[str, ...]:
    """The variants there are: clean, and noisy where noise was on."""
    return (CLEAN,) if recorded.observation.noisy_snapshot_hash is None else (CLEAN, NOISY)


def _templates(recorded: RecordedObservation) -> list[str]:
    return list(dict.fromkeys([*TEMPLATES, *(prompt.template for prompt in recorded.prompts)]))


def _recorded_text(
    recorded: RecordedObservation, template: str, language: str, variant: str
) -> str | None:
    wanted = (template, language, variant)
    return next(
        (p.text for p in recorded.prompts if (p.template, p.language, p.variant) == wanted), None
    )


def _render(
    recorded: RecordedObservation,
    resolved: ResolvedSnapshot | None,
    rules: Rules,
    critical: frozenset[str],
    key: tuple[str, str, str],
) -> tuple[Prompt | None, str | None]:
    """The prompt as it renders now, or why there is none; neither without evidence."""
    if resolved is None:
        return None, None
    template, language, variant = key
    noise: Sequence[NoiseRecord] = recorded.noise if variant == NOISY else ()
    try:
        made = render(
            resolved,
            template,
            language,
            rules=rules.rule_set,
            critical=critical,
            outputs=recorded_outputs(recorded),
            noise=noise,
        )
    except TemplateError as error:
        return None, str(error)
    return made, None


def _pane(
    template: str,
    text: str | None,
    made: Prompt | None,
    problem: str | None,
    resolved: ResolvedSnapshot | None,
    wording: Wording,
    counter: TokenCounter,
) -> Pane:
    is_different = text is not None and made is not None and made.text != text
    shown = text if text is not None else (made.text if made else None)
    coverage: dict[str, Coverage] = {}
    if made is not None and not is_different:
        coverage = {cell.key: cell.coverage for cell in made.cells}
    elif shown is not None and resolved is not None:
        coverage = {cell.key: _found(cell, shown, wording) for cell in resolved.cells}
    return Pane(
        template=template,
        text=shown,
        n_tokens=None if shown is None else counter.count(shown),
        is_recorded=text is not None,
        is_different=is_different,
        coverage=coverage,
        problem=problem,
    )


def _found(cell: Cell, text: str, wording: Wording) -> Coverage:
    """What became of a fact in a text whose template cannot be asked."""
    surfaces = wording.surfaces(cell)
    if all(surface in text for surface in surfaces):
        return Coverage.SHOWN
    is_begun = wording.label(cell) in text or any(surface in text for surface in surfaces)
    return Coverage.CUT if is_begun else Coverage.OMITTED


def _is_raw_whole(recorded: RecordedObservation) -> bool:
    is_all = len(recorded.raw) >= max(recorded.observation.n_outputs, 1)
    return is_all and not any(record.output.body.endswith(CUT) for record in recorded.raw)


def _counter(recorded: RecordedObservation) -> TokenCounter:
    """What counted the recorded prompts, where it is installed; the estimate otherwise."""
    name = next((p.token_counter for p in recorded.prompts if p.token_counter), None)
    return EstimatedTokens() if name is None else token_counter(name)
