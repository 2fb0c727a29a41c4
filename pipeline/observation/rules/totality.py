"""Totality and purity by trial: a parser has an answer for everything, and always the same one.

Source: S0 §3.1 (pure function), evaluation practice for dictionary gates: no exception on any input,
equal results on two runs, no fact outside the registry.
"""

from typing import Final

from pipeline.observation.fragment import TOOL_RESULT, EntityRef, SemanticFragment
from pipeline.observation.hooks import HOOK_FAILED
from pipeline.observation.inputs import Context, ToolOutput
from pipeline.observation.parser import parse
from pipeline.observation.preview import preview
from pipeline.observation.rules.lint import RuleWarning
from pipeline.observation.rules.model import RuleSet, ToolRules
from pipeline.observation.rules.samples import ordinary_answer, strange_answer

N_INPUTS: Final = 200
"""Inputs tried for each rule file unless another count is asked for."""
MAX_PROBLEMS: Final = 10
"""Problems told for each rule file."""
_SHOWN: Final = 120


def check_totality(
    rules: RuleSet, *, seed: int = 0, n_inputs: int = N_INPUTS
) -> tuple[RuleWarning, ...]:
    """What went wrong when every rule file read generated answers; empty when nothing did.

    Args:
        rules: With the code parsers that are to be tried (`with_parsers`).
        seed: Another seed tries other answers; equal seeds try equal ones.
        n_inputs: How many answers each rule file reads, twice each. The first is as declared.

    Returns:
        One warning a problem: a hook failed, two readings differ, a fact type is not declared.
    """
    return tuple(
        problem for tool in rules.tools for problem in _of_tool(rules, tool, seed, n_inputs)
    )


def _of_tool(rules: RuleSet, tool: ToolRules, seed: int, n_inputs: int) -> list[RuleWarning]:
    found: dict[tuple[str, str], RuleWarning] = {}
    contract = min(tool.contracts, default=None)
    intents = (None, *sorted(tool.intents))
    for number in range(n_inputs):
        body = strange_answer(tool, seed, number) if number else ordinary_answer(tool)
        context = Context(
            intent=intents[number % len(intents)],
            primary=EntityRef(tool.entity.type, "1") if tool.entity and number % 2 else None,
        )
        output = ToolOutput(tool.name, contract, None, body)
        for field, problem in _problems(rules, output, context):
            shown = f"{problem}; first with {preview(body, _SHOWN)}"
            found.setdefault((field, problem), RuleWarning(tool.file, field, shown))
    return list(found.values())[:MAX_PROBLEMS]


def _problems(rules: RuleSet, output: ToolOutput, context: Context) -> list[tuple[str, str]]:
    fragments = parse(output, rules, context)
    problems = [(f.source, "its hook failed") for f in fragments if f.reason == HOOK_FAILED]
    problems += [
        (f.source, f"{f.type} is no declared fact type")
        for f in fragments
        if f.type != TOOL_RESULT and f.type not in rules.fact_types
    ]
    if _ids(fragments) != _ids(parse(output, rules, context)):
        problems.append((output.tool, "two readings of one answer differ"))
    return problems


def _ids(fragments: list[SemanticFragment]) -> list[str]:
    return [fragment.fact_id for fragment in fragments]
