"""The tools that recorded models were offered, as contracts."""

import json
from typing import Any, Final

from pipeline.contracts import Contract
from replay_store.database import Database
from replay_store.statements import statement

_NO_PARAMETERS: Final = {"type": "object", "properties": {}}


def offered_contracts(database: Database) -> list[Contract]:
    """Each tool as it was last on offer, by name; empty where no span shows an offer.

    Spans tell name, description and schema; what only a contract file declares stays undeclared.
    """
    rows = database.rows(statement("sql/offered_tools"))
    return [
        Contract(row["tool_name"], row["description"], _schema(row["input_schema"])) for row in rows
    ]


def _schema(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text or "null")
    except ValueError:
        return dict(_NO_PARAMETERS)
    return found if isinstance(found, dict) else dict(_NO_PARAMETERS)
