"""The parts of a case as recorded rows give them: what was given, offered, chosen and answered."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

import orjson

from pipeline.replay import Chosen, Offered, Passage, Recorded
from pipeline.vocabulary import NO_CALL
from replay_store.audit_context import ItemContext
from replay_store.database import Database
from replay_store.saw import RawRecord, RecordedObservation
from replay_store.statements import statement

TITLE_CHARS: Final = 60


def chosen_of(row: Mapping[str, Any], context: ItemContext) -> Chosen:
    """What one decision chose, its arguments as far as the trace shows them."""
    if context.chosen is None:
        return Chosen(NO_CALL)
    return Chosen(str(row["tool_name"]), json_object(context.chosen.arguments))


def given(context: ItemContext) -> tuple[Passage, ...]:
    """What the model was given, oldest first."""
    return tuple(
        Passage(item.role, item.text, _kind(item.kind), item.name) for item in context.conversation
    )


def _kind(text: str) -> Any:
    return text if text in ("call", "answer") else "text"


def offered(context: ItemContext) -> tuple[Offered, ...]:
    """The tools on offer, in their order."""
    return tuple(
        Offered(tool.tool_name, tool.description, json_object(tool.input_schema))
        for tool in context.offered
    )


def asked(context: ItemContext) -> str | None:
    """The beginning of the user's last words; None when the trace shows none."""
    words = [item.text for item in context.conversation if item.role in ("user", "human")]
    return words[-1][:TITLE_CHARS] if words else None


def json_object(text: str | None) -> dict[str, Any] | None:
    """The object that a text holds as JSON; None when it holds none."""
    if text is None:
        return None
    try:
        value = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    return value if isinstance(value, dict) else None


def recorded_output(raw: RawRecord) -> Recorded:
    """One raw output as a case holds it."""
    seen = raw.occurrence
    return Recorded(
        tool=raw.output.tool_name,
        body=_value(raw.output.body),
        version=raw.output.contract_version,
        received_at=seen.received_time_text,
        error=seen.error_class,
        degradation=seen.degradation,
    )


def _value(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return text


def answers(
    database: Database, trace_id: str, observed: Sequence[RecordedObservation]
) -> Iterator[Recorded]:
    """What each call answered; of those that an observation read, as it read them."""
    read = [recorded_output(raw) for item in observed for raw in item.raw]
    for row in database.rows(statement("sql/replay_answers"), {"trace_id": trace_id}):
        output = next((item for item in read if item.tool == row["tool_name"]), None)
        arguments = json_object(row["arguments"])
        if output is not None:
            read.remove(output)
            yield replace(output, arguments=arguments)
        else:
            yield Recorded(
                tool=row["tool_name"],
                body=None if row["result"] is None else _value(row["result"]),
                arguments=arguments,
                version=row["contract_version"],
                received_at=_iso(row["end_time_ns"]),
                error=row["error_type"],
                degradation=row["degradation"],
            )


def _iso(time_ns: int | None) -> str | None:
    return None if time_ns is None else datetime.fromtimestamp(time_ns // 10**9, UTC).isoformat()
