"""Which SQL a derive runs, in which order, and what a chunk may not need."""

from dataclasses import dataclass
from typing import Final

__all__ = ["NAMED", "STEPS", "Step"]


@dataclass(frozen=True, slots=True)
class Step:
    """Files beside this one that belong together.

    Each leaves or fills a temporary table, or fills a derived one.
    """

    names: tuple[str, ...]
    when: frozenset[str] = frozenset()
    """Facts of the chunk: where none of them holds these files would do nothing and are left out.
    Without any they always run."""
    look: str | None = None
    """A file that tells facts of what is there after these files, one a row."""


def _step(*names: str, when: str = "", look: str | None = None) -> Step:
    return Step(names, frozenset(when.split()), look)


STEPS: Final = (
    _step("steps/span", "steps/evidence", "steps/model", look="look/received"),
    _step("steps/lineage", when="spans_nested", look="look/nested"),
    _step("steps/said", when="answers_logged"),
    _step(
        "steps/fold",
        when="models_around answers_told_twice answers_untold linked_by_same",
    ),
    _step("steps/turn"),
    _step("steps/inner", when="spans_nested linked_by_mcp"),
    _step("steps/request", "steps/execution", "steps/pair_by_id", look="look/paired"),
    _step(
        "steps/pair_by_arguments",
        "steps/pair_by_turn",
        "steps/pair_by_order",
        when="calls_unpaired",
    ),
    _step("steps/attempt", when="attempts_told"),
    _step("steps/call", look="look/called"),
    _step("steps/retry", when="calls_failed"),
    _step("steps/count_calls"),
    _step("steps/count_repeats", when="calls_repeated"),
    _step(
        "steps/evaluation",
        "steps/count_guards",
        "guard_evaluation",
        when="guards_beside calls_blocked",
    ),
    _step("steps/count_logs", when="logs_beside answers_logged"),
    _step("steps/count_noise", when="noise_beside"),
    _step("tool_call", "attempt", "decision", "model_call", "steps/shown", "trace"),
    _step("call_retry", when="calls_failed calls_attempted"),
    _step("observed", when="observations_made"),
)
"""First what temporary tables tell of the chosen traces, then the rows of the derived tables."""

NAMED: Final = _step("rollup/named", when="tasks_told linked")
"""After them: the traces that a derived one names as its task."""
