"""Which rows a question reads: the tables by its text, the traces by its named parameters.

The names of parameters mean the same in every text: `start_time_ns` and `end_time_ns` are a period,
`before_time_ns` is where the one before it begins, `*_hour` the same in hours, `trace_id` and
`trace_ids` name traces, `task_id` and `session_id` what they belong to. A question that names none of
them reads everything.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

from replay_store.database import Database

__all__ = ["Catalogue", "Need", "Period"]

HOUR_NS: Final = 3_600_000_000_000

EVERY_ROW: Final = "/* every row */"
"""In a text: its period only chooses among answers that are found from everything there is."""

EXTREMES: Final = "/* extremes */"
"""In a text: of all rows it reads only the earliest and the latest."""

_READ: Final = re.compile(r"\b(?:from|join)[\s(]+(?:\w+\.)*\"?([a-z_]+)", re.IGNORECASE)
_CALLED: Final = re.compile(r"\b([a-z_]+)\s*\(", re.IGNORECASE)
_COMMENT: Final = re.compile(r"--.*")
_NAMED: Final = ("task_id", "session_id")
_ID: Final = re.compile(r"[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}", re.IGNORECASE)


_TABLES: Final = "select table_name as name from duckdb_tables() where database_name = 'store'"
_TEXTS: Final = """
select view_name as name, sql as text
from duckdb_views()
where database_name = 'store'
union all
select function_name as name, macro_definition as text
from duckdb_functions()
where database_name = 'store'
    and function_type in ('macro', 'table_macro')
"""


@dataclass(frozen=True, slots=True)
class Period:
    """From a moment to another; None where it has no beginning, or no end."""

    start_ns: int | None
    """Inclusive."""
    end_ns: int | None
    """Exclusive."""


@dataclass(frozen=True, slots=True)
class Need:
    """Which rows must be present before a question is asked."""

    tables: frozenset[str]
    """Base tables that it reads."""
    trace_ids: tuple[str, ...] | None = None
    """Only of these traces, lower hex; together with those of the period where there is one. None:
    not only of some."""
    period: Period | None = None
    """Only of traces that belong to it; None: of any time."""
    named: tuple[tuple[str, str], ...] = ()
    """Only of traces with these values of these columns; asked where neither traces nor a period are."""
    is_extreme: bool = False
    """Whether the earliest and the latest rows are enough."""


@dataclass(frozen=True, slots=True)
class Catalogue:
    """What the store's schema says of its relations."""

    tables: frozenset[str]
    """Base tables."""
    texts: Mapping[str, str]
    """Text of each view and macro, by its name."""
    _read: dict[str, frozenset[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, database: Database) -> "Catalogue":
        """The schema of an open store."""
        tables = database.rows(_TABLES)
        texts = database.rows(_TEXTS)
        return cls(
            frozenset(row["name"] for row in tables), {row["name"]: row["text"] for row in texts}
        )

    def need(self, sql: str, parameters: Mapping[str, Any]) -> Need:
        """What a question with these parameters reads; never less than it does."""
        tables = self.read(sql)
        if EXTREMES in sql:
            return Need(tables, is_extreme=True)
        period = None if EVERY_ROW in sql else _period(parameters)
        trace_ids = _trace_ids(parameters)
        is_bounded = period is not None or trace_ids is not None
        return Need(tables, trace_ids, period, () if is_bounded else _named(parameters))

    def read(self, sql: str) -> frozenset[str]:
        """The base tables that a text reads, through views and macros too."""
        known = self._read.get(sql)
        if known is None:
            known = self._read[sql] = frozenset(self._base_tables(sql, set()))
        return known

    def _base_tables(self, sql: str, seen: set[str]) -> Iterable[str]:
        code = _COMMENT.sub("", sql)
        for name in {*map(str.lower, _READ.findall(code)), *map(str.lower, _CALLED.findall(code))}:
            if name in self.tables:
                yield name
            elif name in self.texts and name not in seen:
                seen.add(name)
                yield from self._base_tables(self.texts[name], seen)


def _period(parameters: Mapping[str, Any]) -> Period | None:
    start = parameters.get("before_time_ns", parameters.get("start_time_ns"))
    end = parameters.get("end_time_ns")
    named = [value for name, value in parameters.items() if name.endswith("_hour")]
    hours = [hour for hour in named if hour is not None]
    if hours:
        start, end = min(hours) * HOUR_NS, max(hours) * HOUR_NS
    return None if start is None and end is None else Period(start, end)


def _named(parameters: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (name, str(parameters[name])) for name in _NAMED if parameters.get(name) is not None
    )


def _trace_ids(parameters: Mapping[str, Any]) -> tuple[str, ...] | None:
    """What is no id names no trace."""
    one, several = parameters.get("trace_id"), parameters.get("trace_ids")
    if one is None and several is None:
        return None
    named = {str(each) for each in (several or () if one is None else [one])}
    return tuple(sorted(UUID(text).hex for text in named if _ID.fullmatch(text)))
