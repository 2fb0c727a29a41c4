"""A draft dictionary against recorded raw outputs: what the model would have read instead.

Counts only; whether a change is good is for people and for gates to say. Every distinct input is
read once by each rule set and weighted by how often it occurred.
"""

from collections.abc import Callable

from pipeline.observation import EstimatedTokens, RuleSet, TokenCounter
from replay_store.backtest_compare import Comparison
from replay_store.backtest_frame import (
    FrameFilter,
    distinct_inputs,
    recorded_inputs,
    removed_traces,
)
from replay_store.backtest_impact import Impact
from replay_store.backtest_tally import Tally
from replay_store.database import Database

REPORT_EVERY = 25
"""Inputs between two reports of progress."""

OnProgress = Callable[[int, int], None]
"""Inputs read, and inputs to read."""


def backtest(
    database: Database,
    base: RuleSet,
    draft: RuleSet,
    *,
    start_time_ns: int | None = None,
    end_time_ns: int | None = None,
    tool_name: str | None = None,
    received_since_ns: int | None = None,
    base_version: str | None = None,
    counter: TokenCounter | None = None,
    on_progress: OnProgress | None = None,
) -> Impact:
    """How the draft would have changed facts and prompts of recorded observations.

    Nothing is stored. Noise is not made again: clean readings are compared.

    Args:
        database: The store.
        base: The rules to compare with, usually those in force.
        draft: The rules to try.
        start_time_ns: Earliest observation, inclusive; None from the first one.
        end_time_ns: Latest observation, exclusive; None to the newest one.
        tool_name: Only observations that were given an output of this tool.
        received_since_ns: Only observations that arrived then or later; None for all.
        base_version: Whole name of the base's version: cells of what reads the same are counted as
            it read them; as they were recorded when None.
        counter: Counts the tokens of prompts; the estimate when None.
        on_progress: Called before the first input, every few inputs, and at the end; what it raises
            ends the back-test.
    """
    tools = None if tool_name is None else (tool_name,)
    wanted = FrameFilter(
        start_time_ns,
        end_time_ns,
        tools,
        received_since_ns=received_since_ns,
        counted_by=base_version,
    )
    inputs = distinct_inputs(database, wanted)
    tally = Tally(base, draft, inputs)
    compare = Comparison(base, draft, counter or EstimatedTokens())
    readable = [item for item in inputs if item.has_raw]
    _tell(on_progress, 0, len(readable))
    for index, (item, recorded) in enumerate(recorded_inputs(database, readable), 1):
        pair = compare.pair(item, recorded)
        if pair is None:
            tally.add_same(item)
        else:
            tally.add(item, pair)
        _tell(on_progress, index, len(readable))
    n_removed = removed_traces(database, start_time_ns, end_time_ns)
    return tally.impact(compare.counter.name, compare.parse_ms, n_removed)


def _tell(on_progress: OnProgress | None, n_done: int, n_total: int) -> None:
    if on_progress is not None and (n_done % REPORT_EVERY == 0 or n_done == n_total):
        on_progress(n_done, n_total)
