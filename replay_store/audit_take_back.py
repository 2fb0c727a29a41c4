"""What somebody said of an item a moment ago, taken back: as if it had not been said.

Only what was said since they opened their queue: a label that others may have read stays, and is
superseded by a better one.
"""

from uuid import UUID

from replay_store.database import Database
from replay_store.statements import statement

__all__ = ["take_back"]


def take_back(
    database: Database, batch_id: UUID, position: int, annotator: str, source: str, since_ns: int
) -> int:
    """Take back the labels and skips of one item; what was said before holds again.

    Args:
        database: The store.
        batch_id: Of the draw.
        position: The item.
        annotator: Who said it, and takes it back.
        source: `audit`, or `adjudication`.
        since_ns: What was said before that stays.

    Returns:
        How many labels and skips were taken back; 0 where nothing was said since.
    """
    said = {
        "batch_id": str(batch_id),
        "position": position,
        "annotator": annotator.strip(),
        "since_ns": since_ns,
    }
    with database.transaction() as cursor:
        labels = cursor.execute(
            statement("sql/audit_take_back_labels"), said | {"source": source}
        ).fetchall()
        skips = cursor.execute(statement("sql/audit_take_back_skips"), said).fetchall()
        if labels or skips:
            cursor.execute(statement("sql/bump_version")).fetchall()
    return len(labels) + len(skips)
