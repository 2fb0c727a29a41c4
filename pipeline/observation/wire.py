"""Snapshots and contexts as JSON text and back: what storage and replays need."""

import json
from collections.abc import Mapping
from dataclasses import fields
from datetime import datetime
from typing import Any, Final

from pipeline.observation.errors import ObservationError
from pipeline.observation.fragment import (
    ConfidenceOrigin,
    EntityRef,
    FragmentKind,
    SemanticFragment,
    ValueType,
    iso,
    tagged,
    untagged,
)
from pipeline.observation.inputs import Context
from pipeline.observation.privacy import entity_ref
from pipeline.observation.rules.model import RuleSet
from pipeline.observation.snapshot import SemanticSnapshot, align

_TIMES: Final = ("observed_at", "valid_at")
_NAMES: Final = tuple(field.name for field in fields(SemanticFragment))


def fragment_row(fragment: SemanticFragment) -> dict[str, Any]:
    """The fragment as JSON values, one key a field; dates tagged, times in ISO 8601."""
    row = {name: getattr(fragment, name) for name in _NAMES}
    row["value"] = tagged(fragment.value)
    row["entity"] = list(fragment.entity)
    row["words"] = dict(fragment.words)
    row["derived_from"] = list(fragment.derived_from)
    return row | {name: iso(getattr(fragment, name)) for name in _TIMES}


def fragment_from_row(row: Mapping[str, Any]) -> SemanticFragment:
    """The fragment that `fragment_row` wrote; its id is computed again.

    Raises:
        ObservationError: The row lacks a field or holds something impossible.
    """
    values = {name: row[name] for name in _NAMES if name != "fact_id" and name in row}
    try:
        values |= {name: _moment(row.get(name)) for name in _TIMES}
        values["value"] = untagged(row["value"])
        values["entity"] = EntityRef(*row["entity"])
        values["words"] = tuple(sorted(row["words"].items()))
        values["derived_from"] = tuple(row["derived_from"])
        values["kind"] = FragmentKind(row["kind"])
        values["confidence_origin"] = ConfidenceOrigin(row["confidence_origin"])
        values["value_type"] = ValueType(row["value_type"])
        return SemanticFragment(**values)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ObservationError(
            f"fact row: {type(error).__name__} {error}: expected what fragment_row writes; "
            "store the snapshot again"
        ) from error


def encode_snapshot(snapshot: SemanticSnapshot) -> str:
    """The snapshot as JSON text: equal snapshots give equal bytes."""
    rows = [fragment_row(fragment) for fragment in snapshot]
    return json.dumps(rows, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def decode_snapshot(text: str) -> SemanticSnapshot:
    """The snapshot that `encode_snapshot` wrote.

    Raises:
        ObservationError: The text is no such snapshot.
    """
    try:
        rows = json.loads(text)
    except ValueError as error:
        raise ObservationError(
            "snapshot: is no JSON: expected what encode_snapshot writes; store the snapshot again"
        ) from error
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ObservationError(
            "snapshot: is no list of rows: expected what encode_snapshot writes; "
            "store the snapshot again"
        )
    return align(fragment_from_row(row) for row in rows)


def encode_context(context: Context, rules: RuleSet) -> str:
    """What of a context reading depends on, as JSON text; sensitive ids as pseudonyms.

    The secret key is not in it and is not needed: pseudonyms stay themselves.
    """
    key = context.pseudonym_key
    primary = context.primary
    kinds = _context_kinds(rules)
    values = {
        name: entity_ref(rules, kinds[name], context.values[name], key).id
        for name in sorted(context.values.keys() & kinds.keys())
    }
    return json.dumps(
        {
            "query_time": iso(context.query_time),
            "intent": context.intent,
            "primary": None if primary is None else list(entity_ref(rules, *primary, key)),
            "values": values,
        },
        separators=(",", ":"),
    )


def decode_context(text: str) -> Context:
    """The context that `encode_context` wrote.

    Raises:
        ObservationError: The text is no such context.
    """
    try:
        row = json.loads(text)
        primary = row["primary"]
        return Context(
            query_time=_moment(row["query_time"]),
            intent=row["intent"],
            primary=None if primary is None else EntityRef(*primary),
            values={str(name): str(value) for name, value in row["values"].items()},
        )
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise ObservationError(
            "context: expected what encode_context writes; record the observation again"
        ) from error


def _context_kinds(rules: RuleSet) -> dict[str, str]:
    """The entity type that each context value which rules look at is an id of."""
    kinds = {r.context_key: r.type for r in rules.relations if r.context_key is not None}
    for tool in rules.tools:
        if tool.entity is not None:
            kinds |= dict.fromkeys(tool.entity.context_keys, tool.entity.type)
    return kinds


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
