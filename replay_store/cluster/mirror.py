"""Brings the rows of the cluster that a question reads and that are not here yet.

Rows of traces come by the trace, rollups by the hour, other tables whole; each again when the cluster
holds it in another version. Nothing here is the truth: whenever the cluster has changed, it is asked
which versions count.
"""

import tempfile
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, Final

from replay_store.cluster.answers import Answers
from replay_store.cluster.blocks import Blocks
from replay_store.cluster.contract import CONTENT, OPEN_TRACE, SHIPPED
from replay_store.cluster.copy import SPLIT, Copy, Part
from replay_store.cluster.needs import Need
from replay_store.cluster.saved import TOGETHER, Saved, listed, slices
from replay_store.cluster.traces import OF_TRACES, Traces

__all__ = ["HERE", "MOST_TRACES", "Mirror", "shipped_name"]

HERE: Final = frozenset({"alert", "alert_ack", "alert_notice"})
"""Shipped tables that are never read from the cluster: this machine keeps what it tells."""

MOST_TRACES: Final = 200_000
"""Traces that one question may need."""
_KEPT: Final = 2
"""Times as many traces as one question may need are kept; with more, all are dropped."""
_TRIES: Final = 3
"""How often a question is brought rows for while traces are being sealed."""

Ask = Callable[[str], list[dict[str, Any]]]


def shipped_name(table: str) -> str | None:
    """The shipped table behind a base table of the store; None for one that is not read from there."""
    name = table.removesuffix("_open").removesuffix("_sealed")
    return name if name in SHIPPED and name not in HERE else None


class Mirror:
    """Brings rows; for one question at a time.

    Args:
        answers: Of the cluster.
        copy: Where rows are put.
        ask: Asks the local store, where nothing is brought for it.
        most_traces: That one question may need.
    """

    def __init__(
        self, answers: Answers, copy: Copy, ask: Ask, most_traces: int = MOST_TRACES
    ) -> None:
        self._answers = answers
        self._copy = copy
        self._ask = ask
        self._most_traces = most_traces
        copy.prepare()
        copy.empty({*SHIPPED} - HERE - {OPEN_TRACE})
        self._blocks = Blocks(answers)
        self._forget_traces()

    def bring(self, need: Need, state: int) -> None:
        """Make sure that the rows of a question are here.

        Args:
            need: What it reads.
            state: Of the cluster; what was verified in the same state is not looked for again.

        Raises:
            ClusterError: The cluster refused, or did not answer.
            EngineTooMuchError: The question needs more than is brought to one machine.
        """
        tables = {name for table in need.tables if (name := shipped_name(table))}
        if not tables or self._verified.get(need) == state:
            return
        if self._traces.n_held > _KEPT * self._most_traces:
            self._copy.empty({*OF_TRACES, *CONTENT})
            self._forget_traces()
        for _ in range(_TRIES):
            before = self._moment()
            self._round(need, tables)
            if self._moment() == before:
                break
        self._verified[need] = state

    def _forget_traces(self) -> None:
        """Hold no rows of traces, as at the start."""
        self._traces = Traces(self._answers, self._ask, self._most_traces)
        self._contents: set[str] = set()
        self._verified: dict[Need, int] = {}

    def _round(self, need: Need, tables: Collection[str]) -> None:
        with tempfile.TemporaryDirectory(prefix="toolsight-") as name:
            saved = Saved(self._answers, Path(name), self._copy.columns)
            whole = {*tables} - OF_TRACES - {*CONTENT}
            if SPLIT & {*tables}:
                whole.add(OPEN_TRACE)
            parts = [
                *self._blocks.parts(whole, need.period, saved),
                *self._traces.parts(need, {*tables} & OF_TRACES, saved),
            ]
            self._copy.put(parts)
            self._blocks.keep()
            self._traces.keep()
            if {*tables} & {*CONTENT}:
                self._bring_contents(saved)

    def _bring_contents(self, saved: Saved) -> None:
        """Raw outputs that the occurrences here name."""
        named = {
            row["id"]
            for row in self._ask("select distinct raw_id::varchar as id from raw_occurrence")
        }
        known: set[str] = set()
        for ids in slices(sorted(named), TOGETHER):
            sql = (
                f"select toString(raw_id) as id from raw_output where ship_unit in ({listed(ids)})"  # noqa: S608 - names of our own
            )
            known.update(row["id"] for row in self._answers.rows(sql))
        missing = sorted(known - self._contents)
        gone = self._contents & named - known if not self._answers.is_partial else set()
        files = [
            saved.rows_of("raw_output", f"ship_unit in ({listed(ids)})")
            for ids in slices(missing, TOGETHER)
        ]
        where = f"raw_id in ({listed(sorted(gone))})" if gone else None
        self._copy.put([Part("raw_output", files, where=where)] if files or gone else [])
        self._contents = (self._contents - gone) | {*missing}

    def _moment(self) -> object:
        """Changes when traces are sealed or opened, and with them the rollups."""
        return self._answers.rows(
            f"select receiver, max(ship_version) as version, count() as n from {OPEN_TRACE} "  # noqa: S608 - names of our own
            "group by receiver order by receiver"
        )
