"""Audit batches: random draws of decisions to judge, frozen once made, each item with its weight."""

from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from typing import Final
from uuid import UUID

import orjson

from replay_store.database import Database
from replay_store.errors import AuditError
from replay_store.reader import record_of
from replay_store.records import AuditBatch, AuditItem
from replay_store.statements import statement

Clock = Callable[[], int]
"""Nanoseconds since the epoch, now."""

MAX_ITEMS: Final = 5_000
"""More than anybody labels; keeps a slip of the hand out of the store."""
MAX_NAME_CHARS: Final = 200


@dataclass(frozen=True, slots=True)
class FrameSize:
    """What there is to draw from."""

    n_decisions: int
    n_traces: int


def frame_size(
    database: Database, *, start_time_ns: int, end_time_ns: int, tool_name: str | None = None
) -> FrameSize:
    """How many decisions a draw could pick from, and of how many traces."""
    row = database.row(
        statement("sql/audit_frame"),
        {"start_time_ns": start_time_ns, "end_time_ns": end_time_ns, "tool_name": tool_name},
    )
    return FrameSize(**row) if row else FrameSize(0, 0)


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
) -> AuditBatch:
    """Draw decisions at random and keep them; the same seed draws the same from the same store.

    With `per_trace` traces are drawn first, then at most that many decisions of each; None draws
    decisions alone. Exactly `n` are drawn (or all there are) for 1 and None; for more a trace, `n`
    is what is expected. Items stand in the order of the draw: what is labelled so far is a random
    part of the batch.

    Raises:
        AuditError: No name, no annotator, an impossible number, or nothing to draw from.

    Source: evaluation practice (one or two decisions from many traces, weights by inclusion
    probability).
    """
    _check_draw(name, created_by, n, per_trace)
    frame = frame_size(
        database, start_time_ns=start_time_ns, end_time_ns=end_time_ns, tool_name=tool_name
    )
    if not frame.n_decisions:
        raise AuditError("audit: no decision in this period: expected at least one; widen it")
    created_time_ns = clock()
    drawn = {"start_time_ns": start_time_ns, "end_time_ns": end_time_ns, "tool_name": tool_name}
    kept = drawn | {"name": name.strip(), "seed": seed, "created_by": created_by.strip()}
    identity = orjson.dumps([kept, n, per_trace, created_time_ns], option=orjson.OPT_SORT_KEYS)
    batch_id = UUID(bytes=sha256(identity).digest()[:16])
    with database.transaction() as cursor:
        cursor.execute(
            statement("sql/audit_draw"),
            drawn | {"batch_id": batch_id, "seed": seed, "n": n, "per_trace": per_trace},
        )
        cursor.execute(
            statement("sql/audit_insert_batch"),
            kept
            | {
                "batch_id": batch_id,
                "n_frame": frame.n_decisions,
                "created_time_ns": created_time_ns,
            },
        )
        cursor.execute(statement("sql/bump_version"))
    return get_batch(database, batch_id)


def _check_draw(name: str, created_by: str, n: int, per_trace: int | None) -> None:
    for what, text in (("name", name), ("annotator", created_by)):
        if not 0 < len(text.strip()) <= MAX_NAME_CHARS:
            raise AuditError(f"audit: {what}: expected 1 to {MAX_NAME_CHARS} characters; give one")
    if not 1 <= n <= MAX_ITEMS:
        raise AuditError(f"audit: n: {n}: expected 1 to {MAX_ITEMS}; draw several batches")
    if per_trace is not None and per_trace < 1:
        raise AuditError(f"audit: per_trace: {per_trace}: expected at least 1; leave it out")


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
