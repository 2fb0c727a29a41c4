"""How long pages, commits and checkpoints take in a store of very many spans, and what it weighs.

Run it by hand: `python -m tests.bench.scale_bench --spans N [--db STORE] [--keep] [--words random]
[--no-scans] [--threads K]`. It fills a store with a month of so many spans (`fleet_month`) unless
there is one, and prints each question of the pages beside a plain scan of the spans without rollups or
index; bytes a span by table; what a span costs to take in beside an empty store, batch by batch in
turn; how long a reader waits at most while a checkpoint runs; the most memory. It is no test: a shared
machine has no honest limit.
"""

import argparse
import logging
import os
import resource
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Final, get_args

from streamlit.logger import set_log_level

from replay_store import Batch, Database, Writer
from replay_store.derive import derive_some, seal
from replay_store.finding import find
from tests.bench.fleet_month import END_NS, fill, mapped_batch
from tests.bench.fleet_traffic import Words, exports
from tests.bench.scale_questions import forget, questions

_TIMES: Final = 5
_INGEST_TRACES: Final = 7_500
_COMMIT_SPANS: Final = 4_096
_COMMITS_A_DERIVE: Final = 3
"""So many come between two derives of a server that takes in as much as it can: every two seconds."""
_BLOCK_BYTES: Final = 262_144
_MEMORY: Final = "2GB"
_SMALL: Final = 1_000_000
_OLD_TRACE: Final = "select hex_trace(trace_id) as id from trace order by start_time_ns limit 1"


@dataclass(slots=True)
class Cost:
    """What was used since it began."""

    wall: float = field(default_factory=time.perf_counter)
    cpu: float = field(default_factory=time.process_time)

    def so_far(self) -> tuple[float, float]:
        """Seconds of wall time and of processor time, of all threads."""
        return time.perf_counter() - self.wall, time.process_time() - self.cpu


def main() -> None:
    """Fill a store unless it is there, and print."""
    arguments = _arguments()
    set_log_level("ERROR")  # Streamlit says that it runs without a server
    logging.disable(logging.WARNING)
    with tempfile.TemporaryDirectory(dir=arguments.db.parent if arguments.db else None) as folder:
        path = arguments.db or Path(folder) / "scale.duckdb"
        is_new = not path.exists()
        try:
            with Database.open(path, memory_limit=_MEMORY) as database:
                if arguments.threads:
                    with database.transaction() as cursor:
                        cursor.execute("set threads = $n", {"n": arguments.threads})
                if is_new:
                    _fill(database, arguments.spans, arguments.words)
                # As a server does: a run before left its traces open.
                seal(database, quiet_before_ns=END_NS)
                database.sealed_ids.watch()
                _say(f"load {os.getloadavg()[0]:.1f} of {os.cpu_count()} processors")
                _weigh(database, path)
                _ask(database, with_scans=not arguments.no_scans)
                with Database.open(Path(folder) / "empty.duckdb", memory_limit=_MEMORY) as empty:
                    _take_in(database, empty, arguments.words)
                _checkpoint(database)
            _say(f"most memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB")
        finally:
            if is_new and not arguments.keep:
                path.unlink(missing_ok=True)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--spans", type=int, default=_SMALL)
    parser.add_argument("--db", type=Path)
    parser.add_argument("--keep", action="store_true", help="leave the store where --db says")
    parser.add_argument("--words", choices=get_args(Words), default="ordinary")
    parser.add_argument("--no-scans", action="store_true", help="leave the slow half out")
    parser.add_argument("--threads", type=int, help="of the store; all processors without")
    return parser.parse_args()


def _fill(database: Database, n_spans: int, words: Words) -> None:
    cost = Cost()
    fill(database, n_spans, words=words, on_progress=lambda n: _say(f"  {n:,} spans"))
    wall, cpu = cost.so_far()
    _say(f"filled in {wall:,.0f} s, processor {cpu:,.0f} s")


def _weigh(database: Database, path: Path) -> None:
    """Bytes a span: of the file, and of the blocks of each table that takes one byte or more."""
    row = database.row("select count(*) as n, avg(strlen(attributes)) as chars from span")
    assert row is not None
    n = row["n"]
    held = database.row("select * from pragma_database_size() where database_name = 'store'")
    assert held is not None
    _say(
        f"{n:,} spans of {row['chars']:,.0f} bytes of attributes; file {path.stat().st_size / n:.0f} "
        f"bytes a span, {held['used_blocks'] * _BLOCK_BYTES / n:.0f} of them in use"
    )
    sizes = {}
    for (table,) in (tuple(row.values()) for row in database.rows(_TABLES)):
        blocks = database.row(_BLOCKS.format(table=table))
        sizes[table] = blocks["n"] * _BLOCK_BYTES / n if blocks else 0.0
    for table, size in sorted(sizes.items(), key=lambda item: -item[1]):
        if size >= 1:
            _say(f"  {table:26} {size:7.1f}")


_TABLES: Final = """
select table_name from duckdb_tables() where database_name = 'store' and estimated_size > 0
"""
_BLOCKS: Final = """
select count(distinct block) as n
from (
    select unnest(list_append(additional_block_ids, block_id)) as block
    from pragma_storage_info('store.main.{table}')
) as blocks
where block >= 0
"""


