"""The shape of the package: no module needs one that needs it."""

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import pipeline

ROOT = Path(pipeline.__file__).parent
MODULES = {
    ".".join(("pipeline", *path.relative_to(ROOT).with_suffix("").parts)).removesuffix(
        ".__init__"
    ): path
    for path in ROOT.rglob("*.py")
}


def _imported(path: Path) -> set[str]:
    """The modules of the package that one of them names, for types and with first use included."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            names = {f"{node.module}.{alias.name}" for alias in node.names}
            found |= (names & MODULES.keys()) or {node.module}
    return found & MODULES.keys()


def test_no_module_needs_one_that_needs_it() -> None:
    graph = {name: _imported(path) for name, path in MODULES.items()}
    assert graph["pipeline.observation.hooks"] >= {"pipeline.observation.rules.model"}

    assert tuple(TopologicalSorter(graph).static_order())


def test_a_cycle_would_be_found() -> None:
    with pytest.raises(CycleError):
        TopologicalSorter({"a": {"b"}, "b": {"a"}}).prepare()
