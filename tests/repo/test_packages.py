"""The shape of the packages: whole public lists, no shadowing, no foreign owners, small modules."""

import ast
import pkgutil
import subprocess
import sys
from importlib import import_module
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("dashboard", "ingest", "metrics", "pipeline", "replay_store", "sample_traces")
MODULES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
MAX_LINES = 400


def _folders_with_code() -> list[Path]:
    return sorted({path.parent for path in MODULES})


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_lists_exactly_its_public_names(package: str) -> None:
    tree = ast.parse((ROOT / package / "__init__.py").read_text(encoding="utf-8"))
    bound = {
        alias.asname or alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in PACKAGES
        for alias in node.names
    } | {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}

    module = import_module(package)

    public = {name for name in bound if not name.startswith("_")}
    assert public <= set(module.__all__)
    assert sorted(module.__all__) == sorted(set(module.__all__))
    assert all(hasattr(module, name) for name in module.__all__)


def test_every_folder_with_code_is_a_package_that_says_what_it_owns() -> None:
    for folder in _folders_with_code():
        tree = ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))
        assert ast.get_docstring(tree), folder


def test_a_module_stays_small() -> None:
    n_lines = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert {path: n for path, n in n_lines.items() if n > MAX_LINES} == {}


@pytest.mark.parametrize("package", PACKAGES)
def test_nobody_else_ships_a_package_of_ours(package: str) -> None:
    owners = set(packages_distributions().get(package, ["toolsight"]))

    assert owners == {"toolsight"}


def test_nothing_beside_the_page_script_shadows_a_module() -> None:
    """Streamlit puts the script's folder first on the path while a page runs."""
    beside = {
        path.stem
        for path in (ROOT / "dashboard").iterdir()
        if path.suffix == ".py" or _has_files(path)
    }
    installed = {module.name for module in pkgutil.iter_modules() if _is_installed(module)}

    taken = installed | set(sys.stdlib_module_names) | set(PACKAGES)
    assert beside & taken == set()


def _has_files(folder: Path) -> bool:
    return folder.is_dir() and folder.name != "__pycache__" and any(folder.iterdir())


def _is_installed(module: pkgutil.ModuleInfo) -> bool:
    return "site-packages" in str(getattr(module.module_finder, "path", ""))


def test_no_test_folder_is_a_package() -> None:
    """It would replace the package of the same name that it tests."""
    assert list((ROOT / "tests").rglob("__init__.py")) == []


@pytest.mark.parametrize(
    ("imported", "absent"),
    [
        ("pipeline, pipeline.execution", ("streamlit", "duckdb", "pandas", "pyarrow")),
        ("dashboard.cli", ("streamlit", "duckdb", "pandas", "pyarrow", "pydantic")),
        ("dashboard.cli.ingest, ingest", ("streamlit", "plotly")),
        ("dashboard.cli.report, metrics", ("streamlit", "plotly")),
    ],
)
def test_an_import_does_not_load_what_it_need_not(imported: str, absent: tuple[str, ...]) -> None:
    code = f"import sys, {imported}; print(*sorted({set(absent)!r} & set(sys.modules)))"

    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        check=True,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
    )

    assert done.stdout.split() == []
