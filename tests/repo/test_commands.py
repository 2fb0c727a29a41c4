"""The command line and its documentation say the same."""

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from dashboard.cli import COMMANDS, main

ROOT = Path(__file__).parents[2]


def _command(name: str) -> click.Command:
    found = main.get_command(click.Context(main), name)
    assert found is not None
    return found


def _options() -> Iterator[tuple[str, click.Option]]:
    for name in COMMANDS:
        for parameter in _command(name).params:
            if isinstance(parameter, click.Option):
                yield name, parameter


def test_every_command_module_is_a_command() -> None:
    modules = {path.stem for path in (ROOT / "dashboard" / "cli").glob("*.py")}

    assert set(COMMANDS) <= modules


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_help_and_the_name_of_its_module(name: str) -> None:
    command = _command(name)

    assert command.name == name
    assert command.help
    assert command.get_short_help_str().endswith(".")


def test_every_option_has_help() -> None:
    assert [f"{name} {option.name}" for name, option in _options() if not option.help] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_names_the_store_in_the_same_way(name: str) -> None:
    assert "--db" in {flag for other, option in _options() if other == name for flag in option.opts}


@pytest.mark.parametrize("name", COMMANDS)
def test_the_readme_explains_a_command_and_its_options(name: str) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")

    assert f"toolsight {name}" in readme
    flags = {option.opts[0] for other, option in _options() if other == name}
    assert [flag for flag in sorted(flags) if not re.search(rf"{flag}\b", readme)] == []
