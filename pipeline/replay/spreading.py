"""Cases spread over processes: what is worked out on this machine gains by every core, by threads not.

Processes are begun anew (`spawn`): a copy of a process that has threads, such as a server, may hang.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from multiprocessing.reduction import ForkingPickler
from typing import Final

from pipeline.replay.case import Case
from pipeline.replay.choosers.endpoint import EndpointChooser
from pipeline.replay.outcome import Compared, Outcome
from pipeline.replay.setup import Setup, play

__all__ = ["MANY", "spread", "why_not_spread"]

MANY: Final = 2_000
"""Cases from which on processes are worth being begun: each costs about a second, a case by both
setups 3 ms."""
_CHUNK: Final = 50
_setups: list[tuple[Setup, Setup]] = []
"""In a worker, the two setups of all its cases; each is sent once."""


def why_not_spread(cases: Sequence[Case], *setups: Setup) -> str | None:
    """Why cases are better played in threads, as a sentence; None when processes are worth it.

    Empty where there is nothing to tell: few cases, or a chooser that is waited for.
    """
    if len(cases) < MANY or any(isinstance(s.chooser, EndpointChooser) for s in setups):
        return ""
    for setup in setups:
        try:
            ForkingPickler.dumps(setup)
        except Exception as error:  # noqa: BLE001 - a function or object of the user may raise any
            return _sentence(setup, error)
    return None


def _sentence(setup: Setup, error: Exception) -> str:
    return (
        f"{setup.name}: cannot be sent to other processes ({type(error).__name__}): "
        "cases are played in threads of this one; name a function as module:function to use all cores"
    )


def spread(
    cases: Sequence[Case], before: Setup, after: Setup, n_processes: int
) -> Iterator[Compared]:
    """Each case by both setups, in the order given; what a function raises is raised here."""
    with ProcessPoolExecutor(
        n_processes, get_context("spawn"), initializer=_begin, initargs=(before, after)
    ) as pool:
        outcomes = pool.map(_pair, cases, chunksize=_CHUNK)
        for case, (left, right) in zip(cases, outcomes, strict=True):
            yield Compared(case, left, right)


def _begin(before: Setup, after: Setup) -> None:
    _setups[:] = [(before, after)]


def _pair(case: Case) -> tuple[Outcome, Outcome]:
    """Only what came out goes back: the case is known there."""
    before, after = _setups[0]
    return play(case, before), play(case, after)
