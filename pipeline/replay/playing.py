"""Cases played by a setup, and two setups compared case by case. No tool is ever called."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from pipeline.replay.case import Case
from pipeline.replay.outcome import Compared
from pipeline.replay.setup import Setup, play
from pipeline.replay.spreading import spread, why_not_spread

WORKERS: Final = 4

OnProgress = Callable[[int, int], None]
"""Cases played, and cases to play."""


def compare(
    cases: Sequence[Case],
    before: Setup,
    after: Setup,
    *,
    n_workers: int = WORKERS,
    n_processes: int = 1,
    on_progress: OnProgress | None = None,
    on_note: Callable[[str], None] | None = None,
) -> list[Compared]:
    """Each case by both setups, in the order given; retired cases are left out.

    Cases are played side by side in threads, which is what a chooser behind a network gains by; many
    of them in processes where the caller allows it and nobody outside is asked. What comes out is the
    same.

    Args:
        cases: Of any kind.
        before: One side.
        after: The other.
        n_workers: Threads.
        n_processes: Processes; more than 1 is for programs whose main module can be imported.
        on_progress: Called with the cases played and those to play; what it raises ends the play.
        on_note: Told why threads were used where processes would have been worth it.
    """
    wanted = [case for case in cases if not case.is_retired]
    why_not = why_not_spread(wanted, before, after) if n_processes > 1 else ""
    if why_not is None:
        found = spread(wanted, before, after, n_processes)
        return list(_counted(found, len(wanted), on_progress))
    if why_not and on_note is not None:
        on_note(why_not)
    with ThreadPoolExecutor(max_workers=max(n_workers, 1)) as pool:
        found = pool.map(lambda case: Compared(case, play(case, before), play(case, after)), wanted)
        return list(_counted(found, len(wanted), on_progress))


def _counted(
    found: Iterator[Compared], n_total: int, on_progress: OnProgress | None
) -> Iterator[Compared]:
    for n_done, item in enumerate(found, 1):
        if on_progress is not None:
            on_progress(n_done, n_total)
        yield item
