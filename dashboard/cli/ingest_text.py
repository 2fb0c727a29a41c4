"""What `toolsight ingest` says at its end: counts, the first refusals, where to look next."""

import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Final

import orjson

from dashboard.cli.tables import plain, table
from dashboard.plurals import filled
from dashboard.settings import Settings, default_db
from replay_store.database import Database
from replay_store.reader import TraceFilter, find_traces
from replay_store.records import IngestFile
from replay_store.trace_counts import count_traces

__all__ = ["as_json_text", "summary"]

_HEADERS: Final = ("file", "container", "records", "stored", "merged", "rejected", "repaired")
_MAX_FILES: Final = 40
"""Longer lists show the files with something to say, then a count of the rest."""


def as_json_text(lines: Sequence[IngestFile]) -> str:
    """The ledger lines of this run as JSON."""
    return orjson.dumps([asdict(line) for line in lines], option=orjson.OPT_INDENT_2).decode()


def summary(lines: Sequence[IngestFile], database: Database, settings: Settings) -> str:
    """The closing text: a table of files, the messages, and what to look at next."""
    parts = [_files(lines), *_known(lines)]
    told = [f"  {plain(x.path)}: {plain(x.message)}" for x in lines if x.message]
    if told:
        parts.append("\n".join([f"To look into ({len(told)}):", *told[:_MAX_FILES], *_rest(told)]))
    parts.append(_next_step(lines, database, settings))
    return "\n\n".join(parts)


def _files(lines: Sequence[IngestFile]) -> str:
    ordered = sorted(lines, key=lambda line: not line.message)
    rows = [_row(line) for line in ordered[:_MAX_FILES]]
    total = ("total", f"{len(lines):,} files", *_sums(lines)) if len(lines) > 1 else None
    text = table(_HEADERS, [*rows, total] if total else rows)
    n_hidden = len(lines) - len(rows)
    return (
        filled(
            "{text}\n({n} more {n:file without a message is|files without a message are} in the total)",
            text=text,
            n=f"{n_hidden:,}",
        )
        if n_hidden > 0
        else text
    )


def _known(lines: Sequence[IngestFile]) -> list[str]:
    """By what in their content the files were known, most files first; nothing when none was."""
    counts = Counter((x.container, x.container_reason) for x in lines if x.container_reason)
    if not counts:
        return []
    told = [
        f"  {container}: {plain(reason)} ({n:,})"
        for (container, reason), n in counts.most_common(_MAX_FILES)
    ]
    return ["\n".join(["Known by their content (files):", *told])]


def _row(line: IngestFile) -> Sequence[object]:
    return (
        line.path,
        line.container,
        line.n_records,
        line.n_stored,
        line.n_merged,
        line.n_rejected,
        line.n_repaired,
    )


def _sums(lines: Sequence[IngestFile]) -> Sequence[int]:
    counts = [_row(line)[2:] for line in lines]
    return [sum(column) for column in zip(*counts, strict=True)]


def _rest(told: Sequence[str]) -> list[str]:
    n_more = len(told) - _MAX_FILES
    return [f"  and {n_more:,} more: toolsight intake"] if n_more > 0 else []


def _next_step(lines: Sequence[IngestFile], database: Database, settings: Settings) -> str:
    if not any(line.n_stored + line.n_merged for line in lines):
        return "Next: nothing could be read; see the reason beside each file above."
    option = "" if settings.db == default_db() else f" --db {shlex.quote(str(settings.db))}"
    n_traces = count_traces(database, TraceFilter())
    n_errors = count_traces(database, TraceFilter(error="any"))
    held = filled(
        "The store holds {n} {n:trace|traces}, {n_errors} of them with an error.",
        n=f"{n_traces:,}",
        n_errors=f"{n_errors:,}",
    )
    page = _page(database, has_errors=n_errors > 0)
    return (
        f"{held}\nNext: toolsight serve{option}\n"
        f"      then open http://127.0.0.1:{settings.port}{page}"
    )


def _page(database: Database, *, has_errors: bool) -> str:
    """The newest trace with an error if there is one, else the overview."""
    if not has_errors:
        return "/"
    newest = find_traces(database, TraceFilter(error="any"), limit=1)
    return f"/trace?trace_id={newest[0].trace_id}"
