"""`toolsight doctor`: is the store sound, and what can be done where it is not?"""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

import click

from dashboard.cli.options import db_option, json_option
from dashboard.cli.progress import bar
from dashboard.cli.stores import is_served, open_store
from dashboard.cli.tables import plain, table
from dashboard.plurals import filled

if TYPE_CHECKING:
    from replay_store.database import Database
    from replay_store.doctor import Finding
    from replay_store.salvage import Salvaged

_MEND: Final = "run it again with --repair"


class _Words(NamedTuple):
    holds: str
    """What has to hold."""
    of: str
    """Of what."""
    cure: str
    """What to do where it does not."""


_WORDS: Final[Mapping[str, _Words]] = {
    "blocks": _Words(
        "every value can be read",
        "tables",
        "put a backup in the file's place, or write what can be read to a new store with "
        "--salvage FILE",
    ),
    "ledger": _Words(
        "received = stored + merged + refused",
        "files and minutes",
        "ingest the file again: what is there already is merged",
    ),
    "spans_twice": _Words("a record is stored once", "records", _MEND),
    "unmapped": _Words("every span is mapped", "spans", _MEND),
    "underived": _Words("every trace is derived, and none without spans", "traces", _MEND),
    "rollups": _Words("rollups hold what was sealed", "tools", _MEND),
    "raw_outputs": _Words("every recorded answer has its text", "answers", _MEND),
    "moved_days": _Words(
        "moved days are in their files",
        "files",
        "put the folder, or the file from a copy of it, back where it was",
    ),
}


class _Lost(NamedTuple):
    """Rows of one table that could not be read, and how many it has now that spans were read again."""

    line: "Salvaged"
    n_now: int


@click.command("doctor", short_help="Check the store, and repair what can be.")
@db_option
@json_option
@click.option("--repair", "is_repaired", is_flag=True, help="Make again what received rows allow.")
@click.option(
    "--salvage",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write what can be read to this new store.",
)
def command(db: Path | None, as_json: bool, is_repaired: bool, salvage: Path | None) -> None:
    """Read every block of the store and count what has to hold between its tables; exit 1 if any does not.

    Beside a running server it looks at the open store, and changes nothing without `--repair`. What
    agents sent and what people wrote is never changed: repairing removes a record that is stored
    twice, maps and derives anew, and fills the rollups again. Where blocks of the file cannot be
    read, `--salvage` leaves the file as it is and writes all other rows to a new store.
    """
    from dashboard.errors import DashboardError
    from dashboard.settings import read_settings

    if salvage is not None and is_served():
        raise DashboardError("--salvage: the store is being served: stop the server first")
    if not is_served() and not (path := read_settings(db=db).db).exists():
        raise DashboardError(f"{path}: no such store: name one with --db")
    with open_store(db, is_caught_up=False) as (database, _):
        if salvage is not None:
            lost, found = _salvaged(database, salvage)
        else:
            lost, found = [], _examined(database)
            if is_repaired and _repaired(database, found):
                found = _examined(database)
    click.echo(_as_json(found, lost) if as_json else _as_text(found, lost, salvage))
    if any(not finding.is_sound for finding in found):
        click.get_current_context().exit(1)


def _examined(database: "Database") -> "list[Finding]":
    from replay_store.doctor import examine

    with bar("Checking") as fill:
        return examine(database, on_progress=fill)


def _repaired(database: "Database", found: "Sequence[Finding]") -> bool:
    """Whether anything was tried."""
    from ingest.rebuild import rebuild
    from replay_store.doctor import Check
    from replay_store.doctor_repair import REPAIRED_HERE, repair

    wrong = {finding.check for finding in found if not finding.is_sound}
    if Check.BLOCKS in wrong:
        return False
    for check in sorted(wrong & REPAIRED_HERE):
        repair(database, check, now_ns=time.time_ns())
    if wrong & {Check.UNMAPPED, Check.RAW_OUTPUTS}:
        with bar("Reading spans") as fill:
            rebuild(database, on_progress=fill)
    return bool(wrong)


def _salvaged(database: "Database", path: Path) -> "tuple[list[_Lost], list[Finding]]":
    """What was lost, and what is found in the new store."""
    from ingest.rebuild import rebuild
    from replay_store.database import Database
    from replay_store.salvage import salvage
    from replay_store.tier.back import take_in

    with bar("Copying") as fill:
        copied = salvage(database, path.absolute(), on_progress=fill)
    with Database.open(path) as fresh:
        take_in(fresh)
        with bar("Reading spans") as fill:
            rebuild(fresh, on_progress=fill)
        found = _examined(fresh)
        lost = [_Lost(line, _n_rows(fresh, line.table)) for line in copied if line.n_lost]
    return lost, found


def _n_rows(database: "Database", table_name: str) -> int:
    [row] = database.rows(f'select count(*) as n from "{table_name}"')  # noqa: S608 - our own table
    return int(row["n"])


def _as_text(found: "Sequence[Finding]", lost: "Sequence[_Lost]", salvage: Path | None) -> str:
    parts = [] if salvage is None else [f"What could be read is in {plain(str(salvage))}."]
    if lost:
        parts.append(_lost_text(lost))
    elif salvage is not None:
        parts.append("No row was lost.")
    rows = [
        (_WORDS[item.check].holds, f"{item.n:,}", f"{item.n_looked:,} {_WORDS[item.check].of}")
        for item in found
    ]
    parts.append(table(("what has to hold", "wrong", "looked at"), rows))
    wrong = [item for item in found if not item.is_sound]
    parts += [
        f"{_WORDS[item.check].holds}: not so, such as {plain(item.example or '')}: "
        f"{_WORDS[item.check].cure}"
        for item in wrong
    ]
    if n_left := len(_WORDS) - len(found):
        parts.append(
            filled("{n} {n:check|checks} left out: a table it needs cannot be read.", n=n_left)
        )
    return "\n\n".join(parts if wrong else [*parts, "The store is sound."])


def _lost_text(lost: "Sequence[_Lost]") -> str:
    rows = [
        (line.table, f"{line.n_lost:,}", f"{n_now - line.n_kept:,}", f"{n_now:,}")
        for line, n_now in lost
    ]
    return table(("table", "rows not read", "made again from spans", "rows now"), rows)


def _as_json(found: "Sequence[Finding]", lost: "Sequence[_Lost]") -> str:
    import orjson

    body = {
        "is_sound": all(finding.is_sound for finding in found),
        "checks": [
            {
                "check": finding.check,
                "n_wrong": finding.n,
                "n_looked": finding.n_looked,
                "example": finding.example,
            }
            for finding in found
        ],
        "lost": [
            {"table": line.table, "n_lost": line.n_lost, "n_now": n_now} for line, n_now in lost
        ],
    }
    return orjson.dumps(body, option=orjson.OPT_INDENT_2).decode()
