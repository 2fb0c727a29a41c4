"""Commands beside a running server: sent to it with their arguments, their output printed here.

The command function is the same either way; on the server `open_store` yields the open store.
"""

import http.client
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import click

if TYPE_CHECKING:
    from dashboard.serving.owner import Owner

__all__ = ["COMMAND_PATH", "forwarded", "packed", "unpacked"]

COMMAND_PATH: Final = "/_toolsight/command"
ANSWER_HEADER: Final = "x-toolsight-command"
_CONNECT_SECONDS: Final = 5
_NOT_SENT: Final = frozenset({"demo", "serve"})


def forwarded(command: click.Command, names: Sequence[str]) -> click.Command:
    """The command, asking the store's server when there is one.

    Args:
        command: Changed in place, its subcommands too.
        names: How it is called, such as `("rules", "publish")`.
    """
    if isinstance(command, click.Group):
        for name, sub in command.commands.items():
            forwarded(sub, (*names, name))
    if names[0] in _NOT_SENT or command.callback is None or hasattr(command.callback, "run_here"):
        return command
    command.callback = _asking(command.callback, names)
    return command


def packed(value: Any) -> Any:
    """An argument as JSON; a path is made absolute, because the server stands elsewhere."""
    if isinstance(value, Path):
        return {"path": str(value.absolute())}
    if isinstance(value, list | tuple):
        return [packed(item) for item in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    raise click.UsageError(f"{type(value).__name__}: cannot be sent to the server; stop it first")


def unpacked(value: Any) -> Any:
    """The argument again; lists are tuples, as click makes them."""
    if isinstance(value, dict):
        return Path(value["path"])
    if isinstance(value, list):
        return tuple(unpacked(item) for item in value)
    return value


def _asking(run: Callable[..., Any], names: Sequence[str]) -> Callable[..., Any]:
    def callback(**parameters: Any) -> Any:
        status = _sent(names, parameters)
        if status is not None:
            click.get_current_context().exit(status)
        return run(**parameters)

    callback.run_here = run  # type: ignore[attr-defined]
    return callback


def _sent(names: Sequence[str], parameters: Mapping[str, Any]) -> int | None:
    """The exit status told by the server; None when the command has to run here."""
    from dashboard.cli.stores import is_served
    from dashboard.serving.owner import read_owner
    from dashboard.settings import read_settings

    if is_served() or "db" not in parameters:
        return None
    settings = read_settings(db=parameters["db"], engine=parameters.get("engine"))
    owner = read_owner(settings.db)
    return None if owner is None else _ask(owner, names, parameters)


def _ask(owner: "Owner", names: Sequence[str], parameters: Mapping[str, Any]) -> int | None:
    import orjson

    body = {"names": list(names), "parameters": {k: packed(v) for k, v in parameters.items()}}
    address = urlsplit(owner.url)
    connection = http.client.HTTPConnection(
        address.hostname or "", address.port, timeout=_CONNECT_SECONDS
    )
    headers = {"authorization": f"Bearer {owner.token}", "content-type": "application/json"}
    with closing(connection):
        try:
            connection.request("POST", COMMAND_PATH, orjson.dumps(body), headers)
            if connection.sock is not None:
                connection.sock.settimeout(None)
            answer = connection.getresponse()
        except (OSError, http.client.HTTPException):
            return None  # the file was left by a crash, or names what is no server any more
        if answer.getheader(ANSWER_HEADER) is None:
            return None
        return _printed(answer)


def _printed(answer: http.client.HTTPResponse) -> int:
    import orjson

    while line := answer.readline():
        part = orjson.loads(line)
        if "status" in part:
            return int(part["status"])
        stream = sys.stderr if "err" in part else sys.stdout
        click.echo(part.get("err") or part.get("out"), file=stream, nl=False)
    raise click.ClickException("the server ended before the command did; run it again")
