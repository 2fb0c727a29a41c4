"""A cluster read as if it were the store: the same questions, over the rows that they need.

The texts that read a store are DuckDB's and run in DuckDB: before a question is asked, the rows that it
reads are brought from the cluster into a local store, where they stay until they change.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import duckdb

from replay_store.cluster.answers import Answers
from replay_store.cluster.client import ClusterUrl
from replay_store.cluster.contract import HEAD, shipped_table
from replay_store.cluster.copy import Copy
from replay_store.cluster.gate import Gate
from replay_store.cluster.guarded import Guarded
from replay_store.cluster.mirror import HERE, MOST_TRACES, Mirror
from replay_store.cluster.needs import Catalogue
from replay_store.cluster.schema import store_columns
from replay_store.database import Database, Parameters
from replay_store.errors import ClusterError, EngineError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Engine"]

FRESH_SECONDS: Final = 5.0
"""For how long the cluster is taken not to have changed."""
_UNKNOWN: Final = frozenset({60, 81})
"""ClickHouse's numbers for a table, and for a database, that is not there."""
_OTHER_COLUMNS: Final = frozenset({16, 47})
"""For a column that is not there."""
_SIGNATURE: Final = (
    "select count() as n, sum(ship_version) as versions, sum(base_version) as bases, "  # noqa: S608 - names of our own
    f"max(ship_version) as newest from {shipped_table(HEAD)}"
)
_Result = TypeVar("_Result")


class Engine(Database):
    """An open cluster; what reads a `Database` reads it. Of what people write only alerts are kept, here.

    Args:
        here: A local store for what is read and told; closed with the engine.
        answers: Of the cluster.
        most_traces: That one question may read row by row.
        clock: Seconds; only differences matter.
    """

    def __init__(
        self,
        here: Database,
        answers: Answers,
        most_traces: int = MOST_TRACES,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(here._connection, here.path)
        self._memory = here._memory
        self._here = here
        self._answers = answers
        self._clock = clock
        self._looked_at: float | None = None
        self._seen: object = None
        self._state = 0
        self._is_partial = False
        self._bringing = threading.RLock()
        self._gate = Gate()
        self._catalogue = Catalogue.of(here)
        self._copy = Copy(self._alone, store_columns(here))
        self._mirror = Mirror(answers, self._copy, here.rows, most_traces)

    @classmethod
    def connect(
        cls,
        path: Path | None,
        url: str,
        *,
        password: str | None = None,
        memory_limit: str | None = None,
        most_traces: int = MOST_TRACES,
        clock: Callable[[], float] = time.monotonic,
    ) -> "Engine":
        """The cluster at `url`, with a local store at `path`.

        Args:
            path: A file of its own for this cluster; in memory without one.
            url: As `ClusterUrl.parse` reads it.
            password: Taken where the URL names none.
            memory_limit: As of `Database.open`.
            most_traces: That one question may read row by row.
            clock: Seconds; only differences matter.

        Raises:
            ClusterError: The URL cannot be read, or the cluster does not answer.
            EngineError: Nothing was ever shipped there.
        """
        answers = Answers(ClusterUrl.parse(url, password))
        here = Database.open(path, memory_limit=memory_limit)
        try:
            engine = cls(here, answers, most_traces, clock)
            engine.look()
        except ClusterError as error:
            here.close()
            raise _explained(error, answers.url) from error
        return engine

    @property
    def is_engine(self) -> bool:
        """True."""
        return True

    @property
    def is_partial(self) -> bool:
        """Whether a shard did not answer, the last time that all were asked."""
        return self._is_partial

    def look(self) -> None:
        """See whether the cluster has changed, unless that was seen a moment ago.

        Raises:
            ClusterError: The cluster does not answer.
            EngineError: Nothing was ever shipped there.
        """
        with self._bringing:
            now = self._clock()
            if self._looked_at is not None and now - self._looked_at < FRESH_SECONDS:
                return
            self._answers.look_again()
            seen = (self._answers.rows(_SIGNATURE), self._answers.is_partial)
            self._looked_at = now
            self._is_partial = self._answers.is_partial
            if seen != self._seen:
                self._seen = seen
                self._state += 1
                self._copy.touch()

    def known_row(self, sql: str) -> dict[str, Any] | None:
        """The first row of the answer; None when there is none."""
        return self.row(sql)

    def batches(self, sql: str, n_rows: int) -> "Iterator[pa.RecordBatch]":
        """The answer as Arrow batches of about so many rows, at least one, perhaps without rows."""
        with self._present(sql, None):
            batches = super().batches(sql, n_rows)
            first = next(batches)  # from here on the answer is of this moment
        yield first
        yield from batches

    @contextmanager
    def transaction(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor inside one transaction, which keeps alerts here and refuses everything else.

        Raises:
            EngineReadOnlyError: Anything else is written.
        """
        with self._bringing, self._here.transaction() as cursor:
            yield cast("duckdb.DuckDBPyConnection", Guarded(cursor, HERE))

    def close(self) -> None:
        """Let the cluster and the local store go. A second call does nothing."""
        self._answers.close()
        self._here.close()

    def _asked(
        self,
        sql: str,
        parameters: Parameters | None,
        read: Callable[[duckdb.DuckDBPyConnection], _Result],
        schema: str | None = None,
    ) -> _Result:
        with self._present(sql, parameters):
            return super()._asked(sql, parameters, read, schema)

    @contextmanager
    def _present(self, sql: str, parameters: Parameters | None) -> Iterator[None]:
        """While the rows that a question reads are here."""
        need = self._catalogue.need(sql, parameters or {})
        with self._bringing:
            try:
                self.look()
                self._mirror.bring(need, self._state)
            except ClusterError as error:
                raise _explained(error, self._answers.url) from error
            finally:
                if self._answers.is_partial and not self._is_partial:
                    self._is_partial, self._seen = True, None
            self._gate.enter()
        try:
            yield
        finally:
            self._gate.leave()

    @contextmanager
    def _alone(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A transaction while which no question is asked."""
        with self._gate.alone(), self._here.transaction() as cursor:
            yield cursor


def _explained(error: ClusterError, url: ClusterUrl) -> Exception:
    """A cluster without the tables, or with those of another version, says what is missing."""
    if error.code in _OTHER_COLUMNS:
        return EngineError(
            f"{url.place}: holds tables of an older version: expected the columns of this one; upgrade the "
            "receivers first, which add them"
        )
    if error.code not in _UNKNOWN:
        return error
    return EngineError(
        f"{url.place}: holds nothing of Toolsight: expected what receivers ship; start them with "
        "`toolsight serve --ship` and this address, or correct it"
    )
