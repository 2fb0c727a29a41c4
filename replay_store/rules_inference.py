"""Recorded answers of one tool, for drafting its rule file."""

from dataclasses import dataclass
from typing import Final

from replay_store.database import Database
from replay_store.statements import statement

MAX_OUTPUTS: Final = 2_000
"""Distinct answers that are read, the latest ones."""


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """One distinct answer of a tool."""

    body: str
    """As it was kept: JSON text, sensitive values masked."""
    contract_version: str | None
    n_occurrences: int
    last_time_ns: int | None


def recorded_answers(
    database: Database, tool_name: str, max_outputs: int = MAX_OUTPUTS
) -> list[RecordedAnswer]:
    """The distinct answers of a tool, the latest ones first; empty when none was recorded whole.

    Answers of failed calls are left out, and those of which only the beginning was kept.
    """
    rows = database.rows(
        statement("sql/rules_infer_outputs"), {"tool_name": tool_name, "max_outputs": max_outputs}
    )
    return [RecordedAnswer(**row) for row in rows]


def recorded_tools(database: Database) -> list[str]:
    """The tools of which answers were recorded, the most often recorded ones first."""
    return [row["tool_name"] for row in database.rows(statement("sql/rules_infer_tools"))]
