"""Audit batches: random draws of decisions to judge, frozen once made, each item with its weight."""

from collections.abc import Callable, Collection, Sequence
from hashlib import sha256
from typing import Any, Final
from uuid import UUID

import orjson

from replay_store.audit_allocation import Allocation, Stratum
from replay_store.audit_frame import (
    FRAME_STATEMENT,
    FramePart,
    FrameSize,
    fill_frame,
    frame_size,
    set_quotas,
)
from replay_store.database import Database
from replay_store.errors import AuditError
from replay_store.reader import record_of
from replay_store.records import AuditBatch, AuditItem, AuditStratum
from replay_store.statements import statement

__all__ = [
    "MAX_ITEMS",
    "MAX_NAME_CHARS",
    "Clock",
    "FrameSize",
    "batches",
    "draw_batch",
    "frame_size",
    "get_batch",
    "items",
    "strata_of",
]

Clock = Callable[[], int]
"""Nanoseconds since the epoch, now."""

MAX_ITEMS: Final = 5_000
"""More than anybody labels; keeps a slip of the hand out of the store."""
MAX_NAME_CHARS: Final = 200


def draw_batch(
    database: Database,
    *,
    name: str,
    start_time_ns: int,
    end_time_ns: int,
    n: int,
    seed: int,
    created_by: str,
    clock: Clock,
    tool_name: str | None = None,
    per_trace: int | None = 1,
    strata: Collection[Stratum] = (),
    allocation: Allocation = Allocation.PROPORTIONAL,
    n_double: int = 0,
) -> AuditBatch:
    """Draw decisions at random and keep them; the same seed draws the same from the same store.

    The frame is parted by `strata`; each part is drawn from apart, as many as `allocation` says.
    With `per_trace` traces are drawn first, then at most that many decisions of each; None draws
    decisions alone. Of one part exactly its quota is drawn (or all there are) for 1 and None; for
    more a trace, it is what is expected. Items stand in a random order: what is labelled so far is
    a random part of the batch. `n_double` of them, at random, are for two raters.

    Raises:
        AuditError: No name, no annotator, an impossible number, fewer than there are parts, or
            nothing to draw from.

    Source: evaluation practice (one or two decisions from many traces, weights by inclusion
    probability).
    """
    _check_draw(name, created_by, n, per_trace, n_double)
    frame = {"start_time_ns": start_time_ns, "end_time_ns": end_time_ns, "tool_name": tool_name}
    batch = frame | {
        "name": name.strip(),
        "seed": seed,
        "created_by": created_by.strip(),
        "created_time_ns": clock(),
        "n": n,
        "per_trace": per_trace,
        "strata": [str(stratum) for stratum in Stratum if stratum in strata],
        "allocation": str(allocation),
    }
    batch_id = _identity(batch, n_double)
    with database.transaction() as cursor:
        with database.whole(cursor):
            parts = fill_frame(cursor, frame | {"per_trace": per_trace}, strata)
        _check_frame(parts, n)
        set_quotas(cursor, parts, n, allocation)
        cursor.execute(
            statement("sql/audit_draw"),
            {"batch_id": batch_id, "seed": seed, "per_trace": per_trace, "n_double": n_double},
        )
        sizes = {
            "batch_id": batch_id,
            "n_frame": sum(part.n_frame for part in parts),
            "frame_query": statement(FRAME_STATEMENT),
        }
        cursor.execute(statement("sql/audit_insert_batch"), batch | sizes)
        cursor.execute(statement("sql/audit_insert_strata"), {"batch_id": batch_id})
        cursor.execute(statement("sql/bump_version"))
    return get_batch(database, batch_id)


def _identity(batch: dict[str, Any], n_double: int) -> UUID:
    told = orjson.dumps([batch, n_double], option=orjson.OPT_SORT_KEYS)
    return UUID(bytes=sha256(told).digest()[:16])


def _check_draw(name: str, created_by: str, n: int, per_trace: int | None, n_double: int) -> None:
    for what, text in (("name", name), ("annotator", created_by)):
        if not 0 < len(text.strip()) <= MAX_NAME_CHARS:
            raise AuditError(f"audit: {what}: expected 1 to {MAX_NAME_CHARS} characters; give one")
    if not 1 <= n <= MAX_ITEMS:
        raise AuditError(f"audit: n: {n}: expected 1 to {MAX_ITEMS}; draw several batches")
    if per_trace is not None and per_trace < 1:
        raise AuditError(f"audit: per_trace: {per_trace}: expected at least 1; leave it out")
    if n_double < 0:
        raise AuditError(f"audit: n_double: {n_double}: expected at least 0; leave it out")


def _check_frame(parts: Sequence[FramePart], n: int) -> None:
    if not parts:
        raise AuditError("audit: no decision in this period: expected at least one; widen it")
    if n < len(parts):
        raise AuditError(
            f"audit: n: {n}: the period has {len(parts)} strata: expected at least one decision of "
            f"each; draw {len(parts)} or more, or use fewer strata"
        )


def batches(database: Database) -> list[AuditBatch]:
    """Every batch, newest first."""
    rows = database.rows(statement("sql/audit_batches"), {"batch_id": None})
    return [record_of(AuditBatch, row) for row in rows]


def get_batch(database: Database, batch_id: UUID) -> AuditBatch:
    """One batch.

    Raises:
        AuditError: The store holds no such batch.
    """
    row = database.row(statement("sql/audit_batches"), {"batch_id": batch_id})
    if row is None:
        raise AuditError(f"audit: batch {batch_id}: not in this store; choose another")
    return record_of(AuditBatch, row)


def items(database: Database, batch_id: UUID) -> list[AuditItem]:
    """The items of a batch in the order of the draw; empty for an unknown batch."""
    rows = database.rows(statement("sql/audit_items"), {"batch_id": batch_id, "position": None})
    return [record_of(AuditItem, row) for row in rows]


def strata_of(database: Database, batch_id: UUID) -> list[AuditStratum]:
    """The parts of the frame of a batch, in order; empty where they were not kept."""
    rows = database.rows(statement("sql/audit_stored_strata"), {"batch_id": batch_id})
    return [record_of(AuditStratum, row) for row in rows]
