"""One tool output on its way through the parser, and what is said of it as a whole.

As a whole it may have failed, be empty, or not be readable.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from pipeline.observation.fragment import (
    CONFIDENCE,
    TOOL_RESULT,
    ConfidenceOrigin,
    EntityRef,
    FragmentKind,
    SemanticFragment,
    ValueType,
)
from pipeline.observation.hooks import RULES_PARSER
from pipeline.observation.inputs import UNKNOWN_TOOL, Context, ToolOutput, utc
from pipeline.observation.preview import RAW_LIMIT
from pipeline.observation.privacy import raw_text
from pipeline.observation.rules.model import Parser, RuleSet, ToolRules

_STATED_KINDS: Final = {FragmentKind.EMPTY, FragmentKind.FAILED}


@dataclass(frozen=True, slots=True)
class Answer:
    """What every fragment of one output shares."""

    rules: RuleSet
    tool_rules: ToolRules | None
    context: Context
    output: ToolOutput
    tool: str
    observed_at: datetime | None
    fallback_entity: EntityRef
    parser: Parser | None
    rule_version: str
    parser_version: str


def answer_of(
    output: ToolOutput, rules: RuleSet, tool_rules: ToolRules | None, context: Context
) -> Answer:
    """What the fragments of an output share, when these rules read it; None when none do."""
    tool = output.tool or (tool_rules.name if tool_rules else UNKNOWN_TOOL)
    observed_at = None if output.received_at is None else utc(output.received_at)
    parser = None if tool_rules is None else rules.parser_of(tool_rules.name)
    return Answer(
        rules=rules,
        tool_rules=tool_rules,
        context=context,
        output=output,
        tool=tool,
        observed_at=observed_at,
        fallback_entity=EntityRef("tool", tool),
        parser=parser,
        rule_version=_rule_version(rules, tool_rules),
        parser_version=RULES_PARSER if parser is None else str(parser),
    )


def stated(
    answer: Answer, kind: FragmentKind, value: str | None, reason: str, raw: str | None = None
) -> SemanticFragment:
    """A fact about the answer as a whole; its raw text is the answer's unless given."""
    if raw is None:
        raw = raw_text(answer.output, answer.rules, RAW_LIMIT, answer.context.pseudonym_key)
    origin = ConfidenceOrigin.STATED if kind in _STATED_KINDS else ConfidenceOrigin.UNPARSED
    return SemanticFragment(
        type=TOOL_RESULT,
        kind=kind,
        value=value,
        confidence=CONFIDENCE[origin],
        confidence_origin=origin,
        source=answer.tool,
        entity=answer.fallback_entity,
        tool=answer.tool,
        value_type=ValueType.ENUM,
        observed_at=answer.observed_at,
        raw=raw,
        reason=reason,
        contract_version=answer.output.version,
        rule_version=answer.rule_version,
        parser_version=answer.parser_version,
    )


def _rule_version(rules: RuleSet, tool_rules: ToolRules | None) -> str:
    own = "" if tool_rules is None else f"/{tool_rules.name}@{tool_rules.version}"
    return f"{rules.version}{own}"
