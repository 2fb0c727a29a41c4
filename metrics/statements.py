"""SQL texts of this package: read once, asked with exactly the parameters they name."""

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Protocol, runtime_checkable

from metrics.values import Scope

Row = dict[str, Any]


class Store(Protocol):
    """What answers SQL: an open `replay_store.Database`, or a memory of one."""

    def rows(self, sql: str, parameters: Mapping[str, Any] | None = None) -> list[Row]:
        """The answer as dictionaries, one a row, in the order of the query."""


@runtime_checkable
class Answering(Protocol):
    """A store that knows some answers otherwise."""

    def answer_of(self, name: str, scope: Scope, given: Mapping[str, Any]) -> list[Row] | None:
        """The rows of a statement; None to ask it as it is."""


@cache
def statement(name: str) -> str:
    """The text of `metrics/sql/<name>.sql`; `name` may hold a folder, such as `behind/retry_rate`."""
    return (files(__package__) / "sql" / f"{name}.sql").read_text(encoding="utf-8")


@cache
def parameter_names(name: str) -> frozenset[str]:
    """The `$name` parameters of a statement, head comment left out."""
    code = re.sub(r"--.*", "", statement(name))
    return frozenset(re.findall(r"\$(\w+)", code))


def answer(database: Store, name: str, scope: Scope | None = None, **extra: object) -> list[Row]:
    """The rows of a statement within a scope.

    Args:
        database: The store.
        name: The statement.
        scope: Its period and filters; without one every `$` of a scope is NULL, which such a
            statement reads as no bound.
        extra: Its other parameters; those that it does not name are dropped.
    """
    given = _scope_parameters(scope) | extra
    if scope is not None and isinstance(database, Answering):
        known = database.answer_of(name, scope, given)
        if known is not None:
            return known
    return database.rows(statement(name), {key: given[key] for key in parameter_names(name)})


def _scope_parameters(scope: Scope | None) -> dict[str, object]:
    return {
        "before_time_ns": scope.before().start_time_ns if scope else None,
        "start_time_ns": scope.start_time_ns if scope else None,
        "end_time_ns": scope.end_time_ns if scope else None,
        "tool_name": scope.tool_name if scope else None,
        "agent_name": scope.agent_name if scope else None,
    }
