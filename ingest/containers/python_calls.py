"""Calls written as Python (`move(source='a', times=2)`), read without running them."""

import ast
from collections.abc import Iterator
from typing import Any, NamedTuple

_MAX_LENGTH = 100_000


class PythonCall(NamedTuple):
    """One call."""

    name: str
    arguments: dict[str, Any]
    """By name; those without one under `arg0`, `arg1`, ..."""


def python_calls(text: str) -> list[PythonCall]:
    """The calls of an expression: one call, or a list or tuple of them.

    Returns:
        Empty for a text that is no such expression, or is too long to be one.
    """
    if len(text) > _MAX_LENGTH:
        return []
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return []
    nodes = tree.elts if isinstance(tree, (ast.List, ast.Tuple)) else [tree]
    calls = list(_calls(nodes))
    return calls if len(calls) == len(nodes) else []


def _calls(nodes: list[ast.expr]) -> Iterator[PythonCall]:
    for node in nodes:
        if isinstance(node, ast.Call) and (name := _name(node.func)):
            arguments = {f"arg{index}": _value(arg) for index, arg in enumerate(node.args)}
            named = {word.arg: _value(word.value) for word in node.keywords if word.arg}
            yield PythonCall(name, arguments | named)


def _name(node: ast.expr) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (owner := _name(node.value)):
        return f"{owner}.{node.attr}"
    return None


def _value(node: ast.expr) -> Any:
    """The literal; the written text of anything else."""
    try:
        return _plain(ast.literal_eval(node))
    except (ValueError, TypeError, MemoryError, RecursionError):
        return ast.unparse(node)


def _plain(value: Any) -> Any:
    """A literal as a JSON value."""
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(item) for item in value]
    return value if isinstance(value, (str, int, float, bool, type(None))) else str(value)
