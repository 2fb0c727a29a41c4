"""Runs over cases as they are kept: counts, and what became of each case. No judgement."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final
from uuid import UUID

import orjson

from pipeline.replay.outcome import Change, Compared
from replay_store.columns import arrow_table
from replay_store.database import Database
from replay_store.errors import StoreError
from replay_store.reader import record_of
from replay_store.records import ReplayResult, ReplayRun
from replay_store.replay.cases import case_hash
from replay_store.statements import statement

MANY: Final = 1_000
"""Runs that a list holds at most."""
_RUN_TYPES: Final[Mapping[str, str]] = {
    "run_id": "UUID",
    "against": "VARCHAR",
    "baseline": "VARCHAR",
    "candidate": "VARCHAR",
    "chooser": "VARCHAR",
    "n_cases": "INTEGER",
    "n_broken": "INTEGER",
    "n_fixed": "INTEGER",
    "n_same_right": "INTEGER",
    "n_same_wrong": "INTEGER",
    "n_skipped": "INTEGER",
    "created_by": "VARCHAR",
    "code_version": "VARCHAR",
    "started_time_ns": "BIGINT",
    "finished_time_ns": "BIGINT",
}
_RESULT_TYPES: Final[Mapping[str, str]] = {
    "run_id": "UUID",
    "position": "INTEGER",
    "case_id": "VARCHAR",
    "case_hash": "UBIGINT",
    "case_kind": "VARCHAR",
    "trace_id": "UUID",
    "tool_names": "VARCHAR[]",
    "change": "VARCHAR",
    "is_right_before": "BOOLEAN",
    "is_right_after": "BOOLEAN",
    "before": "VARCHAR",
    "after": "VARCHAR",
    "diff": "VARCHAR",
}


class ReplayRunError(StoreError):
    """A run that is not there."""


@dataclass(frozen=True, slots=True)
class RunTold:
    """Everything about a run besides its cases."""

    against: str
    baseline: str
    candidate: str
    chooser: str | None
    created_by: str
    code_version: str
    started_time_ns: int
    finished_time_ns: int


@dataclass(frozen=True, slots=True)
class PlayedRun:
    """One run and what became of its cases, in order."""

    run: ReplayRun
    results: tuple[ReplayResult, ...]


@dataclass(frozen=True, slots=True)
class PastResult:
    """What became of one case in one run."""

    run_id: UUID
    against: str
    candidate: str
    started_time_ns: int
    change: Change
    is_right_after: bool | None


def played_run(told: RunTold, compared: Sequence[Compared]) -> PlayedRun:
    """The run and its results as they would be kept; nothing is stored."""
    n = Counter(item.change for item in compared)
    identity = orjson.dumps([told, [case_hash(item.case) for item in compared]])
    run_id = UUID(bytes=sha256(identity).digest()[:16])
    run = ReplayRun(
        run_id=run_id,
        against=told.against,
        baseline=told.baseline,
        candidate=told.candidate,
        chooser=told.chooser,
        n_cases=len(compared),
        n_broken=n[Change.BROKEN],
        n_fixed=n[Change.FIXED],
        n_same_right=n[Change.SAME_RIGHT],
        n_same_wrong=n[Change.SAME_WRONG],
        n_skipped=n[Change.SKIPPED],
        created_by=told.created_by,
        code_version=told.code_version,
        started_time_ns=told.started_time_ns,
        finished_time_ns=told.finished_time_ns,
    )
    return PlayedRun(run, tuple(_result(run_id, at, item) for at, item in enumerate(compared)))


def keep_run(database: Database, played: PlayedRun) -> None:
    """Add a run with its results, in one transaction."""
    with database.transaction() as cursor:
        cursor.register("batch", arrow_table([played.run], _RUN_TYPES))
        cursor.execute(statement("sql/replay_insert_run")).fetchall()
        if played.results:
            cursor.register("batch", arrow_table(played.results, _RESULT_TYPES))
            cursor.execute(statement("sql/replay_insert_result")).fetchall()
        cursor.execute(statement("sql/bump_version")).fetchall()


def runs(database: Database, *, limit: int = MANY) -> list[ReplayRun]:
    """The runs, newest first."""
    rows = database.rows(statement("sql/replay_runs"), {"run_id": None, "limit": limit})
    return [record_of(ReplayRun, row) for row in rows]


def get_run(database: Database, run_id: UUID) -> PlayedRun:
    """One run with its results.

    Raises:
        ReplayRunError: The store holds no such run.
    """
    row = database.row(statement("sql/replay_runs"), {"run_id": run_id, "limit": 1})
    if row is None:
        raise ReplayRunError(f"replay run {run_id}: not in this store; choose another")
    rows = database.rows(statement("sql/replay_results"), {"run_id": run_id, "case_id": None})
    return PlayedRun(
        record_of(ReplayRun, row), tuple(record_of(ReplayResult, item) for item in rows)
    )


def case_history(database: Database, case_id: str, *, limit: int = 20) -> list[PastResult]:
    """What became of one case in the runs that played it, newest first."""
    rows = database.rows(statement("sql/replay_case_history"), {"case_id": case_id, "limit": limit})
    return [PastResult(**row | {"change": Change(row["change"])}) for row in rows]


def _result(run_id: UUID, position: int, item: Compared) -> ReplayResult:
    case = item.case
    return ReplayResult(
        run_id=run_id,
        position=position,
        case_id=case.case_id,
        case_hash=case_hash(case),
        case_kind=case.kind.value,
        trace_id=None if case.origin is None else case.origin.trace_id,
        tool_names=list(case.tools),
        change=item.change.value,
        is_right_before=item.before.is_right,
        is_right_after=item.after.is_right,
        before=_plain(item.before.as_json()),
        after=_plain(item.after.as_json()),
        diff=list(item.diff),
    )


def _plain(value: Any) -> Any:
    """A JSON value whose texts a column can hold: no NUL, no lone surrogates."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8").replace("\x00", "�")
    if isinstance(value, dict):
        return {_plain(str(name)): _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
