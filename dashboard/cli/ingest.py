"""`toolsight ingest`: files into the store."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from dashboard.cli.options import db_option, json_option
from dashboard.cli.progress import bar, watched_files
from dashboard.cli.stores import is_served, open_store
from dashboard.cli.without_pandas import leave_pandas_out
from dashboard.collection import collected_seldom

if TYPE_CHECKING:
    from dashboard.settings import Settings
    from replay_store.database import Database
    from replay_store.records import IngestFile


_READ_MEMORY: Final = "32MB"
"""For the store while files come in; a file of 2 GB then takes some 290 MB in all."""
_DERIVE_MEMORY: Final = "64MB"
"""For the store afterwards, when nothing else is in memory; enough for so many traces at a time."""
_DERIVE_TRACES: Final = 1_000


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

    if not is_served():
        leave_pandas_out()
    # What an import left behind that was killed is derived with this one, within the same bound.
    with open_store(db, is_caught_up=False) as (database, settings):
        lines = _import(paths, database, settings)
        _derive(database)
        text = as_json_text(lines) if as_json else summary(lines, database, settings)
    click.echo(text)
    if not any(line.n_stored + line.n_merged for line in lines):
        ctx.exit(1)


def _import(
    paths: Sequence[Path], database: "Database", settings: "Settings"
) -> "list[IngestFile]":
    from dashboard.serving.redaction import redactor
    from ingest import import_paths

    with _alone(database, _READ_MEMORY), watched_files() as on_progress:
        return import_paths(
            paths,
            database,
            clock=time.time_ns,
            on_progress=on_progress,
            redactor=redactor(settings),
        )


def _derive(database: "Database") -> None:
    from replay_store.derive import derive_within, seal
    from replay_store.expected import judge_expected
    from replay_store.intake import n_waiting_traces

    n_asked, n_done, n_traces = _DERIVE_TRACES, 0, n_waiting_traces(database)
    with _alone(database, _DERIVE_MEMORY), bar("Deriving calls") as fill:
        while n_chunk := derive_within(database, n_asked):
            n_asked = min(2 * n_chunk, _DERIVE_TRACES)
            n_done += n_chunk
            # At once: sealing all of a large file in the end would take what a bound has not.
            seal(database, quiet_before_ns=0)
            fill(min(n_done, n_traces), n_traces)
        judge_expected(database)
        if not is_served():
            database.checkpoint()  # As closing would, which knows no bound.


@contextmanager
def _alone(database: "Database", memory_limit: str) -> Iterator[None]:
    """Inside the block the process is given to one work: bounded, and little looked after.

    A server's store answers others at the same time: nothing is changed for one import.
    """
    if is_served():
        yield
        return
    with database.bounded(memory_limit), collected_seldom():
        yield
