"""Cases brought to what other rules read: for a change of rules that is meant, with its reason."""

from dataclasses import replace

from pipeline.observation import RuleSet
from pipeline.replay.case import Case, CaseKind, Expected, ExpectedFact, ExpectedPrompt
from pipeline.replay.observing import context_of, expected_fact, see, see_case

__all__ = ["updated_case"]


def updated_case(case: Case, rules: RuleSet, note: str, time: str) -> Case:
    """The case as it comes out by some rules, which is said to be right.

    Of an observation all facts, and the prompt where one was expected, are taken over. Of a whole
    task only what it expects of facts: a choice is nothing that rules can say.

    Args:
        case: The case as it is.
        rules: Read the recorded outputs.
        note: Why it is right now; what the case noted before stays in its history.
        time: When, RFC 3339 with offset.

    Raises:
        ObservationError: Its context cannot be read.
    """
    if case.kind is CaseKind.OBSERVATION:
        expected: Expected | None = _of_observation(case, rules)
    elif case.kind is CaseKind.END_TO_END and case.expected is not None:
        expected = replace(case.expected, facts=_of_task(case, case.expected, rules))
    else:
        expected = case.expected
    return replace(case, expected=expected, note=note, time=time)


def _of_observation(case: Case, rules: RuleSet) -> Expected:
    seen = see_case(case, rules)
    before = case.expected or Expected()
    prompt = before.prompt
    return replace(
        before,
        facts=tuple(map(expected_fact, seen.snapshot)),
        prompt=None
        if prompt is None
        else ExpectedPrompt(seen.prompt, prompt.template, prompt.language),
    )


def _of_task(case: Case, before: Expected, rules: RuleSet) -> tuple[ExpectedFact, ...] | None:
    """The expected statements as they are read now; one that nobody makes any more is left out."""
    if before.facts is None:
        return None
    context = context_of(case)
    read = [
        expected_fact(fragment)
        for item in case.recorded
        if rules.for_tool(item.tool)
        for fragment in see([item], context, rules).snapshot
    ]
    wanted = {(fact.entity, fact.type, fact.source) for fact in before.facts}
    kept = [fact for fact in read if (fact.entity, fact.type, fact.source) in wanted]
    return tuple({repr(fact): fact for fact in kept}.values())
