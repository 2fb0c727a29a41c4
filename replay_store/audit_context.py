"""What a rater must see to judge a decision: everything up to it, nothing of how it went on.

Knowing the outcome of a choice changes how people judge it; it is a question of its own, to be
asked after the label. All texts come from traces and may be hostile.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final
from uuid import UUID

import orjson

from pipeline.vocabulary import NO_CALL, SelectionLabel
from replay_store.audit_messages import Passage, input_passages, output_texts
from replay_store.database import Database
from replay_store.errors import AuditError
from replay_store.records import OfferedTool
from replay_store.statements import statement

_NO_CATALOGUE: Final[tuple[OfferedTool, ...]] = ()


@dataclass(frozen=True, slots=True)
class Choice:
    """One call that a turn asked for."""

    tool_name: str
    arguments: str | None
    """As the model wrote them; None when the trace does not show them."""


@dataclass(frozen=True, slots=True)
class ItemContext:
    """One decision as the model faced it, and what it chose."""

    position: int
    is_stored: bool
    """False when the store no longer holds the decision; then everything else is empty."""
    chosen: Choice | None = None
    """None when the model asked for no call."""
    beside: tuple[Choice, ...] = ()
    """Other calls of the same turn, asked for at the same time."""
    said: str | None = None
    """The text of the turn itself."""
    conversation: tuple[Passage, ...] = ()
    """Instructions, requests, earlier calls and their answers, oldest first."""
    offered: tuple[OfferedTool, ...] = _NO_CATALOGUE
    """Empty when the trace does not show what was on offer."""
    is_offered: bool | None = None
    """Whether the chosen tool was on offer; None when the offer is not visible."""
    model: str | None = None
    agent_name: str | None = None
    time_ns: int | None = None


@dataclass(frozen=True, slots=True)
class ItemOutcome:
    """How a decision went on. Shown only after the label."""

    trace_status: str | None
    call_status: str | None
    """None when it became no call: the model asked for none."""
    is_executed: bool | None
    error_type: str | None
    error_message: str | None
    result: str | None
    """The beginning of what came back."""
    n_attempts: int | None
    duration_ns: int | None
    verdicts: tuple[tuple[str, SelectionLabel], ...] = ()
    """What rules and models say of the decision, by their names."""


def item_context(database: Database, batch_id: UUID, position: int) -> ItemContext:
    """What a rater sees of one item.

    Raises:
        AuditError: The batch has no such item.
    """
    found = item_contexts(database, batch_id, position, position + 1)
    if not found:
        raise AuditError(f"audit: batch {batch_id}: no item {position}; choose another")
    return found[0]


def item_contexts(
    database: Database, batch_id: UUID, first: int, end: int
) -> tuple[ItemContext, ...]:
    """What a rater sees of the items from `first` to before `end`, by position."""
    wanted = {"batch_id": batch_id, "position": None}
    held = [row["position"] for row in database.rows(statement("sql/audit_items"), wanted)]
    rows = database.rows(
        statement("sql/audit_decisions"), {"batch_id": batch_id, "first": first, "end": end}
    )
    found = {context.position: context for context in decision_contexts(database, rows)}
    return tuple(
        found.get(at, ItemContext(at, is_stored=False)) for at in held if first <= at < end
    )


def decision_contexts(
    database: Database, rows: Sequence[Mapping[str, Any]]
) -> Iterator[ItemContext]:
    """The context of each decision, from rows with the columns of `audit_decisions.sql`."""
    offered = _catalogues(database, rows)
    return (_context(database, row, offered) for row in rows)


def item_outcome(database: Database, batch_id: UUID, position: int) -> ItemOutcome:
    """How the decision of one item went on.

    Raises:
        AuditError: The batch has no such item.
    """
    row = database.row(statement("sql/audit_outcome"), {"batch_id": batch_id, "position": position})
    if row is None:
        raise AuditError(f"audit: batch {batch_id}: no item {position}; choose another")
    result = row.pop("result_preview")
    said = database.rows(
        statement("sql/audit_verdicts"), {"batch_id": batch_id, "position": position}
    )
    verdicts = tuple((each["annotator"], SelectionLabel(each["label"])) for each in said)
    return ItemOutcome(**row, result=result, verdicts=verdicts)


def _catalogues(
    database: Database, rows: Iterable[Mapping[str, Any]]
) -> Mapping[int, tuple[OfferedTool, ...]]:
    hashes = sorted({row["catalogue_hash"] for row in rows if row["catalogue_hash"] is not None})
    found: dict[int, list[OfferedTool]] = {}
    for row in database.rows(statement("sql/audit_offered"), {"catalogue_hashes": hashes}):
        found.setdefault(row["catalogue_hash"], []).append(OfferedTool(**row))
    return {key: tuple(tools) for key, tools in found.items()}


def _context(
    database: Database,
    row: Mapping[str, Any],
    offered: Mapping[int, tuple[OfferedTool, ...]],
) -> ItemContext:
    attributes = orjson.loads(row["attributes"]) if row["attributes"] else {}
    context = ItemContext(
        position=row["position"],
        is_stored=True,
        said=output_texts(attributes) or row["output_preview"],
        conversation=input_passages(attributes),
        offered=offered.get(row["catalogue_hash"], _NO_CATALOGUE),
        is_offered=row["is_offered"],
        model=row["model"],
        agent_name=row["agent_name"],
        time_ns=row["time_ns"],
    )
    requests = _requests(database, row)
    if row["tool_name"] == NO_CALL:
        return context
    at = _chosen_index(row, requests)
    if at is None:
        return replace(context, chosen=Choice(row["tool_name"], None))
    choices = [Choice(item["tool_name"], item["arguments"]) for item in requests]
    return replace(
        context,
        chosen=replace(choices[at], tool_name=row["tool_name"]),
        beside=(*choices[:at], *choices[at + 1 :]),
    )


def _requests(database: Database, row: Mapping[str, Any]) -> list[dict[str, Any]]:
    if row["record_hash"] is None:
        return []
    return database.rows(
        statement("sql/audit_requests"),
        {
            "trace_id": row["trace_id"],
            "span_id": row["llm_span_id"],
            "record_hash": row["record_hash"],
        },
    )


def _chosen_index(row: Mapping[str, Any], requests: Sequence[Mapping[str, Any]]) -> int | None:
    """Which request of the turn the decision is: by id, else by tool and arguments, else by order."""
    if row["tool_call_id"] is not None:
        for at, request in enumerate(requests):
            if request["tool_call_id"] == row["tool_call_id"]:
                return at
    same = [
        at
        for at, request in enumerate(requests)
        if request["tool_name"] == row["tool_name"]
        and request["arguments_hash"] == row["arguments_hash"]
    ]
    if row["call_index"] in same or not same:
        return row["call_index"] if row["call_index"] in same else None
    return same[0]