def _ask(database: Database, *, with_scans: bool) -> None:
    row = database.row(_OLD_TRACE)
    assert row is not None
    _say(f"{'question':34} {'median ms':>9} {'least':>7} {'cpu':>7} {'limit':>6} {'scan ms':>9}")
    for question in questions(database, row["id"]):
        walls, cpus = [], []
        for _ in range(_TIMES):
            forget()
            cost = Cost()
            question.ask()
            wall, cpu = cost.so_far()
            walls.append(wall * 1000)
            cpus.append(cpu * 1000)
        scanned = _scan_ms(database, question.scan, question.given) if with_scans else None
        limit = "" if question.limit_ms is None else f"{question.limit_ms}"
        told = "" if scanned is None else f"{scanned:9,.0f}"
        _say(
            f"{question.name:34} {median(walls):9.1f} {min(walls):7.1f} {median(cpus):7.1f} "
            f"{limit:>6} {told}"
        )


def _scan_ms(database: Database, sql: str, given: dict[str, object]) -> float:
    cost = Cost()
    database.rows(sql, given)
    return cost.so_far()[0] * 1000


def _take_in(full: Database, empty: Database, words: Words) -> None:
    """What a span costs to commit, derive and checkpoint, in both stores in turn."""
    stores = {"this store": full, "an empty store": empty}
    for name, store in stores.items():
        cost = Cost()
        store.sealed_ids.watch()  # as a server does when it starts, in threads
        store.raw_ids.watch()
        store.checkpoint()  # so that as many fall into what is measured, and the last is added to it
        _say(f"known ids of {name} read in {cost.so_far()[0] * 1000:,.0f} ms")
    writers = {name: Writer(store) for name, store in stores.items()}
    after = _after(full)
    # Each takes in traces of its own: who is second to write a batch finds its texts encoded.
    own = {name: _batches(words, after) for name in stores}
    taken = {name: _Taken() for name in stores}
    for number, batches in enumerate(zip(*own.values(), strict=False)):
        turn, place = divmod(number, _COMMITS_A_DERIVE)
        given = list(zip(stores, batches, strict=True))
        for name, batch in given if turn % 2 else reversed(given):
            cost = Cost()
            writers[name].write(batch)
            if place == _COMMITS_A_DERIVE - 1:
                derive_some(stores[name], 2_000)
            taken[name].add(len(batch.spans), *cost.so_far(), is_first=turn == 0)
    for name, of_store in taken.items():
        cost = Cost()
        stores[name].checkpoint()
        of_store.add(0, *cost.so_far(), is_first=False)
        _say(f"into {name}: {of_store}")


@dataclass(slots=True)
class _Taken:
    """What commits and derives cost, those after a start apart."""

    n_spans: int = 0
    seconds: float = 0.0
    longest: float = 0.0
    cpu: float = 0.0
    n_first: int = 0
    first_cpu: float = 0.0

    def add(self, n_spans: int, seconds: float, cpu: float, *, is_first: bool) -> None:
        """One commit, and the derive after it if there was one; or a checkpoint of no spans."""
        self.longest = max(self.longest, seconds)
        if is_first:
            self.n_first += n_spans
            self.first_cpu += cpu
        else:
            self.n_spans += n_spans
            self.seconds += seconds
            self.cpu += cpu

    def __str__(self) -> str:
        return (
            f"{self.cpu / self.n_spans * 1e6:.0f} us of processor a span "
            f"({self.first_cpu / self.n_first * 1e6:.0f} after a start), "
            f"{self.n_spans / self.seconds:,.0f} spans a second, "
            f"longest commit, derive or checkpoint {self.longest * 1000:.0f} ms"
        )


def _after(database: Database) -> int:
    """After all that is there: earlier runs came after the month, too."""
    row = database.row("select max(start_time_ns) as newest from span")
    return max(END_NS, (row and row["newest"]) or 0) + 1_000_000_000


def _batches(words: Words, start_ns: int) -> Iterator[Batch]:
    """New traces, as the receiver hands them to the writer."""
    seed = time.time_ns()
    waiting = Batch()
    for body, _ in exports(
        _INGEST_TRACES, seed=seed, batch=512, start_ns=start_ns, every_ns=20_000_000, words=words
    ):
        waiting.add(mapped_batch(body))
        if len(waiting.spans) >= _COMMIT_SPANS:
            yield waiting
            waiting = Batch()


def _checkpoint(database: Database) -> None:
    """How long a reader waits at most, first with nothing beside it, then during a checkpoint."""
    row = database.row(_OLD_TRACE)
    assert row is not None

    def ask() -> None:
        find(database, row["id"])

    with _reading(ask) as alone:
        time.sleep(2)
    while derive_some(database, 2_000):
        pass
    with _reading(ask) as beside:
        cost = Cost()
        database.checkpoint()
        wall, cpu = cost.so_far()
    _say(
        f"checkpoint {wall * 1000:.0f} ms ({cpu * 1000:.0f} of processor): a look-up takes at most "
        f"{max(beside) * 1000:.0f} ms meanwhile, {max(alone) * 1000:.0f} ms without"
    )


@contextmanager
def _reading(ask: Callable[[], object]) -> Iterator[list[float]]:
    """Inside the block another thread asks again and again; gives the seconds of each answer."""
    taken: list[float] = []
    stopped = threading.Event()

    def read() -> None:
        while not stopped.is_set():
            began = time.perf_counter()
            ask()
            taken.append(time.perf_counter() - began)

    thread = threading.Thread(target=read)
    thread.start()
    try:
        yield taken
    finally:
        stopped.set()
        thread.join()


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
