"""What is in the repository: nothing about one machine, and the schema only in migrations."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MACHINE_PATH = re.compile(r"(?<![\w.$}])/(home|Users|work|farm|root|private/tmp)/\w")
DDL = re.compile(
    r"^\s*(create|alter|drop)\s+(or\s+replace\s+)?(table|view|index|macro|type)\b",
    re.IGNORECASE | re.MULTILINE,
)
LEDGER = "replay_store/migrate.py"
"""Makes the one table that has to be there before any migration: the list of those applied."""
MAX_BYTES = 6_000_000
"""What the sample traces may weigh; nothing else comes near."""


def _tracked() -> list[Path]:
    try:
        done = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            check=True,
            capture_output=True,
            text=True,
        )
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"not a git checkout: {error}")
    return [path for name in done.stdout.split("\0") if name and (path := ROOT / name).is_file()]


def _text(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None


def test_no_file_names_a_path_of_one_machine() -> None:
    own = Path(__file__)
    found = {
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in _tracked()
        if path != own and (text := _text(path)) is not None
        for match in MACHINE_PATH.finditer(text)
    }

    assert found == set()


def test_only_migrations_and_their_ledger_define_tables() -> None:
    found = {
        str(path.relative_to(ROOT))
        for path in _tracked()
        if path.suffix in {".py", ".sql"}
        and "tests" not in path.relative_to(ROOT).parts
        and path.parent.name != "migrations"
        and DDL.search(_text(path) or "")
    }

    assert found == {LEDGER}


def test_no_file_is_too_big_to_clone() -> None:
    big = {str(path.relative_to(ROOT)) for path in _tracked() if path.stat().st_size > MAX_BYTES}

    assert big == set()


def test_constraints_pin_every_dependency_exactly() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]

    assert [
        line for line in pins if not re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.!+]+", line)
    ] == []
    pinned = {_canonical(line.split("==")[0]) for line in pins}
    assert {_canonical(name) for name in _declared()} - pinned == set()


def _declared() -> set[str]:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    return {re.match(r"[A-Za-z0-9._-]+", line)[0] for line in wanted}  # type: ignore[index]


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
