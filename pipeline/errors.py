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


class ToolsightError(Exception):
    """A failure with a cause the user can act on."""
