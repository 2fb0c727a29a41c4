"""The `toolsight` command: one module a command, imported only when it is asked for.

Data goes to standard output, progress to standard error; nothing prompts. Exit status: 0 fine, 1 an
expected failure, 2 wrong usage. A ToolsightError becomes one sentence; anything else is a bug and
keeps its traceback.
"""

from importlib import import_module
from typing import Any, Final

import click

from dashboard.cli.served import forwarded
from pipeline.errors import ToolsightError

__all__ = ["COMMANDS", "main"]

COMMANDS: Final = (
    "demo",
    "serve",
    "ingest",
    "intake",
    "report",
    "trace",
    "check",
    "canary",
    "notify",
    "observe",
    "rules",
    "contracts",
    "loadtest",
    "audit",
    "replay",
    "eval",
    "export",
    "rebuild",
    "retain",
    "backup",
    "doctor",
)
"""In the order a newcomer needs them; `toolsight x` is `dashboard.cli.x:command`."""


class _LazyGroup(click.Group):
    """Finds its commands by name, so that `--help` and `report` do not load the web server."""

    def list_commands(self, _ctx: click.Context) -> list[str]:
        """The names in `COMMANDS`."""
        return list(COMMANDS)

    def get_command(self, _ctx: click.Context, name: str) -> click.Command | None:
        """The command of that name; None when there is none."""
        if name not in COMMANDS:
            return None
        command: click.Command = import_module(f"dashboard.cli.{name}").command
        return forwarded(command, (name,))

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; an expected failure ends it with its message and status 1."""
        try:
            return super().invoke(ctx)
        except ToolsightError as error:
            raise click.ClickException(str(error)) from error


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="toolsight", message="%(prog)s %(version)s")
def main() -> None:
    """See what an agent's tools showed its model, and where that went wrong.

    Start with `toolsight demo`; then `toolsight ingest PATH` and `toolsight serve`.
    """
