"""Recorded outputs through the observation pipeline again: what the model would read of them."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pipeline.observation import (
    Context,
    CriticalityChecker,
    NoiseProfile,
    RuleSet,
    SemanticFragment,
    SemanticSnapshot,
    ToolOutput,
    align,
    decode_context,
    inject,
    parse,
    primary_entity,
    related_entities,
    render,
    resolve,
)
from pipeline.observation.fragment import tagged
from pipeline.observation.payload import decode
from pipeline.replay.case import Case, Expected, ExpectedFact, ExpectedPrompt, Recorded
from pipeline.replay.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Noise:
    """Controlled noise for one play."""

    profile: NoiseProfile
    intensity: float
    seed: int


@dataclass(frozen=True, slots=True)
class Seen:
    """What a model would read of some outputs."""

    snapshot: SemanticSnapshot
    prompt: str
    n_noise: int
    """Facts that noise has changed."""
    critical: frozenset[str]
    """Types that noise must not touch."""

    @property
    def facts(self) -> tuple[str, ...]:
        """One line a statement, sorted."""
        return tuple(sorted(map(fragment_line, self.snapshot)))


def play_observation(case: Case, rules: RuleSet, noise: Noise | None = None) -> Outcome:
    """The facts and the prompt of a case by some rules; right when they are the expected ones."""
    return judge_observation(case, see_case(case, rules, noise))


def see_case(case: Case, rules: RuleSet, noise: Noise | None = None) -> Seen:
    """What a model would read of a case's outputs, in the template that its prompt is of."""
    wanted = (case.expected or Expected()).prompt or ExpectedPrompt("")
    return see(case.recorded, context_of(case), rules, noise, wanted.template, wanted.language)


def judge_observation(case: Case, seen: Seen) -> Outcome:
    """What was read beside what a case expects."""
    expected = case.expected or Expected()
    problems = []
    if expected.facts is not None:
        problems += fact_problems(expected.facts, seen.snapshot)
    if expected.prompt is not None and expected.prompt.text != seen.prompt:
        problems.append("the prompt is another one")
    return Outcome(
        is_right=not problems,
        facts=None if expected.facts is None else seen.facts,
        prompt=None if expected.prompt is None else seen.prompt,
        problems=tuple(problems),
    )


def recorded_observation(case: Case) -> Outcome:
    """An observation as it was recorded: right by what a case is."""
    expected = case.expected or Expected()
    facts, prompt = expected.facts, expected.prompt
    return Outcome(
        is_right=True,
        facts=None if facts is None else tuple(sorted(map(expected_line, facts))),
        prompt=None if prompt is None else prompt.text,
    )


def see(
    recorded: Iterable[Recorded],
    context: Context,
    rules: RuleSet,
    noise: Noise | None = None,
    template: str = "concise",
    language: str = "zh",
) -> Seen:
    """Recorded outputs parsed, aligned, disturbed if asked, and rendered. Nothing is traced.

    Raises:
        TemplateError: There is no such template or language.
    """
    outputs = [tool_output(item) for item in recorded]
    snapshot = align(f for output in outputs for f in parse(output, rules, context))
    critical = CriticalityChecker(rules).check(context)
    injection = None
    if noise is not None:
        injection = inject(snapshot, noise.profile, noise.seed, noise.intensity, critical)
        snapshot = injection.snapshot
    resolved = resolve(
        snapshot,
        context.query_time,
        primary_entity(rules, context),
        rules=rules,
        related=related_entities(rules, context),
    )
    prompt = render(
        resolved, template, language, rules=rules, critical=critical, outputs=outputs,
        noise=() if injection is None else injection.records,
    )  # fmt: skip
    return Seen(snapshot, prompt.text, 0 if injection is None else len(injection.records), critical)


def context_of(case: Case) -> Context:
    """The context of a case; an empty one when it has none.

    Raises:
        ObservationError: It is not what `encode_context` writes.
    """
    if case.context is None:
        return Context()
    empty: dict[str, Any] = {"query_time": None, "intent": None, "primary": None, "values": {}}
    return decode_context(json.dumps(empty | dict(case.context)))


def tool_output(item: Recorded) -> ToolOutput:
    """A recorded answer as the pipeline takes it."""
    return ToolOutput(
        tool=item.tool,
        version=item.version,
        received_at=None if item.received_at is None else datetime.fromisoformat(item.received_at),
        body=_body(item.body),
        error=item.error,
        degradation=item.degradation,
    )


def fact_problems(expected: Sequence[ExpectedFact], snapshot: SemanticSnapshot) -> list[str]:
    """What is missing and what is too much, one sentence each, sorted."""
    wanted = {expected_line(fact) for fact in expected}
    read = set(map(fragment_line, snapshot))
    missing = [f"not read any more: {line}" for line in wanted - read]
    extra = [f"not expected: {line}" for line in read - wanted]
    return sorted(missing) + sorted(extra)


def fragment_line(fragment: SemanticFragment) -> str:
    """A statement in one line; equal exactly when it says the same."""
    return _line(
        str(fragment.entity), fragment.type, tagged(fragment.value), fragment.kind, fragment.source
    )


def expected_line(fact: ExpectedFact) -> str:
    """An expected statement, in the words of `fragment_line`."""
    return _line(fact.entity, fact.type, fact.value, fact.kind, fact.source)


def expected_fact(fragment: SemanticFragment) -> ExpectedFact:
    """A statement as a case expects it."""
    return ExpectedFact(
        entity=str(fragment.entity),
        type=fragment.type,
        source=fragment.source,
        kind=fragment.kind.value,
        value=tagged(fragment.value),
    )


def _line(entity: str, fact_type: str, value: object, kind: str, source: str) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return f"{entity} {fact_type} = {text} ({kind}, {source})"


def _body(value: object) -> object:
    """A text that is no JSON stays a text; any other text would be read as the JSON it looks like."""
    if isinstance(value, str) and decode(value)[1] is None:
        return json.dumps(value)
    return value
