"""The README's example agent is short and runs as it is written."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MAX_LINES = 30


SECTIONS = ("Use it in your agent", "Put it between your model and your systems")


def _blocks(title: str = SECTIONS[0]) -> list[str]:
    """The code blocks of a section, in order: the agent, and what it prints."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    section = readme.split(f"## {title}", 1)[1].split("\n## ", 1)[0]
    return re.findall(r"```\w+\n(.*?)```", section, re.DOTALL)


def test_the_example_agent_is_short() -> None:
    assert len(_blocks()[0].splitlines()) <= MAX_LINES


@pytest.mark.parametrize("title", SECTIONS)
def test_an_example_agent_prints_what_the_readme_says(title: str) -> None:
    agent, printed = _blocks(title)[:2]

    done = subprocess.run(
        [sys.executable, "-P", "-c", agent],
        check=True,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(ROOT), "PATH": "", "PYTHONIOENCODING": "utf-8"},
    )

    assert done.stdout == printed
