"""What a rule file may say but had better not: warnings for its owner, never errors."""

from dataclasses import dataclass

from pipeline.observation.fragment import CONFIDENCE, ConfidenceOrigin, ValueType
from pipeline.observation.rules.model import FieldRule, RuleSet


@dataclass(frozen=True, slots=True)
class RuleWarning:
    """One thing worth a second look."""

    file: str
    field: str
    problem: str


def lint_rules(rules: RuleSet) -> tuple[RuleWarning, ...]:
    """Warnings in order of files and fields; empty when there is nothing to say.

    A written confidence stands, but one above what its operation is worth (S0 §5.2) is pointed out;
    so are enum values without words, which reach the model as bare codes.
    """
    return tuple(
        RuleWarning(tool.file, field.name, problem)
        for tool in rules.tools
        for field in tool.fields
        for problem in _problems(field)
    )


def _problems(field: FieldRule) -> list[str]:
    problems = []
    worth = CONFIDENCE[_operation(field)]
    if field.confidence is not None and field.confidence > worth:
        problems.append(f"confidence {field.confidence:g} is above the {worth:g} of its operation")
    if field.enum is not None:
        bare = sorted(set(field.enum.codes.values()) - field.enum.words.keys())
        problems += [f"{code} has no words" for code in bare]
    return problems


def _operation(field: FieldRule) -> ConfidenceOrigin:
    if field.list_rule is not None:
        return ConfidenceOrigin.AGGREGATE
    is_converted = (
        field.value_type in (ValueType.ENUM, ValueType.DATE, ValueType.DATETIME)
        or field.scale is not None
    )
    return ConfidenceOrigin.CONVERSION if is_converted else ConfidenceOrigin.GET
