"""What do tasks cost, and what does the list of tools take of every request?"""

from dataclasses import dataclass
from typing import Final

from metrics.statements import Row, Store, answer
from metrics.values import Scope

BYTES_A_TOKEN: Final = 3.5
"""An estimate where nothing counts tokens exactly, and said so."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Tokens and calls of the tasks of a scope. Means are None without tasks."""

    n_tasks: int
    """Tasks that show their tokens."""
    input_tokens: int
    """Cached ones included."""
    output_tokens: int
    cached_input_tokens: int
    n_tool_calls: int
    n_llm_calls: int
    p90_tokens: float | None
    """Of input and output together, a task."""
    p90_tool_calls: float | None
    n_requests: int
    """Model calls whose list of tools is visible."""
    catalogue_tokens: float | None
    """Mean tokens of that list a request, by `BYTES_A_TOKEN`; an estimate."""
    catalogue_share: float | None
    """Of the input tokens of these requests; an estimate."""

    @property
    def tokens_a_task(self) -> float | None:
        """Mean input and output tokens of a task."""
        total = self.input_tokens + self.output_tokens
        return total / self.n_tasks if self.n_tasks else None

    @property
    def tool_calls_a_task(self) -> float | None:
        """Mean tool calls of a task: what costs are charged by."""
        return self.n_tool_calls / self.n_tasks if self.n_tasks else None


def cost(database: Store, scope: Scope) -> Cost:
    """Tokens and calls a task, and what the catalogue takes of each request.

    Source: S3 §7.3: every superfluous word of the list of tools is paid for at each request.
    """
    row = answer(database, "cost", scope)[0]
    counts = {key: int(row[key] or 0) for key in _COUNTS}
    return Cost(
        **counts,
        p90_tokens=row["p90_tokens"],
        p90_tool_calls=row["p90_tool_calls"],
        catalogue_tokens=_tokens(row),
        catalogue_share=_share(row),
    )


_COUNTS: Final = (
    "n_tasks",
    "input_tokens",
    "output_tokens",
    "cached_input_tokens",
    "n_tool_calls",
    "n_llm_calls",
    "n_requests",
)


def _tokens(row: Row) -> float | None:
    if not row["n_requests"]:
        return None
    return float(row["n_catalogue_bytes"]) / BYTES_A_TOKEN / int(row["n_requests"])


def _share(row: Row) -> float | None:
    if not row["n_request_tokens"]:
        return None
    tokens = float(row["n_catalogue_bytes"]) / BYTES_A_TOKEN
    return tokens / float(row["n_request_tokens"])
