"""The README's example agent is short and runs as it is written."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
MAX_LINES = 30


def _blocks() -> list[str]:
    """The code blocks of the section, in order: the agent, and what it prints."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    section = readme.split("## Use it in your agent", 1)[1].split("\n## ", 1)[0]
    return re.findall(r"```\w+\n(.*?)```", section, re.DOTALL)


def test_the_example_agent_is_short() -> None:
    assert len(_blocks()[0].splitlines()) <= MAX_LINES


def test_the_example_agent_prints_what_the_readme_says() -> None:
    agent, printed = _blocks()[:2]

    done = subprocess.run(
        [sys.executable, "-P", "-c", agent],
        check=True,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": str(ROOT), "PATH": "", "PYTHONIOENCODING": "utf-8"},
    )

    assert done.stdout == printed
