"""`toolsight intake`: what came in, and what was refused and why."""

from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dashboard.cli.options import db_option, json_option
from dashboard.cli.stores import open_store
from dashboard.cli.tables import plain, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from replay_store.records import IngestFile, Reject

_MAX_BYTES_SHOWN = 120


@click.command("intake", short_help="List what came in and what was refused.")
@db_option
@json_option
@click.option(
    "--limit",
    type=click.IntRange(1, 100_000),
    default=20,
    show_default=True,
    help="How many files, and how many refused records, newest first.",
)
def command(db: Path | None, as_json: bool, limit: int) -> None:
    """List the newest files with their counts, then the newest refused records.

    For every file: records = stored + merged + rejected. Merged records were known already.
    """
    from replay_store.reader import ledger, rejects

    with open_store(db) as (database, _):
        files, refused = ledger(database, limit=limit), rejects(database, limit=limit)
    if as_json:
        click.echo(_as_json(files, refused))
        return
    click.echo(_files_table(files))
    if refused:
        click.echo(f"\n{_rejects_list(refused)}")


def _as_json(files: "Sequence[IngestFile]", refused: "Sequence[Reject]") -> str:
    import orjson

    body = {
        "files": [asdict(line) for line in files],
        "rejects": [asdict(line) for line in refused],
    }
    return orjson.dumps(body, option=orjson.OPT_INDENT_2).decode()


def _files_table(files: "Sequence[IngestFile]") -> str:
    if not files:
        return "Nothing came in yet. Run `toolsight ingest PATH`, or look at `toolsight demo`."
    listed = table(
        ("received", "file", "container", "records", "stored", "merged", "rejected"),
        (
            (
                _minute(line.started_time_ns),
                line.path,
                line.container,
                line.n_records,
                line.n_stored,
                line.n_merged,
                line.n_rejected,
            )
            for line in files
        ),
    )
    told = [f"  {plain(line.path)}: {plain(line.message)}" for line in files if line.message]
    return "\n".join([listed, "", "To look into:", *told]) if told else listed


def _rejects_list(refused: "Sequence[Reject]") -> str:
    lines = [f"Refused records, newest first ({len(refused)}):"]
    for line in refused:
        lines.append(f"  {plain(line.path)}: {plain(line.place)}: {plain(line.detail)}")
        if line.raw:
            lines.append(f"    {plain(line.raw[:_MAX_BYTES_SHOWN])}")
    return "\n".join(lines)


def _minute(time_ns: int) -> str:
    return datetime.fromtimestamp(time_ns / 1e9, UTC).strftime("%Y-%m-%d %H:%MZ")
