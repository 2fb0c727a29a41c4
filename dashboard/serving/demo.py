"""Loads the sample traces into a demo's store while its pages are already up."""

import time
from itertools import accumulate

from dashboard.runtime import Loading
from replay_store.database import Database

__all__ = ["load_samples"]

_READ_SHARE = 0.8
"""The part of the bar that reading takes; deriving takes the rest."""


def load_samples(database: Database, loading: Loading) -> None:
    """Import the sample files, derive their traces, play their cases; tells how far it is.

    Raises:
        LoadCancelled: The server is stopping.
    """
    import sample_traces
    from ingest import Progress, import_paths
    from replay_store.derive import derive

    paths = sample_traces.paths()
    sizes = [path.stat().st_size for path in paths]
    n_bytes_all = sum(sizes)
    n_bytes_before = dict(zip(paths, accumulate(sizes, initial=0), strict=False))

    def read(progress: Progress) -> None:
        share = (n_bytes_before[progress.path] + progress.n_bytes_done) / max(n_bytes_all, 1)
        loading.report(_READ_SHARE * share, progress.path.name)

    def derived(n_done: int, n_total: int) -> None:
        share = n_done / max(n_total, 1)
        loading.report(_READ_SHARE + (1 - _READ_SHARE) * share, "")

    import_paths(paths, database, clock=time.time_ns, on_progress=read)
    derive(database, on_progress=derived)
    _first_run(database)


def _first_run(database: Database) -> None:
    """Play the sample cases once, so that the Replay page has something to show."""
    from dashboard.replaying.plans import Wish, plan
    from dashboard.replaying.running import play_plan
    from pipeline.replay.choosers import LexicalChooser
    from replay_store.replay import keep_run, runs, stored_cases

    cases = [item.case for item in stored_cases(database)]
    if cases and not runs(database):
        chosen = plan(Wish(chooser=LexicalChooser()))
        keep_run(database, play_plan(chosen, cases, "demo", time.time_ns))
