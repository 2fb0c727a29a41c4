"""A resolved snapshot as the text a model reads, and what became of each fact on the way.

The package's templates are `templates/<name>.<language>.j2`; owners bring their own source. Every
template runs in the same sandbox (`sandbox`). What a prompt shows is established twice: by what the
template asked for, and by what is found in its text. Source: S0 §4.4, §5.2.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Final

from pipeline.observation.callers import Caller, require_template
from pipeline.observation.display import Wording
from pipeline.observation.errors import TemplateError
from pipeline.observation.inputs import ToolOutput
from pipeline.observation.noise_log import NoiseRecord
from pipeline.observation.resolved import Cell, CellKind, ResolvedSnapshot, SignalName
from pipeline.observation.rules.model import RuleSet
from pipeline.observation.safety import TEXT_CAP
from pipeline.observation.sentences import SENTENCES
from pipeline.observation.tokens import EstimatedTokens, TokenCounter
from pipeline.observation.views import (
    CORE_CONFIDENCE,
    MAX_EVIDENCE,
    FactView,
    GroupView,
    NoiseView,
    OutputView,
    StepView,
    is_core_cell,
)

TEMPLATES: Final = ("concise", "verbose", "debug")
LANGUAGES: Final = tuple(SENTENCES)
_TOOL_ENTITY: Final = "tool"
_FRAMED_BY_LINE: Final = "concise"


class Coverage(StrEnum):
    """What became of a fact in a prompt."""

    SHOWN = "shown"
    CUT = "cut"
    """The template asked for it, but its text is not there in full."""
    OMITTED = "omitted"


@dataclass(frozen=True, slots=True)
class CellCoverage:
    """One cell in one prompt."""

    key: str
    """`order:12345/STATUS`."""
    fact_ids: tuple[str, ...]
    coverage: Coverage
    is_required: bool
    """Critical, or a conflict: must be shown."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """One rendering."""

    template: str
    language: str
    text: str
    """Never empty."""
    n_tokens: int
    token_counter: str
    is_token_count_exact: bool
    cells: tuple[CellCoverage, ...]

    @property
    def shown(self) -> tuple[str, ...]:
        """Ids of the facts that are there in full."""
        return self._ids(Coverage.SHOWN)

    @property
    def cut(self) -> tuple[str, ...]:
        """Ids of the facts that the template used but whose text is not there in full."""
        return self._ids(Coverage.CUT)

    @property
    def omitted(self) -> tuple[str, ...]:
        """Ids of the facts that the template never used."""
        return self._ids(Coverage.OMITTED)

    @property
    def broken(self) -> tuple[CellCoverage, ...]:
        """Critical facts and conflicts that are not shown in full: errors of the template."""
        return tuple(c for c in self.cells if c.is_required and c.coverage is not Coverage.SHOWN)

    def _ids(self, coverage: Coverage) -> tuple[str, ...]:
        found = (c.fact_ids for c in self.cells if c.coverage is coverage)
        return tuple(dict.fromkeys(fact_id for ids in found for fact_id in ids))


def render(
    resolved: ResolvedSnapshot,
    template: str = "concise",
    language: str = "zh",
    *,
    rules: RuleSet,
    critical: frozenset[str] = frozenset(),
    source: str | None = None,
    outputs: Sequence[ToolOutput] = (),
    noise: Sequence[NoiseRecord] = (),
    counter: TokenCounter | None = None,
    pseudonym_key: bytes | None = None,
    caller: Caller = Caller.LOCAL,
) -> Prompt:
    """The prompt a template makes of a snapshot.

    Args:
        resolved: What is known.
        template: One of `TEMPLATES`, or the owner's name for `source`.
        language: One of `LANGUAGES`.
        rules: Names of types, tools, units and entities.
        critical: Types that must be shown (`CriticalityChecker.check`).
        source: The text of an owner's template; None takes the package's.
        outputs: Raw outputs, for templates that show them.
        noise: Disturbances, for templates that show them.
        counter: Counts tokens; the estimate when None.
        pseudonym_key: For sensitive ids in raw outputs; see `Context.pseudonym_key`.
        caller: Who reads the prompt. Others than local and privileged callers get no debug prompt,
            and their templates see no raw outputs, noise or evidence.

    Raises:
        TemplateError: No such template or language, the template cannot be used, or the caller may
            not see it.
    """
    require_template(template, caller)
    text_source = template_source(template, language) if source is None else source
    if language not in SENTENCES:
        raise TemplateError(template, None, f"no language {language!r}", LANGUAGES)
    is_framed = source is None and template == _FRAMED_BY_LINE
    token = None if is_framed else resolved.snapshot_hash[:8]
    wording = Wording(rules, language, token, TEXT_CAP)
    used: set[str] = set()
    shown_outputs = outputs if caller.sees_raw else ()
    shown_noise = noise if caller.sees_raw else ()
    steps = resolved.steps if caller.sees_raw else ()
    groups = list(_groups(resolved, wording, rules, language, critical, used, caller))
    from pipeline.observation.sandbox import run_template

    text = run_template(
        template,
        text_source,
        {
            "groups": groups,
            "facts": [fact for group in groups for fact in group.facts],
            "notices": [wording.notice(signal) for signal in resolved.signals],
            "outputs": [
                OutputView(output, rules, wording, pseudonym_key) for output in shown_outputs
            ],
            "noise": [NoiseView(record, wording) for record in shown_noise],
            "steps": [StepView(step, wording) for step in steps[:MAX_EVIDENCE]],
            "n_steps_left_out": max(len(steps) - MAX_EVIDENCE, 0),
            "mismatches": [
                wording.mismatch(signal)
                for signal in resolved.signals
                if signal.name is SignalName.ENTITY_MISMATCH
            ],
            "snapshot": resolved.snapshot_hash,
            "nothing": SENTENCES[language].nothing,
        },
    ).strip()
    text = text or SENTENCES[language].nothing
    counted = counter or EstimatedTokens()
    return Prompt(
        template=template,
        language=language,
        text=text,
        n_tokens=counted.count(text),
        token_counter=counted.name,
        is_token_count_exact=counted.is_exact,
        cells=tuple(_coverage(cell, wording, text, used, critical) for cell in resolved.cells),
    )


@cache
def template_source(template: str, language: str) -> str:
    """The text of one of the package's templates.

    Raises:
        TemplateError: There is no such template or language.
    """
    if template not in TEMPLATES:
        raise TemplateError(str(template), None, "no such template", TEMPLATES)
    if language not in LANGUAGES:
        raise TemplateError(template, None, f"no language {language!r}", LANGUAGES)
    from importlib.resources import files  # slow to import, needed once

    file = files(__package__) / "templates" / f"{template}.{language}.j2"
    return file.read_text(encoding="utf-8")


def _groups(
    resolved: ResolvedSnapshot,
    wording: Wording,
    rules: RuleSet,
    language: str,
    critical: frozenset[str],
    used: set[str],
    caller: Caller,
) -> Iterator[GroupView]:
    core_from = _core_from(resolved, critical)
    n_entities = sum(1 for group in resolved.groups if group.entity.type != _TOOL_ENTITY)
    for group in resolved.groups:
        is_plain = group.is_primary or (n_entities < 2 and resolved.primary is None)
        has_heading = not is_plain and group.entity.type != _TOOL_ENTITY
        facts = [
            FactView(
                cell,
                wording,
                rules,
                language,
                cell.type in critical,
                used,
                core_from,
                caller.sees_raw,
            )
            for cell in group.cells
        ]
        yield GroupView(group, facts, wording.entity(*group.entity) if has_heading else "")


def _core_from(resolved: ResolvedSnapshot, critical: frozenset[str]) -> float:
    """The confidence from which facts are core: 0 when otherwise nothing at all would be told."""
    cells = resolved.cells
    has_core = any(c.type in critical or is_core_cell(c, CORE_CONFIDENCE) for c in cells)
    return CORE_CONFIDENCE if has_core else 0.0


def _coverage(
    cell: Cell, wording: Wording, text: str, used: set[str], critical: frozenset[str]
) -> CellCoverage:
    if cell.key not in used:
        coverage = Coverage.OMITTED
    elif all(surface in text for surface in wording.surfaces(cell)):
        coverage = Coverage.SHOWN
    else:
        coverage = Coverage.CUT
    is_required = cell.type in critical or cell.kind is CellKind.CONFLICT
    return CellCoverage(cell.key, cell.fact_ids, coverage, is_required)
