"""`toolsight retain`: what is older than so many days goes, or moves to files; first it says what that is."""

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from dashboard.cli import retain_text
from dashboard.cli.options import db_option, json_option
from dashboard.cli.progress import bar
from dashboard.cli.stores import open_store

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from replay_store.database import Database
    from replay_store.retention import DayCount
    from replay_store.tier.move import MovedFile
    from replay_store.tier.plan import MovedDay, Planned


@click.command("retain", short_help="Remove what is older than so many days, or move it to files.")
@db_option
@json_option
@click.option(
    "--days",
    type=click.IntRange(1, 36_500),
    help="How many days are kept, counted back from now.",
)
@click.option(
    "--to",
    "folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Move old traces to Parquet files in this folder, where pages go on reading them.",
)
@click.option("--back", is_flag=True, help="Bring moved days back into the store.")
@click.option(
    "--day", type=click.DateTime(["%Y-%m-%d"]), help="With --back: only this day.  [default: all]"
)
@click.option("--apply", "is_applied", is_flag=True, help="Do it; without, only say what.")
def command(
    db: Path | None,
    as_json: bool,
    days: int | None,
    folder: Path | None,
    back: bool,
    day: datetime | None,
    is_applied: bool,
) -> None:
    """Say what is older than so many days, by table and day; with `--apply`, remove or move it.

    A trace goes as a whole, with everything read in it, when its end is older; one without an end,
    when nothing came for so long. Refused records go by their arrival. What people made stays:
    labels, audit draws, cases, dictionaries; so do alerts and the ledger. The page of a removed trace says
    that it was removed.

    With `--to`, nothing is removed: traces move to Parquet files, a folder a table and a day, and
    every page and figure goes on as before, as long as the folder stays where it is. `--back` undoes
    it. It may be stopped at any moment and run again.
    """
    if back and (days is not None or folder is not None):
        raise click.UsageError("--back brings moved days back: leave --days and --to out")
    if not back and days is None:
        raise click.UsageError(
            "say with --days how many days are kept, or bring days back with --back"
        )
    if day is not None and not back:
        raise click.UsageError("--day is for --back")
    with open_store(db) as (database, _):
        if days is None:
            text = _back(database, day, is_applied, as_json)
        elif folder is not None:
            text = _move(database, folder, days, is_applied, as_json)
        else:
            text = _remove(database, days, is_applied, as_json)
    click.echo(text)


def _remove(database: "Database", days: int, is_applied: bool, as_json: bool) -> str:
    from replay_store.retention import expired

    now_ns, before_ns = _bounds(days)
    found = expired(database, before_ns=before_ns)
    removed = _removed(database, found, before_ns, now_ns) if is_applied else None
    if as_json:
        return retain_text.removal_json(found, removed, before_ns)
    missing = database.missing_days
    lost = f"\n{retain_text.unreachable(missing)}" if missing else ""
    return retain_text.removal(found, removed, before_ns) + lost


def _removed(
    database: "Database", found: "Sequence[DayCount]", before_ns: int, now_ns: int
) -> "Mapping[str, int]":
    from replay_store.retention import remove_expired

    n_traces = sum(line.n for line in found if line.table == "trace")
    with bar("Removing traces") as fill:
        return remove_expired(
            database,
            before_ns=before_ns,
            now_ns=now_ns,
            on_progress=lambda n_done: fill(min(n_done, n_traces), n_traces),
        )


def _move(database: "Database", folder: Path, days: int, is_applied: bool, as_json: bool) -> str:
    from replay_store.tier.plan import planned

    now_ns, before_ns = _bounds(days)
    found = planned(database, before_ns=before_ns)
    moved = _moved(database, folder, found, before_ns, now_ns) if is_applied else None
    write = retain_text.move_json if as_json else retain_text.move
    return write(found, moved, before_ns, folder.absolute())


def _moved(
    database: "Database", folder: Path, found: "Sequence[Planned]", before_ns: int, now_ns: int
) -> "Sequence[MovedFile]":
    from replay_store.tier.move import move

    n_traces = sum(line.n_rows for line in found if line.table == "trace_sealed")
    with bar("Moving traces") as fill:
        return move(
            database,
            folder,
            before_ns=before_ns,
            now_ns=now_ns,
            on_progress=lambda n_done: fill(min(n_done, n_traces), n_traces),
        )


def _back(database: "Database", day: datetime | None, is_applied: bool, as_json: bool) -> str:
    from replay_store.tier.plan import moved_days

    number = None if day is None else int(day.replace(tzinfo=UTC).timestamp()) // 86_400
    found = [line for line in moved_days(database) if number is None or line.day == number]
    n_back = _brought(database, number, found) if is_applied else None
    write = retain_text.back_json if as_json else retain_text.back
    return write(found, n_back, database.missing_days)


def _brought(database: "Database", day: int | None, found: "Sequence[MovedDay]") -> int:
    from replay_store.tier.back import bring_back

    n_traces = sum(line.n_traces for line in found)
    with bar("Bringing traces back") as fill:
        return bring_back(
            database,
            day=day,
            on_progress=lambda n_done: fill(min(n_done, n_traces), n_traces),
        )


def _bounds(days: int) -> tuple[int, int]:
    """Now, and before which traces are too old."""
    from replay_store.retention import DAY_NS

    now_ns = time.time_ns()
    return now_ns, now_ns - days * DAY_NS
