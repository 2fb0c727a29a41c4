"""Read history again: mapped and derived rows made anew from what was received."""

from collections.abc import Callable

from ingest.mapping import map_batch
from replay_store.database import Database
from replay_store.derive import derive
from replay_store.reader import count_spans, iter_spans, logs_of
from replay_store.writer import Batch, Writer


def rebuild(database: Database, *, on_progress: Callable[[int, int], None] | None = None) -> int:
    """Map every stored span again with the dialects of this version, then derive.

    Safe to stop and to run again: traces are replaced some thousands at a time, each in one
    transaction. Received rows and what people made (labels) are not touched, nor are days that were
    moved out of the store: bring them back first to have them read anew.

    Args:
        database: The store.
        on_progress: Called with the spans mapped and the spans there are.

    Returns:
        How many span versions were mapped; 0 for an empty store.
    """
    writer = Writer(database)
    n_total = count_spans(database)
    n_done = 0
    for spans in iter_spans(database, only_here=True):
        batch = Batch(spans=spans, span_logs=logs_of(database, spans))
        map_batch(batch)
        writer.replace_mapped(batch)
        n_done += len(spans)
        if on_progress is not None:
            on_progress(n_done, n_total)
    derive(database)
    return n_done
