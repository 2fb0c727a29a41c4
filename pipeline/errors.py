"""The base of every error a user may read.

    ToolsightError
    ├── replay_store.errors.StoreError
    ├── ingest.errors.IngestError
    ├── metrics.errors.MetricError
    ├── pipeline.contracts.errors.ContractError
    ├── pipeline.execution.errors.ExecutionError
    ├── pipeline.planning.errors.PlanningError
    └── pipeline.observation.errors.ObservationError

A message reads `<where>: <what>: <expected>; <next step>`. Anything that is not a ToolsightError
is a bug and keeps its traceback.
"""

from collections.abc import Sequence


class ToolsightError(Exception):
    """A failure with a cause the user can act on."""


class ProblemsError(ToolsightError):
    """One input has several things wrong with it; a base for errors that name them all.

    Args:
        problems: One sentence for each, beginning with its field.
        where: The file; empty when nobody knows.
    """

    def __init__(self, problems: Sequence[str], where: str = "") -> None:
        place = f"{where}: " if where else ""
        super().__init__(f"{place}{'; '.join(problems)}")
        self.problems = tuple(problems)
