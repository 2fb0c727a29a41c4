"""`toolsight intake`: what came in, and what was refused and why."""

from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dashboard.cli.options import db_option, json_option
from dashboard.cli.stores import open_store
from dashboard.cli.tables import plain, table
from dashboard.plurals import filled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from replay_store.cluster.ship_state import ShipState
    from replay_store.intake import DialectCount
    from replay_store.records import IngestFile, IntakeMinute, Reject

_MAX_BYTES_SHOWN = 120
_NS_PER_MINUTE = 60_000_000_000


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
    """List what was sent, the newest files with their counts, and the newest refused records.

    For every file and minute: records = stored + merged + rejected. Merged records were known
    already.
    """
    from replay_store.cluster.ship_state import ship_state
    from replay_store.intake import intake_minutes, read_dialects
    from replay_store.reader import ledger, rejects

    with open_store(db) as (database, _):
        files, refused = ledger(database, limit=limit), rejects(database, limit=limit)
        minutes = intake_minutes(database, oldest_minute=0, limit=limit)
        dialects = read_dialects(database)
        shipping = ship_state(database)
    if as_json:
        click.echo(_as_json(files, refused, minutes, dialects, shipping))
        return
    parts = [_minutes_table(minutes)] if minutes else []
    parts += [_files_table(files)] if files or not minutes else []
    parts += [_dialects_list(dialects)] if dialects else []
    parts += [_shipping(shipping)] if shipping else []
    parts += [_rejects_list(refused)] if refused else []
    click.echo("\n\n".join(parts))


def _as_json(
    files: "Sequence[IngestFile]",
    refused: "Sequence[Reject]",
    minutes: "Sequence[IntakeMinute]",
    dialects: "Sequence[DialectCount]",
    shipping: "ShipState | None",
) -> str:
    import orjson

    body = {
        "minutes": [asdict(row) for row in minutes],
        "files": [asdict(line) for line in files],
        "dialects": {found.dialect: found.n_traces for found in dialects},
        "rejects": [asdict(line) for line in refused],
        "ship": None if shipping is None else asdict(shipping),
    }
    return orjson.dumps(body, option=orjson.OPT_INDENT_2).decode()


def _minutes_table(minutes: "Sequence[IntakeMinute]") -> str:
    return table(
        (
            *("minute", "sender", "way in", "signal", "received"),
            *("stored", "merged", "rejected", "redacted", "lag ms", "wait ms"),
        ),
        (
            (
                _minute(row.minute * _NS_PER_MINUTE),
                row.source,
                row.door,
                row.signal,
                row.n_received,
                row.n_stored,
                row.n_merged,
                row.n_rejected,
                row.n_redacted,
                row.max_age_ms,
                row.max_wait_ms,
            )
            for row in minutes
        ),
    )


def _dialects_list(dialects: "Sequence[DialectCount]") -> str:
    found = ", ".join(
        filled("{name} in {n} {n:trace|traces}", name=plain(x.dialect), n=f"{x.n_traces:,}")
        for x in dialects
    )
    return f"Dialects: {found}"


def _shipping(state: "ShipState") -> str:
    """Where to, what waits, and what went wrong."""
    told = filled(
        "Ships to {place}: {n} {n:trace waits|traces wait}",
        place=plain(state.target),
        n=f"{state.n_waiting:,}",
    )
    if state.oldest_waiting_ns is not None:
        told += f", the first since {_minute(state.oldest_waiting_ns)}"
    shipped = state.shipped_time_ns
    told += "; nothing shipped yet" if shipped is None else f"; last shipped {_minute(shipped)}"
    return f"{told}\n  {plain(state.problem)}" if state.problem else told


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
