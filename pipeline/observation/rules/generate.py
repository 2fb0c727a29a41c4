"""A rule file to a typed Python parser and its tests: all but what only the domain owner knows.

Source: S0 §3.1: a generator writes the frame (about 80 %), the owner fills the hooks.
"""

import json
import keyword
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from pipeline.observation.errors import RuleFileError
from pipeline.observation.fragment import ValueType
from pipeline.observation.inputs import Context, ToolOutput
from pipeline.observation.parser import parse
from pipeline.observation.rules.generated_text import MODULE, TEST_MODULE, hook_text, test_imports
from pipeline.observation.rules.kept import kept_regions, with_regions
from pipeline.observation.rules.load import load_rules
from pipeline.observation.rules.model import FieldRule, RuleSet, ToolRules
from pipeline.observation.rules.samples import ordinary_answer

_TYPES: Final = {
    ValueType.ENUM: "str",
    ValueType.STRING: "str",
    ValueType.NUMBER: "float",
    ValueType.BOOLEAN: "bool",
    ValueType.DATE: "str",
    ValueType.DATETIME: "str",
}


@dataclass(frozen=True, slots=True)
class GeneratedFile:
    """One file to write."""

    name: str
    text: str
    n_lines: int
    """Lines with something on them, the owner's included."""
    n_kept_lines: int
    """Those of them that the owner wrote or has to write."""
    orphans: Mapping[str, str]
    """Regions of the owner for which the rule file has no place any more."""


def generate_parser(
    file: str,
    text: str,
    existing: Mapping[str, str] | None = None,
    beside: Mapping[str, str] | None = None,
) -> tuple[GeneratedFile, ...]:
    """The parser module and its test module for one rule file.

    Args:
        file: Name of the rule file.
        text: Its YAML text.
        existing: Texts of earlier generated files by name; what stands between their marks is kept.
        beside: YAML texts of domain files whose fact types it uses.

    Raises:
        RuleFileError: The rule file cannot be used, or an existing file was not generated or has
            broken marks.
    """
    rules = load_rules({**(beside or {}), file: text}).unpinned()
    if not rules.tools:
        raise RuleFileError(file, "name", "a domain file has nothing to parse", ["name: <tool>"])
    tool = rules.tools[0]
    module = module_name(tool)
    fields = _fields(file, tool)
    parts = {
        "name": tool.name,
        "file": file,
        "module": module,
        "imports": test_imports(module),
        "types": _types(tool),
        "hooks": "\n\n".join(hook_text(name, _said(rule)) for name, rule in fields.items()),
        "table": "\n".join(f"    {_quoted(r.name)}: read_{name}," for name, r in fields.items()),
        "example": _literal(ordinary_answer(tool)),
        "expected": "\n".join(f"    {_quoted(name)}," for name in _expected(rules, tool)),
    }
    known = existing or {}
    return (
        _file(f"{module}.py", MODULE, parts, known),
        _file(f"test_{module}.py", TEST_MODULE, parts, known),
    )


def module_name(tool: ToolRules) -> str:
    """The name of the module that reads on for a rule file."""
    return f"{_identifier(tool.name)}_parser"


def _file(
    name: str, template: str, parts: Mapping[str, str], existing: Mapping[str, str]
) -> GeneratedFile:
    text = re.sub(r"<<(\w+)>>", lambda found: parts[found[1]], template)
    own = kept_regions(name, text)
    regions = kept_regions(name, existing[name]) if name in existing else {}
    text = with_regions(text, regions)
    kept = kept_regions(name, text)
    orphans = {key: code for key, code in regions.items() if key not in own and code.strip()}
    return GeneratedFile(name, text, _n_lines([text]), _n_lines(kept.values()), orphans)


def _n_lines(texts: Iterable[str]) -> int:
    return sum(1 for text in texts for line in text.splitlines() if line.strip())


def _fields(file: str, tool: ToolRules) -> dict[str, FieldRule]:
    """The fields by the name of their hook."""
    fields: dict[str, FieldRule] = {}
    for rule in tool.fields:
        name = _identifier(rule.name)
        if name in fields:
            problem = f"{rule.name} and {fields[name].name} give one hook name"
            raise RuleFileError(file, "output_schema", problem, ["names that differ in letters"])
        fields[name] = rule
    return fields


def _identifier(name: str) -> str:
    kept = re.sub(r"\W", "_", name.lower(), flags=re.ASCII)
    return f"f_{kept}" if not kept.isidentifier() or keyword.iskeyword(kept) else kept


def _said(rule: FieldRule) -> str:
    """One sentence about a field, for its hook."""
    if rule.list_rule is not None:
        return f"{rule.fact_type}, from a list by {rule.list_rule.strategy}."
    if rule.enum is not None:
        return f"{rule.fact_type}, an enum of {len(set(rule.enum.codes.values()))} codes."
    return f"{rule.fact_type}, a {rule.value_type}."


def _types(tool: ToolRules) -> str:
    """The shape of an answer as a TypedDict."""
    keys: dict[str, str] = {}
    if tool.entity is not None:
        _add_key(keys, tool.entity.paths[0], "str")
    for rule in tool.fields:
        _add_key(keys, rule.paths[0], _type(rule))
    members = "\n".join(f"        {_quoted(key)}: {written}," for key, written in keys.items())
    if all(key.isidentifier() and not keyword.iskeyword(key) for key in keys):
        lines = "\n".join(f"    {key}: {written}" for key, written in keys.items())
        return f'class Answer(TypedDict, total=False):\n    """What the tool answers, as declared."""\n\n{lines}'
    return f'Answer = TypedDict(\n    "Answer",\n    {{\n{members}\n    }},\n    total=False,\n)'


def _add_key(keys: dict[str, str], path: tuple[str, ...], written: str) -> None:
    keys.setdefault(path[0], written if len(path) == 1 else "dict[str, Any]")


def _type(rule: FieldRule) -> str:
    if rule.list_rule is not None:
        return "list[Any]"
    if rule.bands:
        return "float"
    if rule.true_values or rule.false_values:
        return "bool | str"
    return _TYPES[rule.value_type]


def _expected(rules: RuleSet, tool: ToolRules) -> list[str]:
    """The fact types that the ordinary answer gives, sorted."""
    output = ToolOutput(tool.name, min(tool.contracts, default=None), None, ordinary_answer(tool))
    return sorted({fragment.type for fragment in parse(output, rules, Context())})


def _quoted(text: str) -> str:
    return json.dumps(text)


def _literal(value: object, indent: int = 0) -> str:
    """Python source of a JSON value, one item a line, as the formatter writes it."""
    inner = " " * (indent + 4)
    if isinstance(value, dict) and value:
        items = "".join(
            f"{inner}{_quoted(key)}: {_literal(item, indent + 4)},\n" for key, item in value.items()
        )
        return f"{{\n{items}{' ' * indent}}}"
    if isinstance(value, list) and value:
        items = "".join(f"{inner}{_literal(item, indent + 4)},\n" for item in value)
        return f"[\n{items}{' ' * indent}]"
    return _quoted(value) if isinstance(value, str) else repr(value)
