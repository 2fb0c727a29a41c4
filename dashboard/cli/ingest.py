"""`toolsight ingest`: files into the store."""

import time
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from dashboard.cli.options import db_option, json_option
from dashboard.cli.progress import bar, watched_files
from dashboard.cli.stores import open_store

if TYPE_CHECKING:
    from dashboard.settings import Settings
    from replay_store.database import Database
    from replay_store.records import IngestFile


_MEMORY_LIMIT: Final = "32MB"
"""For the store while files come in: a file of any size then takes less than 300 MB in all."""


@click.command("ingest", short_help="Read trace files into your store.")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@db_option
@json_option
@click.pass_context
def command(ctx: click.Context, paths: tuple[Path, ...], db: Path | None, as_json: bool) -> None:
    """Read files and folders into the store, then derive calls, retries and decisions.

    Takes OTLP as JSON, JSON Lines or protobuf, noise logs, audit labels, replay cases, and the
    exports of other tools (README lists them), each plain or gzip; a file is known by its content.
    What cannot be read is refused record by record, with its place and reason; the same records
    twice count once. Exit status 1 only when not one record could be read.
    """
    from dashboard.cli.ingest_text import as_json_text, summary

    with open_store(db) as (database, settings):
        lines = _import(paths, database, settings)
        _derive(database)
        text = as_json_text(lines) if as_json else summary(lines, database, settings)
    click.echo(text)
    if not any(line.n_stored + line.n_merged for line in lines):
        ctx.exit(1)


def _import(
    paths: Sequence[Path], database: "Database", settings: "Settings"
) -> "list[IngestFile]":
    from dashboard.cli.stores import is_served
    from dashboard.serving.redaction import redactor
    from ingest import import_paths

    # A server's store answers others at the same time: it is not narrowed for one import.
    bound = nullcontext() if is_served() else database.bounded(_MEMORY_LIMIT)
    with bound, watched_files() as on_progress:
        return import_paths(
            paths,
            database,
            clock=time.time_ns,
            on_progress=on_progress,
            redactor=redactor(settings),
        )


def _derive(database: "Database") -> None:
    from replay_store.derive import derive
    from replay_store.expected import judge_expected

    with bar("Deriving calls") as fill:
        derive(database, on_progress=fill)
    judge_expected(database)
