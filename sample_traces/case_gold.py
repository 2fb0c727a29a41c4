"""What is right in a replay case of this world, from what its honest judge said."""

from collections.abc import Mapping, Sequence

from pipeline.replay import ArgumentRule, Gold
from pipeline.vocabulary import SelectionLabel
from sample_traces.intents import Call
from sample_traces.truth import JudgedDecision

_FREE_TEXT = frozenset({"keyword"})
"""Arguments that may be put in many words."""
_OPTIONAL = frozenset({"include_logistics"})


def decision_gold(decision: JudgedDecision) -> Gold:
    """What would have been right for one decision."""
    expected = decision.expected
    if expected is None:
        return Gold("NO_CALL")
    is_alternative = decision.label is SelectionLabel.ACCEPTABLE_ALTERNATIVE
    return Gold(
        "CALL",
        best=(expected.tool,),
        acceptable=(decision.tool,) if is_alternative else (),
        arguments={expected.tool: _rules(expected)},
    )


def task_gold(decisions: Sequence[JudgedDecision]) -> Gold:
    """The calls of a task in which every decision was right; NO_CALL when it made none.

    The arguments of a tool that was called twice are left free.
    """
    calls = [decision.expected for decision in decisions if decision.expected is not None]
    tools = [call.tool for call in calls]
    if not calls:
        return Gold("NO_CALL")
    once = {call.tool: _rules(call) for call in calls if tools.count(call.tool) == 1}
    turns = {decision.turn_index for decision in decisions if decision.expected is not None}
    is_ordered = len(turns) > 1 or len(calls) == 1
    return Gold("CALL", best=tuple(tools), arguments=once, is_ordered=is_ordered)


def _rules(call: Call) -> Mapping[str, ArgumentRule]:
    return {name: _rule(name, value) for name, value in call.arguments.items()}


def _rule(name: str, value: object) -> ArgumentRule:
    if name in _FREE_TEXT:
        return ArgumentRule(is_ignored=True)
    if name in _OPTIONAL:
        return ArgumentRule(values=(True, False), is_optional=True)
    return ArgumentRule(values=(value,))
