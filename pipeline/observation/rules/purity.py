"""Hooks are pure: what their source may not say, found without running it.

A hook gets everything through its arguments. Whatever reads the world (files, network, clock,
chance, the process) or changes it makes one recorded answer mean two things. Source: S0 §3.1, §5.1.
"""

import ast
from collections.abc import Iterator
from typing import Final

from pipeline.observation.rules.lint import RuleWarning

ALLOWED_MODULES: Final = (
    "__future__", "collections", "collections.abc", "dataclasses", "datetime", "decimal", "enum",
    "fractions", "functools", "itertools", "json", "math", "pipeline.observation",
    "pipeline.observation.fragment", "pipeline.observation.hooks", "pipeline.observation.inputs",
    "pipeline.observation.reading", "pipeline.observation.values", "re", "string", "typing", "unicodedata", "zoneinfo",
)  # fmt: skip
_FORBIDDEN_NAMES: Final = {
    **dict.fromkeys(("open", "print", "input", "breakpoint"), "does input or output"),
    **dict.fromkeys(("load_folder", "package_rules", "package_rule_texts"), "reads files"),
    **dict.fromkeys(("eval", "exec", "compile", "__import__"), "runs other code"),
    **dict.fromkeys(("globals", "locals", "vars", "getattr", "setattr", "delattr"), "hides names"),
    **dict.fromkeys(("hash", "id"), "differs between processes"),
}
_FORBIDDEN_ATTRIBUTES: Final = {
    **dict.fromkeys(("now", "utcnow", "today"), "reads the clock"),
    **dict.fromkeys(("fromtimestamp", "ctime"), "depends on the machine's zone"),
}
_FORBIDDEN_NODES: Final[dict[type[ast.AST], str]] = {
    ast.Global: "global: changes state that outlives the call",
    ast.Nonlocal: "nonlocal: changes state that outlives the call",
    ast.AsyncFunctionDef: "async: waits",
    ast.Await: "await: waits",
}


def impurities(file: str, source: str) -> tuple[RuleWarning, ...]:
    """What in a module of hooks is not pure, in order of lines; empty when nothing is.

    Args:
        file: Its name, for the findings.
        source: Its text; never run.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None) or 1
        return (RuleWarning(file, f"line {line}", "is no Python"),)
    found = sorted(
        (getattr(node, "lineno", 1), problem)
        for node in ast.walk(tree)
        for problem in _problems(node)
    )
    return tuple(RuleWarning(file, f"line {line}", problem) for line, problem in found)


def _problems(node: ast.AST) -> Iterator[str]:
    if type(node) in _FORBIDDEN_NODES:
        yield _FORBIDDEN_NODES[type(node)]
    match node:
        case ast.Import():
            yield from (_import(alias.name) for alias in node.names if not _is_allowed(alias.name))
        case ast.ImportFrom():
            name = "." * node.level + (node.module or "")
            if not _is_allowed(name):
                yield _import(name)
            yield from _names(alias.name for alias in node.names)
        case ast.Name():
            yield from _names([node.id])
        case ast.Attribute():
            yield from _attribute(node.attr)
        case ast.While(test=ast.Constant(value=value)) if value:
            yield "while True: need not end"


def _is_allowed(module: str) -> bool:
    return module in ALLOWED_MODULES


def _import(module: str) -> str:
    return f"import of {module}: allowed: {', '.join(ALLOWED_MODULES)}"


def _names(names: "Iterator[str] | list[str]") -> Iterator[str]:
    for name in names:
        if name in _FORBIDDEN_NAMES:
            yield f"{name}: {_FORBIDDEN_NAMES[name]}"


def _attribute(name: str) -> Iterator[str]:
    if name in _FORBIDDEN_ATTRIBUTES:
        yield f"{name}: {_FORBIDDEN_ATTRIBUTES[name]}"
    elif name.startswith("__") and name.endswith("__"):
        yield f"{name}: reaches behind the language"
