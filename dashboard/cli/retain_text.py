"""What `toolsight retain` says of what goes, what moves and what comes back."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from dashboard.cli.tables import plain, table
from dashboard.formats import size_text
from dashboard.plurals import filled

if TYPE_CHECKING:
    from replay_store.retention import DayCount
    from replay_store.tier.move import MovedFile
    from replay_store.tier.plan import MovedDay, Planned

__all__ = ["back", "back_json", "move", "move_json", "removal", "removal_json", "unreachable"]

_KEPT: Final = (
    "Kept: labels, audit draws, cases, dictionaries, alerts, the ledger, and the ids of what went."
)
_STAYS: Final = "Open traces stay, and records without a trace; so does what people made."


def removal(found: "Sequence[DayCount]", removed: Mapping[str, int] | None, before_ns: int) -> str:
    """What is old and goes, or what went."""
    moment = _moment(before_ns)
    if not found and not removed:
        return f"Nothing is older than {moment}. {_KEPT}"
    if removed is not None:
        rows = table(("table", "rows removed"), removed.items())
        return f"Removed what was older than {moment}:\n\n{rows}\n\n{_KEPT}"
    names = dict.fromkeys(line.table for line in found)
    lines = {name: [line for line in found if line.table == name] for name in names}
    by_table = table(
        ("table", "rows", "from", "to"),
        (
            (name, sum(line.n for line in of_it), of_it[0].day, of_it[-1].day)
            for name, of_it in lines.items()
        ),
    )
    traces, rows_of = Counter[Any](), Counter[Any]()
    for line in found:
        rows_of[line.day] += line.n
        traces[line.day] += line.n if line.table == "trace" else 0
    by_day = table(
        ("day (UTC)", "traces", "rows in all tables"),
        ((day, traces[day], n) for day, n in sorted(rows_of.items())),
    )
    return (
        f"Older than {moment}, and would go:\n\n{by_table}\n\n{by_day}\n\n"
        f"{_KEPT}\nNothing was removed. Run it again with --apply to remove."
    )


def removal_json(
    found: "Sequence[DayCount]", removed: Mapping[str, int] | None, before_ns: int
) -> str:
    """The same for programs."""
    return _json(
        {
            "before_time_ns": before_ns,
            "is_applied": removed is not None,
            "expired": [line._asdict() for line in found],
            "removed": removed,
        }
    )


def move(
    found: "Sequence[Planned]",
    moved: "Sequence[MovedFile] | None",
    before_ns: int,
    folder: Path,
) -> str:
    """What is old and would move to a folder, or what moved there."""
    moment, where = _moment(before_ns), plain(str(folder))
    if not found and not moved:
        return f"Nothing that is sealed is older than {moment}. {_STAYS}"
    if moved is None:
        return (
            f"Older than {moment}, and would move to {where} (bytes: about, in the store):\n\n"
            f"{_by_table(found)}\n\n{_by_day(found)}\n\n{_STAYS}\n"
            "Nothing was moved. Run it again with --apply to move."
        )
    return (
        f"Moved what was older than {moment} to {where} (bytes: of the files):\n\n"
        f"{_by_table(moved)}\n\n{_by_day(moved)}\n\n{_STAYS}\n"
        "Pages and figures read it there: leave the folder where it is, and copy it with each backup."
    )


def move_json(
    found: "Sequence[Planned]",
    moved: "Sequence[MovedFile] | None",
    before_ns: int,
    folder: Path,
) -> str:
    """The same for programs."""
    return _json(
        {
            "before_time_ns": before_ns,
            "folder": str(folder),
            "is_applied": moved is not None,
            "planned": [_dated(line._asdict()) for line in found],
            "moved": None if moved is None else [_dated(line._asdict()) for line in moved],
        }
    )


def back(found: "Sequence[MovedDay]", n_back: int | None, missing: Sequence[int]) -> str:
    """The days that lie in files and would come back, or what came."""
    if not found:
        return "No such day lies in files."
    rows = table(
        ("day (UTC)", "traces", "files", "bytes"),
        ((_day(it.day), it.n_traces, it.n_files, size_text(it.n_bytes)) for it in found),
    )
    lost = f"\n\n{unreachable(missing)}" if missing else ""
    if n_back is None:
        return f"In files:\n\n{rows}{lost}\n\nRun it again with --apply to bring them back."
    return filled("{n} {n:trace|traces} came back into the store.", n=f"{n_back:,}") + lost


def back_json(found: "Sequence[MovedDay]", n_back: int | None, missing: Sequence[int]) -> str:
    """The same for programs."""
    return _json(
        {
            "is_applied": n_back is not None,
            "days": [_dated(line._asdict()) for line in found],
            "n_traces_back": n_back,
            "missing_days": [_day(day) for day in missing],
        }
    )


def unreachable(days: Sequence[int]) -> str:
    """That moved days are not where they were put."""
    listed = ", ".join(map(_day, days[:5])) + (", ..." if len(days) > 5 else "")
    return filled(
        "{n} moved {n:day|days} not reachable ({listed}): put the folder back where it was.",
        n=len(days),
        listed=listed,
    )


def _by_table(lines: "Iterable[Planned | MovedFile]") -> str:
    n_rows, n_bytes = Counter[str](), dict[str, int | None]()
    for line in lines:
        n_rows[line.table] += line.n_rows
        n_bytes[line.table] = _sum(n_bytes.get(line.table, 0), line.n_bytes)
    return table(
        ("table", "rows", "bytes"), ((it, n, _size(n_bytes[it])) for it, n in n_rows.items())
    )


def _by_day(lines: "Iterable[Planned | MovedFile]") -> str:
    traces, n_rows, n_bytes = Counter[int](), Counter[int](), dict[int, int | None]()
    for line in lines:
        traces[line.day] += line.n_rows if line.table == "trace_sealed" else 0
        n_rows[line.day] += line.n_rows
        n_bytes[line.day] = _sum(n_bytes.get(line.day, 0), line.n_bytes)
    return table(
        ("day (UTC)", "traces", "rows in all tables", "bytes"),
        ((_day(it), traces[it], n, _size(n_bytes[it])) for it, n in sorted(n_rows.items())),
    )


def _sum(total: int | None, more: int | None) -> int | None:
    return None if total is None or more is None else total + more


def _size(n_bytes: int | None) -> str | None:
    return None if n_bytes is None else size_text(n_bytes)


def _moment(time_ns: int) -> str:
    return datetime.fromtimestamp(time_ns / 1e9, UTC).strftime("%Y-%m-%d %H:%MZ")


def _day(day: int) -> str:
    return datetime.fromtimestamp(day * 86_400, UTC).date().isoformat()


def _dated(line: dict[str, Any]) -> dict[str, Any]:
    return line | {"day": _day(line["day"])}


def _json(body: Mapping[str, Any]) -> str:
    import orjson

    return orjson.dumps(body, option=orjson.OPT_INDENT_2).decode()
