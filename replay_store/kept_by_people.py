"""What people keep of an incident: notes on a trace, what they made of it, and searches by name."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Final

from replay_store.database import Database
from replay_store.errors import StoreError
from replay_store.reader import get_trace
from replay_store.records import SavedView, TraceNote
from replay_store.statements import statement

__all__ = [
    "STATES",
    "KeptError",
    "keep_note",
    "keep_view",
    "saved_views",
    "state_of",
    "trace_notes",
]

Clock = Callable[[], int]
"""Nanoseconds since the epoch, now."""

STATES: Final = ("investigating", "explained", "fixed", "no_fault")
"""What a person can make of a trace."""
_MAX_NAME_CHARS: Final = 200
_MAX_NOTE_CHARS: Final = 4_000
_MAX_QUERY_CHARS: Final = 4_000


class KeptError(StoreError):
    """Something that cannot be kept."""


def trace_notes(database: Database, trace_id: str) -> list[TraceNote]:
    """What people noted about a trace, oldest first; empty for an unknown one."""
    rows = database.rows(statement("sql/trace_notes"), {"trace_id": trace_id})
    return [TraceNote(**row) for row in rows]


def state_of(notes: list[TraceNote]) -> str | None:
    """What was last made of a trace; None while nobody said."""
    return next((note.state for note in reversed(notes) if note.state is not None), None)


def keep_note(
    database: Database,
    trace_id: str,
    *,
    author: str,
    note: str,
    state: str | None,
    clock: Clock,
) -> TraceNote:
    """Keep a note on a trace, what somebody makes of it, or both.

    Raises:
        KeptError: No such trace or state, nobody's name, or nothing said.
    """
    name, text = _named(author), _plain(note.strip())[:_MAX_NOTE_CHARS]
    if state is not None and state not in STATES:
        raise KeptError(f"note: {state!r}: expected one of {', '.join(STATES)}")
    if not text and state is None:
        raise KeptError("note: nothing said: expected a text or a state; write one")
    with database.transaction() as cursor:
        if get_trace(database, trace_id) is None:
            raise KeptError(f"note: {trace_id}: no such trace; open one that is there")
        # Later than what was noted before, even if the clock stands still.
        before = max((kept.time_ns for kept in trace_notes(database, trace_id)), default=-1)
        kept = TraceNote(trace_id, state, name, text or None, max(clock(), before + 1))
        cursor.execute(statement("sql/trace_insert_note"), asdict(kept))
    return kept


def saved_views(database: Database, page: str) -> list[SavedView]:
    """The searches that people keep for a page, by name."""
    return [SavedView(**row) for row in database.rows(statement("sql/saved_views"), {"page": page})]


def keep_view(
    database: Database,
    name: str,
    *,
    page: str,
    query: str,
    author: str,
    clock: Clock,
    is_removed: bool = False,
) -> SavedView:
    """Keep a search by its name, over an earlier one of that name; or take it out again.

    Raises:
        KeptError: No name, or a query that is too long.
    """
    title = _plain(name.strip())
    if not 0 < len(title) <= _MAX_NAME_CHARS:
        raise KeptError("view: name: expected a name; write one")
    if len(query) > _MAX_QUERY_CHARS:
        raise KeptError(f"view: query: longer than {_MAX_QUERY_CHARS} characters; shorten it")
    with database.transaction() as cursor:
        held = {view.name: view.saved_time_ns for view in saved_views(database, page)}
        time_ns = max(clock(), held.get(title, -1) + 1)
        kept = SavedView(title, page, query, _plain(author.strip()), is_removed, time_ns)
        cursor.execute(statement("sql/saved_view_insert"), asdict(kept))
    return kept


def _named(author: str) -> str:
    name = _plain(author.strip())
    if not 0 < len(name) <= _MAX_NAME_CHARS:
        raise KeptError("note: author: expected a name; write yours")
    return name


def _plain(text: str) -> str:
    """Text that a column can hold: no lone surrogates, no NUL."""
    return text.encode("utf-8", "replace").decode("utf-8").replace("\x00", "�")
