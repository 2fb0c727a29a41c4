"""Replay cases as they are kept: every version stays, the newest of each id counts."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Final
from uuid import UUID

import orjson

from pipeline.replay import Case, CaseKind, case_from_json, case_to_json
from replay_store.database import Database
from replay_store.reader import record_of
from replay_store.records import ReplayCase
from replay_store.statements import statement
from replay_store.writer import Batch, Writer

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_IDENTITY: Final = (
    "case_id", "case_kind", "trace_id", "tool_names", "is_retired", "time_ns", "body",
)  # fmt: skip
_BY_HAND: Final = UUID(int=0)
"""The file of cases that came from no file."""


@dataclass(frozen=True, slots=True)
class StoredCase:
    """The newest version of one case."""

    case: Case
    case_hash: int
    received_time_ns: int


@dataclass(frozen=True, slots=True)
class CaseFilter:
    """Which cases; every part that is empty or None lets everything pass."""

    kinds: tuple[CaseKind, ...] = ()
    case_ids: tuple[str, ...] = ()
    tool_name: str | None = None
    trace_id: str | None = None
    has_retired: bool = False
    """Whether retired cases are among them."""


_ALL: Final = CaseFilter()


def stored_cases(database: Database, wanted: CaseFilter = _ALL) -> list[StoredCase]:
    """The newest version of each case that passes, by case id.

    Raises:
        CaseError: A kept case is none by this version; names it.
    """
    parameters = {
        "kinds": [kind.value for kind in wanted.kinds],
        "case_ids": list(wanted.case_ids),
        "tool_name": wanted.tool_name,
        "trace_id": wanted.trace_id,
        "has_retired": wanted.has_retired,
    }
    rows = database.rows(statement("sql/replay_cases"), parameters)
    kept = [record_of(ReplayCase, row) for row in rows]
    return [
        StoredCase(
            case_from_json(item.body, f"case {item.case_id}"),
            item.record_hash,
            item.received_time_ns,
        )
        for item in kept
    ]


def keep_cases(
    database: Database, cases: Sequence[Case], clock: Callable[[], int] = time.time_ns
) -> int:
    """Add cases, each as the newest version of its id; one that is known is not added again.

    Returns:
        How many were new.
    """
    now = clock()
    records = [
        ReplayCase(
            **case_columns(case),
            record_hash=case_hash(case),
            file_id=_BY_HAND,
            record_index=at,
            received_time_ns=now,
        )
        for at, case in enumerate(cases)
    ]
    return Writer(database).write(Batch(replay_cases=records)).n_stored


def case_columns(case: Case) -> dict[str, Any]:
    """A case as the columns of its record, without hash and provenance."""
    found = case.origin
    return {
        "case_id": case.case_id,
        "case_kind": case.kind.value,
        "trace_id": None if found is None else found.trace_id,
        "tool_names": list(case.tools),
        "is_retired": case.is_retired,
        "time_ns": None if case.time is None else _epoch_ns(case.time),
        "body": case_to_json(case),
    }


def case_hash(case: Case) -> int:
    """The hash that names this version, wherever it comes from: 64 bits of its sorted JSON."""
    return columns_hash(case_columns(case))


def columns_hash(columns: Mapping[str, Any]) -> int:
    """The hash of a case by its columns; others that may be among them do not count."""
    text = orjson.dumps([columns[name] for name in _IDENTITY], option=orjson.OPT_SORT_KEYS)
    return int.from_bytes(sha256(text).digest()[:8], "big")


def _epoch_ns(text: str) -> int:
    since = datetime.fromisoformat(text) - _EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000_000 + since.microseconds * 1_000
