"""A store in memory and a builder that puts rows straight into its tables."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pyarrow as pa
import pytest

from metrics import Scope
from replay_store.database import Database
from tests.stores import memory_store

SECOND = 10**9
T0 = 1_700_000_000 * SECOND
ALL = Scope(T0, T0 + 10**6 * SECOND)

_TABLES = (
    "trace_open",
    "tool_call_open",
    "attempt_open",
    "decision_open",
    "guard_evaluation_open",
    "model_call_open",
    "span",
    "label",
    "audit_batch",
    "audit_item",
    "observation",
    "fact",
    "reread",
    "rule_pointer",
)


def trace_id(number: int) -> str:
    """The id of the n-th trace, as every interface shows it."""
    return f"{number:032x}"


class Store:
    """Rows by the few facts a test is about; times in seconds after T0, None for unknown."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._next_id = 0
        self._waiting: dict[str, list[dict[str, Any]]] = {}

    @property
    def database(self) -> Database:
        """The store, with every row so far."""
        for table, rows in self._waiting.items():
            self._write(table, rows)
        self._waiting = {}
        return self._database

    def clear(self) -> None:
        """Empty every table."""
        with self.database.transaction() as cursor:
            for table in _TABLES:
                cursor.execute(f"delete from {table}")

    def trace(
        self,
        number: int,
        *,
        start: float | None = 0,
        steps: int | None = 1,
        finished: bool = True,
        task: str | None = None,
        **values: Any,
    ) -> None:
        """One trace."""
        row: dict[str, Any] = {
            "trace_id": trace_id(number),
            "task_id": task or trace_id(number),
            "start_time_ns": _ns(start),
            "status": "ok" if finished else "unfinished",
            "is_finished": finished,
            "dialects": [],
            "models": [],
            "n_steps": steps,
            "longest_identical_run": 0,
            "last_received_time_ns": T0,
        }
        counts = (
            "n_spans n_root_spans n_orphan_spans n_error_spans n_logs n_noise n_llm_calls "
            "n_llm_errors n_tool_calls n_tool_errors n_retries n_guard_evaluations n_guard_hits"
        )
        self._insert("trace_open", row | dict.fromkeys(counts.split(), 0) | values)

    def call(
        self,
        number: int,
        index: int,
        *,
        start: float | None = 0,
        seconds: float | None = 1,
        status: str = "ok",
        attempts: int = 1,
        root: int | None = None,
        tool: str = "search",
        executed: bool = True,
        pseudo: bool = False,
        **values: Any,
    ) -> None:
        """One logical call, the head of its chain unless it has a root."""
        row = {
            "trace_id": trace_id(number),
            "call_index": index,
            "tool_name": tool,
            "is_pseudo": pseudo,
            "is_executed": executed,
            "start_time_ns": _ns(start),
            "end_time_ns": _end(start, seconds),
            "duration_ns": _duration(start, seconds),
            "hour": _hour(start),
            "status": status,
            "n_attempts": attempts,
            "retry_root": index if root is None else root,
            "head_trace_id": trace_id(number),
        }
        self._insert("tool_call_open", row | values)

    def attempt(
        self,
        number: int,
        index: int,
        attempt: int = 0,
        *,
        start: float | None = 0,
        seconds: float | None = 1,
        status: str = "ok",
        tool: str = "search",
        **values: Any,
    ) -> None:
        """One try of a call."""
        row = {
            "trace_id": trace_id(number),
            "call_index": index,
            "attempt_index": attempt,
            "span_id": self._new_id(),
            "tool_name": tool,
            "start_time_ns": _ns(start),
            "end_time_ns": _end(start, seconds),
            "duration_ns": _duration(start, seconds),
            "status": status,
        }
        self._insert("attempt_open", row | values)

    def model_call(
        self, number: int, *, start: float | None = 0, seconds: float | None = 1, **values: Any
    ) -> int:
        """One model call; returns its span id."""
        own_id = self._new_id()
        row = {
            "trace_id": trace_id(number),
            "span_id": own_id,
            "start_time_ns": _ns(start),
            "end_time_ns": _end(start, seconds),
            "duration_ns": _duration(start, seconds),
        }
        self._insert("model_call_open", row | values)
        return own_id

    def decision(
        self,
        number: int,
        turn: int = 0,
        call: int | None = 0,
        *,
        time: float | None = 0,
        tool: str = "search",
        pseudo: bool = False,
        **values: Any,
    ) -> None:
        """One decision."""
        row = {
            "trace_id": trace_id(number),
            "turn_index": turn,
            "call_index": call,
            "decision_id": str(UUID(int=self._new_id())),
            "time_ns": _ns(time),
            "hour": _hour(time),
            "tool_name": tool,
            "is_pseudo": pseudo,
        }
        self._insert("decision_open", row | values)

    def label(
        self,
        number: int,
        turn: int = 0,
        call: int | None = 0,
        *,
        label: str = "RIGHT",
        by: str = "ann",
        kind: str = "HUMAN",
        source: str = "audit",
        probability: float = 1.0,
        time: float | None = 0,
        batch: UUID | None = None,
    ) -> None:
        """One judgement of one decision."""
        identity = self._new_id()
        row = {
            "label_id": str(identity),
            "record_hash": identity,
            "trace_id": trace_id(number),
            "turn_index": turn,
            "call_index": call,
            "label": label,
            "annotator": by,
            "annotator_kind": kind,
            "source": source,
            "inclusion_probability": probability,
            "batch_id": None if batch is None else str(batch),
            "time_ns": _ns(time),
            "file_id": str(UUID(int=0)),
            "record_index": identity,
            "received_time_ns": T0,
        }
        self._insert("label", row)

    def draw(self, batch: UUID, *, tool: str | None = None) -> None:
        """One audit draw over the whole period."""
        row = {
            "batch_id": str(batch),
            "name": "draw",
            "start_time_ns": ALL.start_time_ns,
            "end_time_ns": ALL.end_time_ns,
            "tool_name": tool,
            "seed": 1,
            "n_frame": 1,
            "n_drawn": 1,
            "created_by": "ann",
            "created_time_ns": T0,
        }
        self._insert("audit_batch", row)

    def drawn(
        self,
        batch: UUID,
        number: int,
        turn: int = 0,
        call: int | None = 0,
        *,
        probability: float = 1.0,
    ) -> None:
        """One decision of an audit draw."""
        row = {
            "batch_id": str(batch),
            "position": self._new_id(),
            "trace_id": trace_id(number),
            "turn_index": turn,
            "call_index": call,
            "inclusion_probability": probability,
        }
        self._insert("audit_item", row)

    def guard(
        self,
        number: int,
        index: int = 0,
        *,
        time: float | None = 0,
        decision: str = "allow",
        rule: str | None = "danger",
        synthetic: bool = False,
        tool: str | None = "search",
    ) -> None:
        """One evaluation of one rule."""
        row = {
            "trace_id": trace_id(number),
            "evaluation_index": index,
            "time_ns": _ns(time),
            "rule": rule,
            "decision": decision,
            "is_hit": decision in {"block", "modify", "escalate"},
            "is_synthetic": synthetic,
            "tool_name": tool,
            "evidence": "attribute",
        }
        self._insert("guard_evaluation_open", row)

    def observation(
        self,
        number: int,
        *,
        time: float | None = 0,
        cells: int = 0,
        multi: int = 0,
        conflicts: int = 0,
        unknown: int = 0,
        confidence: float | None = None,
        parse_ms: float | None = None,
        noise_hits: int | None = None,
        tools: tuple[str, ...] = ("search",),
        span_id: int | None = None,
        version: int = 1,
        end: float | None = 1,
    ) -> int:
        """One version of an observation's span with its counts; returns its span id."""
        own_id = self._new_id() if span_id is None else span_id
        identity = {"trace_id": trace_id(number), "span_id": own_id, "record_hash": version}
        self._insert(
            "span",
            identity
            | {
                "name": "observe",
                "otel_kind": 1,
                "start_time_ns": _ns(time),
                "end_time_ns": _ns(end),
                "status_code": 0,
                "n_dropped": 0,
                "file_id": str(UUID(int=0)),
                "record_index": 0,
                "received_time_ns": T0 + version,
            },
        )
        counts = "n_outputs n_fragments n_unparsed n_failed n_empty n_degraded"
        row = {
            "time_ns": _ns(time),
            "tool_names": list(tools),
            "snapshot_hash": "hash",
            "n_cells": cells,
            "n_multi_source_cells": multi,
            "n_conflicts": conflicts,
            "n_unknown": unknown,
            "mean_confidence": confidence,
            "signals": [],
            "parse_ms": parse_ms,
            "n_noise_hit": noise_hits,
        }
        self._insert("observation", identity | dict.fromkeys(counts.split(), 0) | row)
        return own_id

    def fact(
        self,
        number: int,
        span_id: int,
        *,
        raw: str | None = None,
        kind: str = "UNKNOWN",
        fact_type: str = "STATUS",
        tool: str = "search",
        contract: str | None = None,
        variant: str = "clean",
        version: int = 1,
    ) -> None:
        """One fact of an observation."""
        row = {
            "trace_id": trace_id(number),
            "span_id": span_id,
            "record_hash": version,
            "variant": variant,
            "fact_id": str(self._new_id()),
            "entity_type": "order",
            "entity_id": "1",
            "fact_type": fact_type,
            "kind": kind,
            "confidence": 0.3,
            "confidence_origin": "rule",
            "source": f"{tool}.status",
            "tool_name": tool,
            "raw": raw,
            "contract_version": contract,
        }
        self._insert("fact", row)

    def reread(
        self,
        number: int,
        span_id: int,
        *,
        version: str,
        cells: int = 0,
        multi: int = 0,
        conflicts: int = 0,
        unknown: int = 0,
        confidence: float | None = None,
        created: int = 0,
    ) -> None:
        """What another dictionary makes of a recorded observation."""
        row = {
            "trace_id": trace_id(number),
            "span_id": span_id,
            "rule_version": version,
            "snapshot_hash": "hash",
            "n_cells": cells,
            "n_multi_source_cells": multi,
            "n_conflicts": conflicts,
            "n_unknown": unknown,
            "n_unparsed": 0,
            "mean_confidence": confidence,
            "created_time_ns": created,
        }
        self._insert("reread", row)

    def pointer(self, version: str, *, moved: int = 0, rule_set: str = "default") -> None:
        """Put a dictionary in force."""
        row = {
            "rule_set": rule_set,
            "version": version,
            "moved_by": "ann",
            "reason": "test",
            "moved_time_ns": moved,
        }
        self._insert("rule_pointer", row)

    def _new_id(self) -> int:
        self._next_id += 1
        return self._next_id

    def _insert(self, table: str, row: dict[str, Any]) -> None:
        self._waiting.setdefault(table, []).append(row)

    def _write(self, table: str, rows: list[dict[str, Any]]) -> None:
        names = list(dict.fromkeys(name for row in rows for name in row))
        columns = {name: [row.get(name) for row in rows] for name in names}
        listed = ", ".join(names)
        with self._database.transaction() as cursor:
            cursor.register("waiting", pa.table(columns))
            cursor.execute(f"insert into {table} ({listed}) select {listed} from waiting")


def _ns(seconds: float | None) -> int | None:
    return None if seconds is None else T0 + round(seconds * SECOND)


def _hour(seconds: float | None) -> int | None:
    time_ns = _ns(seconds)
    return None if time_ns is None else time_ns // 3_600_000_000_000


def _end(start: float | None, seconds: float | None) -> int | None:
    return None if start is None or seconds is None else _ns(start + seconds)


def _duration(start: float | None, seconds: float | None) -> int | None:
    is_real = start is not None and seconds is not None and seconds >= 0
    return round(seconds * SECOND) if is_real and seconds is not None else None


@pytest.fixture
def store() -> Iterator[Store]:
    """An empty migrated store."""
    with memory_store() as database:
        yield Store(database)


@pytest.fixture(scope="module")
def shared_store() -> Iterator[Store]:
    """One store for many generated examples; clear it before each."""
    with memory_store() as database:
        yield Store(database)
