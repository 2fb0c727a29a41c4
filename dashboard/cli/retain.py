"""`toolsight retain`: what is older than so many days goes; first it says what that is."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dashboard.cli.options import db_option, json_option
from dashboard.cli.progress import bar
from dashboard.cli.stores import open_store
from dashboard.cli.tables import table

if TYPE_CHECKING:
    from replay_store.database import Database
    from replay_store.retention import DayCount

_KEPT = (
    "Kept: labels, audit draws, cases, dictionaries, alerts, the ledger, and the ids of what went."
)


@click.command("retain", short_help="Remove what is older than so many days.")
@db_option
@json_option
@click.option(
    "--days",
    type=click.IntRange(1, 36_500),
    required=True,
    help="How many days are kept, counted back from now.",
)
@click.option("--apply", "is_applied", is_flag=True, help="Remove it; without, only say what.")
def command(db: Path | None, as_json: bool, days: int, is_applied: bool) -> None:
    """Say what is older than so many days, by table and day; with `--apply`, remove it.

    A trace goes as a whole, with everything read in it, when its end is older; one without an end,
    when nothing came for so long. Refused records go by their arrival. What people made stays:
    labels, audit draws, cases, dictionaries; so do alerts and the ledger. The page of a removed trace says
    that it was removed.
    """
    from replay_store.retention import DAY_NS, expired

    now_ns = time.time_ns()
    before_ns = now_ns - days * DAY_NS
    with open_store(db) as (database, _):
        found = expired(database, before_ns=before_ns)
        removed = _removed(database, found, before_ns, now_ns) if is_applied else None
    click.echo(_as_json(found, removed, before_ns) if as_json else _text(found, removed, before_ns))


def _removed(
    database: "Database", found: "Sequence[DayCount]", before_ns: int, now_ns: int
) -> Mapping[str, int]:
    from replay_store.retention import remove_expired

    n_traces = sum(line.n for line in found if line.table == "trace")
    with bar("Removing traces") as fill:
        return remove_expired(
            database,
            before_ns=before_ns,
            now_ns=now_ns,
            on_progress=lambda n_done: fill(min(n_done, n_traces), n_traces),
        )


def _text(found: "Sequence[DayCount]", removed: Mapping[str, int] | None, before_ns: int) -> str:
    moment = datetime.fromtimestamp(before_ns / 1e9, UTC).strftime("%Y-%m-%d %H:%MZ")
    if not found and not removed:
        return f"Nothing is older than {moment}. {_KEPT}"
    if removed is not None:
        rows = table(("table", "rows removed"), removed.items())
        return f"Removed what was older than {moment}:\n\n{rows}\n\n{_KEPT}"
    return (
        f"Older than {moment}, and would go:\n\n{_by_table(found)}\n\n{_by_day(found)}\n\n"
        f"{_KEPT}\nNothing was removed. Run it again with --apply to remove."
    )


def _by_table(found: "Sequence[DayCount]") -> str:
    names = dict.fromkeys(line.table for line in found)
    days = {name: [line for line in found if line.table == name] for name in names}
    return table(
        ("table", "rows", "from", "to"),
        (
            (name, sum(line.n for line in lines), lines[0].day, lines[-1].day)
            for name, lines in days.items()
        ),
    )


def _by_day(found: "Sequence[DayCount]") -> str:
    traces, rows = Counter[Any](), Counter[Any]()
    for line in found:
        rows[line.day] += line.n
        traces[line.day] += line.n if line.table == "trace" else 0
    return table(
        ("day (UTC)", "traces", "rows in all tables"),
        ((day, traces[day], n) for day, n in sorted(rows.items())),
    )


def _as_json(found: "Sequence[DayCount]", removed: Mapping[str, int] | None, before_ns: int) -> str:
    import orjson

    body = {
        "before_time_ns": before_ns,
        "is_applied": removed is not None,
        "expired": [line._asdict() for line in found],
        "removed": removed,
    }
    return orjson.dumps(body, option=orjson.OPT_INDENT_2).decode()
