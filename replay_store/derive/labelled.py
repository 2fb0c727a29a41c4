"""Keeps the sealed decisions of labelled traces apart: accuracy reads those few instead of all."""

from typing import Final

import pyarrow as pa

from replay_store.database import Database
from replay_store.statements import run, statement

__all__ = ["look_for_labelled"]

_UNSEEN: Final = "select 1 from label anti join labelled_trace using (trace_id) limit 1"


def look_for_labelled(database: Database) -> None:
    """Keep the decisions of sealed traces that were labelled since the last look.

    What is sealed later keeps its own (`rollup/add_parts.sql`); until a look, accuracy goes through all
    sealed decisions for the new labels.
    """
    if database.row(_UNSEEN) is None:
        return
    with database.transaction() as cursor:
        found = database.rows(statement("derive/rollup/unseen_decisions"))
        if found:
            cursor.register("unseen_decision", pa.Table.from_pylist(found))
            run(cursor, "derive/rollup/keep_labelled")
            cursor.unregister("unseen_decision")
        run(cursor, "derive/rollup/see_labelled")
