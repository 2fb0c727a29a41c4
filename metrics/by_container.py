"""What came in each kind of file, and what its own ground truth says of it."""

from collections import defaultdict
from dataclasses import dataclass

from metrics.statements import Row, Store, answer

_NS_PER_MS = 1_000_000


@dataclass(frozen=True, slots=True)
class ScoreSum:
    """The judgements of one name that came with the data."""

    name: str
    n: int
    n_values: int
    """Those that hold a number."""
    total: float | None
    """Sum of the numbers; None without any."""


@dataclass(frozen=True, slots=True)
class ContainerReport:
    """One container over the whole store, timed or not. None where the data do not show the number."""

    n_traces: int
    n_calls: int
    """Hand-offs included."""
    n_pseudo_calls: int
    """Hand-offs and final answers among them."""
    n_tools: int
    n_errors: int
    n_blocked: int
    n_retries: int
    """Calls that try a failed one of the same tool again, at most three calls later."""
    n_next_retries: int
    """Calls right after a failed one of the same tool."""
    n_next_retries_ok: int
    mean_turns: float | None
    """Answered model calls a trace, over the traces that show them."""
    n_expected: int
    """Calls that the test cases of its traces expect."""
    n_found: int
    """Of those, made with the right tool."""
    n_found_with_arguments: int
    n_judged: int
    """Decisions that ground truth judges: those of cases that tell everything that is right."""
    n_right_tool: int
    n_right_call: int
    """Tool and arguments."""
    n_timed_turns: int
    turn_p95_ms: float | None
    """Model calls with a reported time; interpolated between the nearest two."""
    scores: tuple[ScoreSum, ...]


def by_container(database: Store) -> dict[str, ContainerReport]:
    """A report for each container that files came in, by its name; empty for an empty store."""
    scores: dict[str, list[ScoreSum]] = defaultdict(list)
    for source, score in container_scores(database):
        scores[source].append(score)
    return {
        row["container"]: _report(row, tuple(scores[row["container"]]))
        for row in answer(database, "by_container")
    }


def container_scores(database: Store) -> list[tuple[str, ScoreSum]]:
    """One entry for each container and name of a score, in that order."""
    return [
        (row["source"], ScoreSum(row["name"], row["n"], row["n_values"], row["total"]))
        for row in answer(database, "container_scores")
    ]


def _report(row: Row, scores: tuple[ScoreSum, ...]) -> ContainerReport:
    counts = {name: int(value) for name, value in row.items() if name.startswith("n_")}
    n_turns, n_with_turns = counts.pop("n_turns"), counts.pop("n_with_turns")
    p95_ns = row["turn_p95_ns"]
    return ContainerReport(
        mean_turns=n_turns / n_with_turns if n_with_turns else None,
        turn_p95_ms=None if p95_ns is None else p95_ns / _NS_PER_MS,
        scores=scores,
        **counts,
    )
