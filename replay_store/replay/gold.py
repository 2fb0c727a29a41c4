"""What a label says about what would have been right."""

from collections import Counter
from collections.abc import Mapping, Sequence

from pipeline.replay import ArgumentRule, Chosen, Gold
from pipeline.vocabulary import NO_CALL, SelectionLabel

_NO_CALL_NEEDED = frozenset({SelectionLabel.CORRECT_NO_CALL, SelectionLabel.SHOULD_NOT_HAVE_CALLED})


def gold_of_label(label: SelectionLabel, expected_tool: str | None, chosen: Chosen) -> Gold | None:
    """What is right in a decision of this label; None when the label does not say.

    A label that the arguments were wrong does not say which would have been right: the tool alone is
    asked for then, and the contract's schema judges the arguments.
    """
    if label in _NO_CALL_NEEDED or expected_tool == NO_CALL:
        return Gold("NO_CALL")
    match label:
        case SelectionLabel.RIGHT:
            return right_call(chosen)
        case SelectionLabel.RIGHT_TOOL_WRONG_ARGS:
            return Gold("CALL", best=(chosen.tool,))
        case SelectionLabel.ACCEPTABLE_ALTERNATIVE:
            best = expected_tool or chosen.tool
            return Gold(
                "CALL", best=(best,), acceptable=(chosen.tool,) if best != chosen.tool else ()
            )
        case SelectionLabel.WRONG_TOOL | SelectionLabel.SHOULD_HAVE_CALLED if expected_tool:
            return Gold("CALL", best=(expected_tool,))
        case _:
            return None


def right_call(chosen: Chosen) -> Gold:
    """What is right when what was chosen was: this tool with these arguments, or no call."""
    if not chosen.is_call:
        return Gold("NO_CALL")
    return Gold("CALL", best=(chosen.tool,), arguments=_rules(chosen))


def gold_of_task(golds: Sequence[Gold], turns: Sequence[int]) -> Gold:
    """What is right for a task, from what was right in each of its decisions.

    Args:
        golds: In order; those that need no call add nothing.
        turns: The turn of each call; calls of one turn may come in any order.
    """
    calls = [gold for gold in golds if gold.need == "CALL"]
    if not calls:
        return Gold("NO_CALL")
    times = Counter(gold.best[0] for gold in calls)
    once = [gold for gold in calls if times[gold.best[0]] == 1]
    return Gold(
        "CALL",
        best=tuple(gold.best[0] for gold in calls),
        arguments={tool: rules for gold in once for tool, rules in gold.arguments.items()},
        is_ordered=len(set(turns)) > 1 or len(calls) == 1,
    )


def _rules(chosen: Chosen) -> Mapping[str, Mapping[str, ArgumentRule]]:
    if chosen.arguments is None:
        return {}
    rules = {name: ArgumentRule(values=(value,)) for name, value in chosen.arguments.items()}
    return {chosen.tool: rules}
