"""Which traces does a pasted text mean, and where there is none: why not?

A whole trace id is looked up by key first, and alone; only a text that names no known one is looked
for as a span, a call, a key, a task or a session, and last as the beginning of an id.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from replay_store.database import Database
from replay_store.reader import record_of
from replay_store.records import Reject, RemovedTrace
from replay_store.retention import removed_trace
from replay_store.spelling import Spelled, hashed_trace_id, spelled
from replay_store.statements import statement

__all__ = [
    "MAX_MATCHES",
    "Absence",
    "Found",
    "FoundBy",
    "Match",
    "find",
    "resolve_trace_id",
    "why_absent",
]

MAX_MATCHES: Final = 20
"""A short list; how many there are in all is said beside it."""
REJECTS_SEARCHED: Final = 20_000
"""The newest refusals that are searched for an id: older ones are of no incident of today."""
_MAX_REJECTS: Final = 5


class FoundBy(StrEnum):
    """What the text named."""

    TRACE = "trace"
    NATIVE = "native"
    """The id that a trace has where it came from, when it is not OpenTelemetry's."""
    SPAN = "span"
    HALF = "half"
    """The lower 64 bits of a trace id, which is all that some tracers tell."""
    CALL = "call"
    KEY = "key"
    """An idempotency key."""
    TASK = "task"
    SESSION = "session"
    PREFIX = "prefix"


@dataclass(frozen=True, slots=True)
class Match:
    """One trace that the text may mean."""

    trace_id: str
    by: FoundBy
    value: str
    """What the text named, in the store's own spelling."""
    span_id: str | None
    """The span that it named with it; None for the trace as a whole."""


@dataclass(frozen=True, slots=True)
class Found:
    """The traces that a text may mean, newest first; all by the same kind of name."""

    matches: tuple[Match, ...]
    n: int
    """How many there are; more than are listed above `MAX_MATCHES`."""


@dataclass(frozen=True, slots=True)
class Absence:
    """What is known of a trace that is not there. Nothing at all: it was never seen here."""

    waiting_since_ns: int | None
    """When its newest record came, while it waits to be derived."""
    removed: RemovedTrace | None
    rejects: tuple[Reject, ...]
    """Refused records that name it, newest first; at most five."""

    @property
    def is_never_seen(self) -> bool:
        """Whether nothing in the store knows of it."""
        return self.waiting_since_ns is None and self.removed is None and not self.rejects


def find(database: Database, text: str) -> Found:
    """The traces that a pasted text may mean; none for a text that names nothing known."""
    named = spelled(text)
    return (
        _by_trace_id(database, named)
        or _by_native_id(database, named)
        or _by_span(database, named)
        or _by_words(database, "find_by_call", _like_ids(named))
        or _by_words(database, "find_by_key", _like_ids(named))
        or _by_words(database, "find_by_group", named.words)
        or _by_prefix(database, named)
        or Found((), 0)
    )


def resolve_trace_id(database: Database, text: str) -> list[str]:
    """The ids of the traces that `find` gives: one when it is clear, more when it is not."""
    return [match.trace_id for match in find(database, text).matches]


def why_absent(database: Database, text: str, needles: Sequence[str] = ()) -> Absence:
    """What is known of the trace that a text names in full, when `find` gave none.

    Args:
        database: The store.
        text: What was pasted.
        needles: Other spellings that a refused record may hold, in lower case.
    """
    named = spelled(text)
    waiting = database.row(statement("sql/find_waiting"), {"trace_ids": list(named.trace_ids)})
    return Absence(
        waiting_since_ns=int(waiting["last_received_time_ns"]) if waiting else None,
        removed=removed_trace(database, text),
        rejects=_rejects(database, named, needles),
    )


def _by_trace_id(database: Database, named: Spelled) -> Found | None:
    rows = _known(database, named.trace_ids, named)
    matches = tuple(
        Match(row["trace_id"], FoundBy.TRACE, row["trace_id"], row["span_id"]) for row in rows
    )
    return Found(matches[:MAX_MATCHES], len(matches)) if matches else None


def _by_native_id(database: Database, named: Spelled) -> Found | None:
    native = _native_ids(database, named)
    matches = tuple(
        Match(row["trace_id"], FoundBy.NATIVE, native[row["trace_id"]], row["span_id"])
        for row in _known(database, tuple(native), named)
    )
    return Found(matches[:MAX_MATCHES], len(matches)) if matches else None


def _known(
    database: Database, trace_ids: Sequence[str], named: Spelled
) -> Sequence[Mapping[str, Any]]:
    if not trace_ids:
        return ()
    wanted = {"trace_ids": list(trace_ids), "span_ids": _numbers(named.span_ids)}
    rows: Sequence[Mapping[str, Any]] = ()
    for place in database.sealed_ids.places(trace_ids):
        rows = database.rows(statement("sql/find_known_traces"), {**wanted, **place})
        if len(rows) == len(set(trace_ids)):
            break
    return rows


def _native_ids(database: Database, named: Spelled) -> dict[str, str]:
    """The trace ids that the words would have become on their way in, and the word of each."""
    containers = [row["container"] for row in database.rows(statement("sql/find_containers"))]
    return {
        hashed_trace_id(container, word): word for container in containers for word in named.words
    }


def _by_span(database: Database, named: Spelled) -> Found | None:
    if not named.span_ids:
        return None
    endings = [f"{span_id[:4]}-{span_id[4:]}" for span_id in named.span_ids]
    parameters = {"span_ids": _numbers(named.span_ids), "endings": endings, "limit": MAX_MATCHES}
    return _found(database.rows(statement("sql/find_by_span"), parameters))


def _by_words(database: Database, name: str, words: Sequence[str]) -> Found | None:
    if not words:
        return None
    values = {f"word_{number}": word for number, word in enumerate(words)}
    listed = ", ".join(f"${each}" for each in values)
    sql = statement(f"sql/{name}").replace("($word)", f"({listed})")
    return _found(database.rows(sql, values | {"limit": MAX_MATCHES}))


def _like_ids(named: Spelled) -> Sequence[str]:
    """The words that somebody may have made to be told apart: plain words hold no digit."""
    return [word for word in named.words if any(character.isdigit() for character in word)]


def _found(rows: Sequence[Mapping[str, Any]]) -> Found | None:
    matches = tuple(
        Match(row["trace_id"], FoundBy(row["kind"]), row["value"], row["span_id"]) for row in rows
    )
    return Found(matches, int(rows[0]["n"])) if rows else None


def _by_prefix(database: Database, named: Spelled) -> Found | None:
    for prefix in named.prefixes:
        bounds = {"lo": prefix.ljust(32, "0"), "hi": prefix.ljust(32, "f")}
        rows = database.rows(statement("sql/find_by_prefix"), bounds | {"limit": MAX_MATCHES})
        if rows:
            matches = (Match(row["trace_id"], FoundBy.PREFIX, prefix, None) for row in rows)
            return Found(tuple(matches), int(rows[0]["n"]))
    return None


def _rejects(database: Database, named: Spelled, needles: Sequence[str]) -> tuple[Reject, ...]:
    wanted = [*named.trace_ids, *named.span_ids, *needles]
    wanted += [word.lower() for word in named.words[:1] if len(word) >= 6]
    if not wanted:
        return ()
    parameters = {"needles": wanted, "depth": REJECTS_SEARCHED, "limit": _MAX_REJECTS}
    rows = database.rows(statement("sql/find_rejects"), parameters)
    return tuple(record_of(Reject, row) for row in rows)


def _numbers(span_ids: Sequence[str]) -> list[int]:
    return [int(span_id, 16) for span_id in span_ids]
