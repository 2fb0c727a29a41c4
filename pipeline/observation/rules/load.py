"""Rule files to a rule set: from texts, from a folder, or the package's own version 0."""

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from pipeline.observation.errors import RuleFileError
from pipeline.observation.expression import ALLOWED, ExpressionError, compile_expression
from pipeline.observation.rules.compile import TypeTable, compile_tool
from pipeline.observation.rules.model import DerivedRule, Relation, RuleSet
from pipeline.observation.rules.parts import compile_bands, words_of
from pipeline.observation.rules.schema import DerivedSpec, DomainFile, Strict, ToolFile
from pipeline.observation.rules.yaml_text import read_yaml

Spec = TypeVar("Spec", bound=Strict)


def load_rules(texts: Mapping[str, str], version: str | None = None) -> RuleSet:
    """A rule set from YAML texts by file name.

    A file with a `domain` key declares fact types, formulas and relations; every other one the
    rules of one tool.

    Args:
        texts: YAML text of each file, by name.
        version: Its name; the first 12 digits of the content's hash when None.

    Raises:
        RuleFileError: A file cannot be used; names file, path, problem and what is allowed.
    """
    data = {file: read_yaml(file, texts[file]) for file in sorted(texts)}
    domains = {f: _validate(f, d, DomainFile) for f, d in data.items() if "domain" in d}
    tools = {f: _validate(f, d, ToolFile) for f, d in data.items() if "domain" not in d}
    table = TypeTable({}, {})
    for file, spec in (domains | tools).items():
        table.declare(file, spec.fact_types)
    compiled = tuple(compile_tool(file, spec, table) for file, spec in tools.items())
    _require_unique_names(tools)
    sha256 = _hash(texts)
    return RuleSet(
        version=version or sha256[:12],
        sha256=sha256,
        fact_types=table.types,
        tools=compiled,
        derived=tuple(r for file, spec in domains.items() for r in _derived(file, spec, table)),
        relations=tuple(
            Relation(relation.entity, relation.belongs_to, relation.context)
            for spec in domains.values()
            for relation in spec.relations
        ),
        entity_labels={
            name: words_of(text)
            for spec in domains.values()
            for name, text in spec.entities.items()
        },
    )


def rule_problems(texts: Mapping[str, str]) -> tuple[RuleFileError, ...]:
    """Everything that keeps some files from being a rule set, file by file; empty when they are one.

    Where the shape of every file is right, what does not fit together is told one at a time.
    """
    problems = [problem for file in sorted(texts) for problem in _shape_problems(file, texts[file])]
    if not problems:
        try:
            load_rules(texts)
        except RuleFileError as error:
            problems = [error]
    return tuple(problems)


def load_folder(folder: Path, version: str | None = None) -> RuleSet:
    """A rule set from the `*.yaml` files of a folder.

    Raises:
        RuleFileError: There is none, or one cannot be read or used.
    """
    texts = {}
    for path in sorted(folder.glob("*.yaml")):
        try:
            texts[path.name] = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise RuleFileError(path.name, "whole file", "cannot be read as UTF-8") from error
    if not texts:
        raise RuleFileError(folder.name, "folder", "holds no rule file", ["*.yaml"])
    return load_rules(texts, version)


def package_rule_texts() -> dict[str, str]:
    """The YAML text of each of the package's own rule files, by name."""
    folder = files(__package__) / "v0"
    return {
        entry.name: entry.read_text(encoding="utf-8")
        for entry in sorted(folder.iterdir(), key=lambda entry: entry.name)
        if entry.name.endswith(".yaml")
    }


@cache
def package_rules() -> RuleSet:
    """The package's own rule set, version 0: the seeds' tools. Immutable, so read once."""
    return load_rules(package_rule_texts(), version="0")


def is_domain(file: str, text: str) -> bool:
    """Whether a text is a domain file; false for one that cannot be read."""
    try:
        return "domain" in read_yaml(file, text)
    except RuleFileError:
        return False


def _shape_problems(file: str, text: str) -> list[RuleFileError]:
    try:
        data = read_yaml(file, text)
        model = DomainFile if "domain" in data else ToolFile
        model.model_validate(data)
    except RuleFileError as error:
        return [error]
    except ValidationError as error:
        return _errors(file, error)
    return []


def _validate(file: str, data: dict[str, Any], model: type[Spec]) -> Spec:
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise _errors(file, error)[0] from error


def _errors(file: str, error: ValidationError) -> list[RuleFileError]:
    """Everything that is wrong with the shape of one file."""
    found = []
    for detail in error.errors(include_url=False):
        context = detail.get("ctx", {})
        allowed = context.get("allowed") or _expected(context.get("expected", ""))
        path = _path(detail["loc"]) or "whole file"
        found.append(RuleFileError(file, path, _problem(dict(detail)), allowed))
    return found


def _path(location: tuple[int | str, ...]) -> str:
    parts = [f"[{step}]" if isinstance(step, int) else f".{step}" for step in location]
    return "".join(parts).removeprefix(".")


def _expected(text: str) -> list[str]:
    return [part.strip(" '") for part in text.replace(" or ", ",").split(",") if part.strip(" '")]


def _problem(error: dict[str, Any]) -> str:
    if error["type"] == "missing":
        return "is missing"
    given = error["input"]
    shown = f"{given!r}: " if isinstance(given, str | int | float) else ""
    message = str(error["msg"])
    return f"{shown}{message[:1].lower()}{message[1:]}"


def _require_unique_names(tools: Mapping[str, ToolFile]) -> None:
    """Refuse two files of one name that read the same contract version."""
    seen: dict[tuple[str, str | None], str] = {}
    for file, spec in tools.items():
        contracts: list[str | None] = [*spec.contracts]
        for contract in contracts or [None]:
            key = (spec.name, contract)
            if key in seen:
                raise RuleFileError(file, "name", f"{spec.name} is taken by {seen[key]}")
            seen[key] = file


def _derived(file: str, spec: DomainFile, table: TypeTable) -> list[DerivedRule]:
    targets = [derived.fact_type for derived in spec.derived]
    rules = []
    for index, derived in enumerate(spec.derived):
        path = f"derived[{index}]"
        table.require(file, f"{path}.fact_type", derived.fact_type)
        rules.append(_derived_rule(file, path, derived, table, targets[index:]))
    return rules


def _derived_rule(
    file: str, path: str, spec: DerivedSpec, table: TypeTable, later: list[str]
) -> DerivedRule:
    try:
        expression = compile_expression(spec.formula)
    except ExpressionError as error:
        raise RuleFileError(file, f"{path}.formula", str(error), ALLOWED) from error
    for name in expression.names:
        table.require(file, f"{path}.formula", name)
        if name in later:
            problem = f"{name} is derived here or later: declare it first"
            raise RuleFileError(file, f"{path}.formula", problem)
    return DerivedRule(spec.fact_type, expression, compile_bands(file, f"{path}.bands", spec.bands))


def _hash(texts: Mapping[str, str]) -> str:
    digest = hashlib.sha256()
    for name in sorted(texts):
        digest.update(f"{name}\0{texts[name]}\0".encode())
    return digest.hexdigest()
