"""AgentRx failure labels: which step of a trajectory failed, how, and which failure was the cause.

`trajectory_id` is the tau-bench task or the Magentic-One question; `step_number` counts messages
from one.
"""

from collections.abc import Iterator
from typing import Any, Final

from ingest.containers.benchmarks.tau_bench import AGENTRX
from ingest.containers.drafts import Draft, Format, ScoreDraft, each, keys_sign
from ingest.containers.fields import obj, objects, txt, whole
from ingest.errors import Reason, RecordError
from ingest.kinds import Container

FAILURE: Final = "failure"
"""Name of the score of a failed step."""
ROOT_CAUSE: Final = "root_cause"
sign = keys_sign("trajectory_id", "failures")


def read_labels(value: Any) -> Iterator[Draft]:
    """One score a failure, and one for the root cause."""
    row = obj(value)
    trajectory = txt(row.get("trajectory_id"))
    if trajectory is None or not isinstance(row.get("failures"), list):
        raise RecordError(
            Reason.SHAPE,
            "no failure labels: expected trajectory_id and failures (a list); remove the item",
        )
    case = f"{AGENTRX}/{trajectory}"
    cause = obj(row.get("root_cause"))
    for failure in objects(row["failures"]):
        yield _score(FAILURE, case, failure, txt(failure.get("step_reason")))
        if failure.get("failure_id") == cause.get("failure_id") is not None:
            yield _score(ROOT_CAUSE, case, failure, txt(cause.get("reason_for_root_cause")))


def _score(name: str, case: str, failure: Any, explanation: str | None) -> ScoreDraft:
    return ScoreDraft(
        name,
        case_id=case,
        step=whole(failure.get("step_number")),
        label=txt(failure.get("failure_category")),
        explanation=explanation,
        annotator=txt(failure.get("failed_agent")),
    )


FORMAT: Final = Format(Container.AGENTRX_LABELS, "AgentRx failure labels", sign, each(read_labels))
