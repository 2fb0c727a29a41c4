"""Everything there is to say about a folder of rules before anybody publishes it."""

import hashlib
import importlib.util
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from pipeline.observation.errors import RuleFileError
from pipeline.observation.hooks import CodeParser
from pipeline.observation.rules.lint import RuleWarning, lint_rules
from pipeline.observation.rules.load import load_rules, rule_problems
from pipeline.observation.rules.model import RuleSet, ToolRules
from pipeline.observation.rules.purity import impurities
from pipeline.observation.rules.totality import N_INPUTS, check_totality

PARSER_FILES: Final = "*_parser.py"
_LOADING_ERRORS: Final = (
    ArithmeticError, AttributeError, ImportError, LookupError, NameError, RuntimeError, TypeError,
    ValueError,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class CheckedRules:
    """What was found. Without errors the rules can be published."""

    rules: RuleSet | None
    """With the parsers beside them; None when the files are no rule set."""
    errors: tuple[RuleFileError, ...]
    warnings: tuple[RuleWarning, ...]
    n_files: int
    n_hooks: int
    n_inputs: int
    """Generated answers that each rule file read, twice each; 0 when it came to no trial."""
    seed: int


def check_rules(
    texts: Mapping[str, str],
    parsers: Mapping[str, str] | None = None,
    *,
    seed: int = 0,
    n_inputs: int = N_INPUTS,
) -> CheckedRules:
    """Check rule files and the parsers beside them.

    Args:
        texts: YAML text by file name.
        parsers: Python source by file name. One that is pure is run, for trial; others never.
        seed: Of the generated answers.
        n_inputs: How many of them each rule file reads.
    """
    sources = parsers or {}
    errors = [*rule_problems(texts), *_impure(sources)]
    if errors:
        return CheckedRules(None, tuple(errors), (), len(texts), 0, 0, seed)
    rules = load_rules(texts)
    try:
        loaded = [load_parser(file, source) for file, source in sorted(sources.items())]
    except RuleFileError as error:
        return CheckedRules(None, (error,), (), len(texts), 0, 0, seed)
    errors = [problem for parser in loaded for problem in _misfits(parser, rules)]
    rules = rules.with_parsers(*loaded)
    errors += pin_problems(rules)
    found = check_totality(rules, seed=seed, n_inputs=n_inputs)
    errors += [RuleFileError(f.file, f.field, f.problem) for f in found]
    return CheckedRules(
        rules=rules,
        errors=tuple(errors),
        warnings=lint_rules(rules),
        n_files=len(texts) + len(sources),
        n_hooks=sum(len(parser.hooks) for parser in loaded),
        n_inputs=n_inputs,
        seed=seed,
    )


def read_parsers(folder: Path) -> dict[str, str]:
    """The Python sources of a folder's parsers by name; those of their tests left out.

    Raises:
        RuleFileError: One cannot be read as UTF-8.
    """
    sources = {}
    for path in sorted(folder.glob(PARSER_FILES)):
        if path.name.startswith("test_"):
            continue
        try:
            sources[path.name] = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise RuleFileError(path.name, "whole file", "cannot be read as UTF-8") from error
    return sources


def load_parser(file: str, source: str) -> CodeParser:
    """Run a module of hooks that is pure and give its `PARSER`.

    The check for purity finds oversights, not malice: run only what comes from its owner.

    Raises:
        RuleFileError: It is not pure, cannot be run, or names no parser.
    """
    for found in impurities(file, source):
        raise RuleFileError(file, found.field, found.problem)
    name = f"_toolsight_parser_{Path(file).stem}"
    spec = importlib.util.spec_from_loader(name, loader=None)
    assert spec is not None  # noqa: S101  # a spec without a loader always is
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and enums look their module up
    try:
        exec(compile(source, file, "exec"), module.__dict__)  # noqa: S102  # checked above
    except _LOADING_ERRORS as error:
        problem = f"cannot be loaded: {type(error).__name__}: {error}"
        raise RuleFileError(file, "whole file", problem) from error
    finally:
        del sys.modules[name]
    parser = getattr(module, "PARSER", None)
    if not isinstance(parser, CodeParser):
        raise RuleFileError(
            file, "PARSER", "is no CodeParser", ["CodeParser(NAME, VERSION, HOOKS)"]
        )
    return replace(parser, sha256=source_sha256(source))


def source_sha256(source: str) -> str:
    """What a rule file pins of a parser: SHA-256 over the UTF-8 text of its module."""
    return hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()


def pin_problems(rules: RuleSet) -> tuple[RuleFileError, ...]:
    """The rule files that pin code which is not loaded, or is loaded with another content."""
    return tuple(_unpinned(rules, tool) for tool in rules.tools if rules.lacks_parser(tool))


def _unpinned(rules: RuleSet, tool: ToolRules) -> RuleFileError:
    assert tool.parser is not None  # noqa: S101  # only such a file lacks its code
    found = rules.parser_of(tool.name)
    here = "no code for it is here"
    if found is not None:
        here = f"here is {found} with sha256 {found.sha256 or 'not known'}"
    wanted = f"{tool.parser.version} with sha256 {tool.parser.sha256}"
    return RuleFileError(tool.file, "parser", here, [wanted])


def _impure(sources: Mapping[str, str]) -> list[RuleFileError]:
    return [
        RuleFileError(found.file, found.field, found.problem)
        for file, source in sorted(sources.items())
        for found in impurities(file, source)
    ]


def _misfits(parser: CodeParser, rules: RuleSet) -> list[RuleFileError]:
    """What of a parser no rule file knows."""
    files = [tool for tool in rules.tools if tool.name == parser.name]
    if not files:
        names = sorted({tool.name for tool in rules.tools})
        return [RuleFileError(str(parser), "NAME", f"{parser.name} is no rule file", names)]
    fields = sorted({rule.name for tool in files for rule in tool.fields})
    return [
        RuleFileError(str(parser), f"HOOKS.{name}", f"{name} is no field", fields)
        for name in parser.hooks
        if name not in fields
    ]
