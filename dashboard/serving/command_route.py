"""Runs commands for other processes of the same user: the door that the owner file names."""

import asyncio
import hmac
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextvars import copy_context
from copy import copy
from typing import TYPE_CHECKING, Any

import click
import orjson

from dashboard.cli.output import captured
from dashboard.cli.served import ANSWER_HEADER, unpacked
from dashboard.cli.stores import served_store
from dashboard.settings import Settings
from pipeline.errors import ToolsightError

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from replay_store.database import Database

__all__ = ["CommandRoute"]

_Sink = Callable[[dict[str, object]], None]


class CommandRoute:
    """Answers `POST /_toolsight/command` with what the command writes, line by line as JSON.

    Args:
        database: The store the commands work on.
        settings: The server's.
        token: Of the owner file; who shows it is the user who may read that file.
    """

    def __init__(self, database: "Database", settings: Settings, token: str) -> None:
        self._database = database
        self._settings = settings
        self._token = token

    async def __call__(self, request: "Request") -> "Response":
        """Run one command; the answer streams."""
        from starlette.responses import PlainTextResponse, StreamingResponse

        given = request.headers.get("authorization", "")
        if not hmac.compare_digest(given.encode(), f"Bearer {self._token}".encode()):
            return PlainTextResponse("no valid token", status_code=401)
        try:
            asked = orjson.loads(await request.body())
            names, parameters = asked["names"], asked["parameters"]
        except (ValueError, KeyError, TypeError):
            return PlainTextResponse("no command", status_code=400)
        headers = {ANSWER_HEADER: "1", "cache-control": "no-store"}
        lines = self._lines(names, parameters)
        return StreamingResponse(lines, media_type="application/x-ndjson", headers=headers)

    async def _lines(
        self, names: Sequence[str], parameters: dict[str, Any]
    ) -> AsyncIterator[bytes]:
        loop = asyncio.get_running_loop()
        queue: asyncio.Queue[dict[str, object]] = asyncio.Queue()

        def tell(part: dict[str, object]) -> None:
            loop.call_soon_threadsafe(queue.put_nowait, part)

        def run() -> None:
            copy_context().run(self._run, names, parameters, tell)

        running = loop.run_in_executor(None, run)
        while True:
            part = await queue.get()
            yield orjson.dumps(part) + b"\n"
            if "status" in part:
                break
        await running

    def _run(self, names: Sequence[str], parameters: dict[str, Any], tell: _Sink) -> None:
        status = 1
        try:
            with (
                captured(lambda text: tell({"out": text}), lambda text: tell({"err": text})),
                served_store(self._database, self._settings),
            ):
                status = _invoke(names, parameters)
        finally:
            tell({"status": status})


def _invoke(names: Sequence[str], parameters: dict[str, Any]) -> int:
    try:
        command, run = _found(names)
        with click.Context(command, info_name=names[-1]) as context:
            # As a command, so that options which whoever asks does not know have their defaults.
            here = copy(command)
            here.callback = run
            context.invoke(here, **_given(command, parameters))
    except click.exceptions.Exit as ended:
        return ended.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except ToolsightError as error:
        click.ClickException(str(error)).show()
        return 1
    except BaseException:
        click.echo("Error: a defect; its traceback is in the server's output", err=True)
        raise
    return 0


def _given(command: click.Command, parameters: Mapping[str, Any]) -> dict[str, Any]:
    strange = sorted({*parameters} - {param.name for param in command.params})
    if strange:
        raise click.UsageError(f"{', '.join(strange)}: not an option in the server's version")
    return {name: unpacked(value) for name, value in parameters.items()}


def _found(names: Sequence[str]) -> tuple[click.Command, Callable[..., Any]]:
    from dashboard.cli import main

    command: click.Command | None = main
    for name in names:
        if isinstance(command, click.Group):
            command = command.get_command(click.Context(command), name)
    run = getattr(command and command.callback, "run_here", None)
    if command is None or run is None:
        raise click.UsageError(f"{' '.join(names)}: no such command in the server's version")
    return command, run
