"""`toolsight export`: what is stored, out again."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dashboard.cli.options import db_option
from dashboard.cli.stores import open_store
from dashboard.plurals import filled

if TYPE_CHECKING:
    from replay_store.database import Database

_SUFFIXES = {".parquet": "parquet", ".csv": "csv"}


@click.command("export", short_help="Write traces, tables or labels to a file.")
@click.argument("what")
@click.argument("path", type=click.Path(dir_okay=False, path_type=Path))
@db_option
@click.option("--trace", "trace_ids", multiple=True, help="Only this trace; may be repeated.")
def command(what: str, path: Path, db: Path | None, trace_ids: tuple[str, ...]) -> None:
    """Write WHAT to PATH.

    `traces` are OTLP as JSON Lines, spans and logs: `toolsight ingest` takes them again and finds
    the same records. `labels` are JSON Lines, to be taken again too. Anything else is the name of a
    table, such as `tool_call`: Parquet for `.parquet`, CSV for `.csv` (UTF-8 with a byte order mark,
    for spreadsheets), JSON Lines otherwise. What was redacted on its way in stays out.
    """
    with open_store(db) as (database, _):
        n_written = _write(database, what, path, trace_ids)
    what_was = "{n:export|exports}" if what == "traces" else "{n:row|rows}"
    click.echo(filled("{n} " + what_was + " written to {path}.", n=f"{n_written:,}", path=path))


def _write(database: "Database", what: str, path: Path, trace_ids: tuple[str, ...]) -> int:
    from replay_store.export_otlp import otlp_lines
    from replay_store.export_tables import export_table, label_lines

    if what == "traces":
        return _write_lines(otlp_lines(database, _resolved(database, trace_ids)), path)
    if trace_ids:
        raise click.UsageError("--trace goes with `traces` only: leave it out, or export traces")
    if what == "labels":
        return _write_lines(label_lines(database), path)
    return export_table(database, what, path, _SUFFIXES.get(path.suffix.lower(), "jsonl"))


def _resolved(database: "Database", trace_ids: tuple[str, ...]) -> frozenset[str] | None:
    from replay_store.finding import resolve_trace_id

    if not trace_ids:
        return None
    found: set[str] = set()
    for written in trace_ids:
        known = resolve_trace_id(database, written)
        if len(known) != 1:
            raise click.UsageError(
                f"--trace {written}: {len(known)} traces: expected one; give more of its id"
            )
        found.update(known)
    return frozenset(found)


def _write_lines(lines: Iterable[bytes], path: Path) -> int:
    n_lines = 0
    try:
        with path.open("wb") as file:
            for line in lines:
                file.write(line + b"\n")
                n_lines += 1
    except OSError as error:
        raise click.ClickException(
            f"{path}: cannot be written ({error.strerror}): expected a folder that is there and may "
            "be written to; give another path"
        ) from error
    return n_lines
