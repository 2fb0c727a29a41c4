"""Options that several commands share, with one default and one meaning."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

__all__ = [
    "browser_option",
    "db_option",
    "engine_option",
    "handed_db_option",
    "host_option",
    "json_option",
    "port_option",
]

_Command = TypeVar("_Command", bound=Callable[..., Any])


def db_option(command: _Command) -> _Command:
    """`--db`: the store file."""
    return click.option(
        "--db",
        type=click.Path(dir_okay=False, path_type=Path),
        envvar="TOOLSIGHT_DB",
        show_envvar=True,
        help="Store file.  [default: toolsight.duckdb in your data folder]",
    )(command)


def engine_option(command: _Command) -> _Command:
    """`--engine`: the cluster that is read in place of the store."""
    return click.option(
        "--engine",
        metavar="URL",
        envvar="TOOLSIGHT_ENGINE",
        show_envvar=True,
        help="Read a ClickHouse cluster that receivers ship to, such as "
        "clickhouse://HOST:8123/toolsight, in place of the store.",
    )(command)


def json_option(command: _Command) -> _Command:
    """`--json`: machine-readable output."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON.")(command)


def port_option(command: _Command) -> _Command:
    """`--port`: where the pages are."""
    return click.option(
        "--port",
        type=click.IntRange(0, 65535),
        envvar="TOOLSIGHT_PORT",
        show_envvar=True,
        help="Port of the pages; 0 takes any free one.  [default: 8501]",
    )(command)


def host_option(command: _Command) -> _Command:
    """`--host`: the address to listen on."""
    return click.option(
        "--host",
        envvar="TOOLSIGHT_HOST",
        show_envvar=True,
        help="Address to listen on; other than loopback needs TOOLSIGHT_TOKEN.  [default: 127.0.0.1]",
    )(command)


def browser_option(command: _Command) -> _Command:
    """`--no-browser`: only print the address."""
    return click.option(
        "--no-browser", "is_quiet", is_flag=True, help="Print the address, open nothing."
    )(command)


def handed_db_option(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """`--db` of a group, for those of its commands that read a store: `rules --db X infer`.

    Args:
        names: Of these commands.
    """

    def hand_down(ctx: click.Context, _parameter: click.Parameter, db: Path | None) -> None:
        if db is not None:
            ctx.default_map = {name: {"db": str(db)} for name in names}

    return click.option(
        "--db",
        type=click.Path(dir_okay=False, path_type=Path),
        expose_value=False,
        callback=hand_down,
        help="Store file, for the commands below that read one.",
    )
