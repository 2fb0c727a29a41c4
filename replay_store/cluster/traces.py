"""Tables whose rows belong to traces: which traces a question needs, and which of them are missing here."""

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, Final

from replay_store.cluster.answers import Answers
from replay_store.cluster.closure import OWN_TIME, having, in_period, placed_outside
from replay_store.cluster.contract import ARRIVED, DERIVED, OPEN_TRACE
from replay_store.cluster.copy import SPLIT, Part
from replay_store.cluster.needs import Need, Period
from replay_store.cluster.saved import TOGETHER, Saved, listed, slices
from replay_store.errors import EngineTooMuchError

__all__ = ["OF_TRACES", "Traces"]

OF_TRACES: Final = frozenset({*ARRIVED, *DERIVED})

_IS_OPEN: Final = f"trace_id global in (select trace_id from {OPEN_TRACE})"  # noqa: S608 - names of our own
_EVERY: Final = "1 = 1"
_LOOSE: Final = frozenset({"span_log", "noise_log"})
"""Tables with rows of no trace."""

Ask = Callable[[str], list[dict[str, Any]]]
Versions = dict[str, int]
"""Of traces, by id."""


class Traces:
    """Knows of which traces rows are here, and in which version.

    Args:
        answers: Of the cluster.
        ask: Asks the local store.
        most: Traces that one question may need.
    """

    def __init__(self, answers: Answers, ask: Ask, most: int) -> None:
        self._answers = answers
        self._ask = ask
        self._most = most
        self._versions: Versions = {}
        self._held: dict[str, set[str]] = {table: set() for table in OF_TRACES}
        self._stale: dict[str, set[str]] = {table: set() for table in OF_TRACES}
        self._coming: dict[str, Collection[str]] = {}

    @property
    def n_held(self) -> int:
        """Of how many traces anything is here."""
        return len(self._versions)

    def parts(self, need: Need, tables: Collection[str], saved: Saved) -> Iterator[Part]:
        """What has to change in these tables; it counts as done with `keep`."""
        self._coming.clear()
        if not tables:
            return
        is_open = {table for table in tables if _is_only_open(table, need.tables)}
        if is_open:
            yield from self._parts(is_open, self._noted(_IS_OPEN), _IS_OPEN, saved)
        if others := {*tables} - is_open:
            wanted, condition = self._wanted(need, others)
            yield from self._parts(others | {"trace"}, wanted, condition, saved)
            yield from self._loose_parts(need, others, saved)

    def keep(self) -> None:
        """What was last asked for is here now."""
        for table, trace_ids in self._coming.items():
            self._held[table].update(trace_ids)
            self._stale[table].clear()
        self._coming.clear()

    def _wanted(self, need: Need, tables: Collection[str]) -> tuple[Versions, str | None]:
        """The traces that a question needs, and what they have in common; None: only their names."""
        if need.is_extreme:
            return self._extremes(tables), None
        named = need.trace_ids or ()
        wanted: Versions = {}
        for ids in slices(named, TOGETHER):
            wanted |= self._noted(f"trace_id in ({listed(ids)})")
        if need.period is None and need.trace_ids is not None:
            self._drop({_dashed(each) for each in named} - wanted.keys())
            return wanted, None
        read = {*tables, *need.tables}
        condition = _condition(need, read, is_cluster=True)
        wanted |= self._noted(condition)
        here = self._ids_here(_condition(need, read, is_cluster=False))
        self._drop(here - wanted.keys())
        return wanted, None if named else condition

    def _extremes(self, tables: Collection[str]) -> Versions:
        """The traces of the earliest and the latest row of each table."""
        ids: set[str] = set()
        for table in sorted({*tables} & OWN_TIME.keys()):
            column = OWN_TIME[table]
            ends = [
                row
                for order in ("asc", "desc")
                for row in self._answers.rows(
                    f"select toString(trace_id) as id, {column} as time_ns from {table} "  # noqa: S608 - names of our own
                    f"where {column} is not null and trace_id is not null order by {column} {order} limit 1"
                )
            ]
            if ends:
                outside = placed_outside(table, ends[0]["time_ns"], ends[-1]["time_ns"])
                self._drop(self._ids_here(outside, table))
            ids.update(row["id"] for row in ends)
        return self._noted(f"trace_id in ({listed(sorted(ids))})") if ids else {}

    def _noted(self, condition: str) -> Versions:
        """The versions of the traces that meet a condition; what is here of another is not held any more.

        Raises:
            EngineTooMuchError: They are more than a question may need.
        """
        rows = self._answers.rows(
            "select toString(trace_id) as id, sum(ship_version) as version from trace "  # noqa: S608 - names of our own
            f"where {condition} group by trace_id limit {self._most + 1:d}"
        )
        if len(rows) > self._most:
            raise EngineTooMuchError(
                f"{self._answers.url.place}: the question reads more than {self._most:,} traces row by row: "
                "expected what one machine reads at once; narrow the time range, or raise "
                "TOOLSIGHT_ENGINE_TRACES"
            )
        found: Versions = {row["id"]: row["version"] for row in rows}
        self._outdate(
            trace_id
            for trace_id, version in found.items()
            if self._versions.get(trace_id, version) != version
        )
        self._versions |= found
        return found

    def _drop(self, trace_ids: Collection[str]) -> None:
        """Traces that are not where they were any more; with a shard away nobody knows."""
        if not self._answers.is_partial:
            self._outdate(trace_ids)
            for trace_id in trace_ids:
                self._versions.pop(trace_id, None)

    def _outdate(self, trace_ids: Iterable[str]) -> None:
        outdated = {*trace_ids}
        for table, held in self._held.items():
            self._stale[table] |= held & outdated
            held -= outdated

    def _ids_here(self, condition: str, table: str = "trace") -> set[str]:
        rows = self._ask(f"select distinct trace_id::varchar as id from {table} where {condition}")  # noqa: S608 - names of our own
        return {row["id"] for row in rows if row["id"] is not None}

    def _parts(
        self, tables: Collection[str], wanted: Versions, condition: str | None, saved: Saved
    ) -> Iterator[Part]:
        for table in sorted(tables):
            missing = wanted.keys() - self._held[table]
            gone = set(self._stale[table])
            if len(missing) > TOGETHER and condition is not None:
                gone |= wanted.keys()
                files = [saved.rows_of(table, _of(condition))]
            else:
                files = [
                    saved.rows_of(table, f"ship_unit in ({listed(ids)})")
                    for ids in slices(sorted(missing), TOGETHER)
                ]
            self._coming[table] = missing
            if files or gone:
                yield Part(table, files, trace_ids=gone)

    def _loose_parts(self, need: Need, tables: Collection[str], saved: Saved) -> Iterator[Part]:
        """Rows of no trace, anew each time: what names traces does not read them."""
        if need.period is None and need.trace_ids is not None:
            return
        for table in sorted({*tables} & _LOOSE):
            where = f"trace_id is null and {_within(table, need.period)}"
            yield Part(table, [saved.rows_of(table, where)], where=where)


def _condition(need: Need, tables: Collection[str], *, is_cluster: bool) -> str:
    """Which rows of `trace` a question needs that does not name traces alone."""
    if need.period is not None:
        return in_period(need.period, tables, is_cluster=is_cluster)
    return having(need.named, is_cluster=is_cluster) if need.named else _EVERY


def _of(condition: str) -> str:
    """The condition on rows of any table of traces, from that on rows of `trace`."""
    if condition in {_IS_OPEN, _EVERY}:
        return condition
    return f"trace_id global in (select trace_id from trace where {condition})"  # noqa: S608 - names of our own


def _within(table: str, period: Period | None) -> str:
    if period is None:
        return "1 = 1"
    column = OWN_TIME[table]
    bounds = [f"{column} >= {period.start_ns:d}"] if period.start_ns is not None else []
    bounds += [f"{column} < {period.end_ns:d}"] if period.end_ns is not None else []
    return f"({column} is null or ({' and '.join(bounds)}))"


def _is_only_open(table: str, read: Collection[str]) -> bool:
    """Whether of a table only the half of open traces is read."""
    return table in SPLIT and f"{table}_sealed" not in read


def _dashed(trace_id: str) -> str:
    return listed([trace_id]).strip("'")
