"""The label of one choice, from what is right in a case: eight exclusive labels, first match wins.

Source: evaluation practice; the label list is S3 §7.2's accuracy made countable. A right tool with
wrong arguments is a right selection and a wrong call.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from pipeline.replay.arguments import Sub, rule_problems, schema_problems
from pipeline.replay.case import Chosen, Gold, Offered
from pipeline.vocabulary import SelectionLabel


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one choice amounts to."""

    label: SelectionLabel
    sub: Sub | None = None
    reason: str | None = None
    """Which argument, and what was expected; None when the label says it all."""

    @property
    def is_selection_ok(self) -> bool:
        """Whether the tool was right, or rightly none."""
        return self.label in _SELECTION_OK

    @property
    def is_call_ok(self) -> bool:
        """Whether the whole call was right. Arguments that nobody knows are not held against it."""
        return self.label in _CALL_OK


_CALL_OK: Final = frozenset(
    {
        SelectionLabel.CORRECT_NO_CALL,
        SelectionLabel.RIGHT,
        SelectionLabel.ACCEPTABLE_ALTERNATIVE,
    }
)
_SELECTION_OK: Final = _CALL_OK | {SelectionLabel.RIGHT_TOOL_WRONG_ARGS}


def label_choice(gold: Gold, offered: Sequence[Offered], chosen: Chosen) -> Verdict:
    """The label of a choice.

    Args:
        gold: What is right.
        offered: The tools that could be chosen; their schemas judge the arguments too.
        chosen: The choice; arguments that are None are not judged.
    """
    if not chosen.is_call:
        return _of_no_call(gold, offered)
    if gold.need == "NO_CALL":
        return Verdict(SelectionLabel.SHOULD_NOT_HAVE_CALLED)
    if chosen.tool not in (*gold.best, *gold.acceptable):
        return _wrong_tool(gold, offered, chosen)
    if chosen.arguments is not None and (problem := _argument_problem(gold, offered, chosen)):
        return Verdict(SelectionLabel.RIGHT_TOOL_WRONG_ARGS, *problem)
    is_best = chosen.tool in gold.best
    return Verdict(SelectionLabel.RIGHT if is_best else SelectionLabel.ACCEPTABLE_ALTERNATIVE)


def _of_no_call(gold: Gold, offered: Sequence[Offered]) -> Verdict:
    if gold.need == "NO_CALL":
        return Verdict(SelectionLabel.CORRECT_NO_CALL)
    sub = None if _is_right_offered(gold, offered) else Sub.GOLD_NOT_OFFERED
    return Verdict(SelectionLabel.SHOULD_HAVE_CALLED, sub)


def _wrong_tool(gold: Gold, offered: Sequence[Offered], chosen: Chosen) -> Verdict:
    sub: Sub | None = None
    if all(tool.name != chosen.tool for tool in offered):
        sub = Sub.NOT_OFFERED
    elif chosen.tool in gold.forbidden:
        sub = Sub.FORBIDDEN
    elif not _is_right_offered(gold, offered):
        sub = Sub.GOLD_NOT_OFFERED
    return Verdict(SelectionLabel.WRONG_TOOL, sub)


def _is_right_offered(gold: Gold, offered: Iterable[Offered]) -> bool:
    return any(tool.name in (*gold.best, *gold.acceptable) for tool in offered)


def _argument_problem(
    gold: Gold, offered: Sequence[Offered], chosen: Chosen
) -> tuple[Sub, str] | None:
    given = chosen.arguments or {}
    schema = next((t.input_schema for t in offered if t.name == chosen.tool), None)
    if schema is not None and (found := next(schema_problems(given, schema), None)):
        return found
    rules = gold.arguments.get(chosen.tool)
    return None if rules is None else next(rule_problems(given, rules), None)
