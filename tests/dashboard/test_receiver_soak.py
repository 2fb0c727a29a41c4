"""A minute of steady traffic and a page that is looked at: memory comes to rest, nothing is lost.

`TOOLSIGHT_SOAK_SECONDS=1800` makes it the long one.
"""

import os
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from statistics import median

import pytest

from replay_store import Database
from tests.bench.agent_traffic import exports
from tests.serving import Server, ask, serving

pytestmark = pytest.mark.slow

SECONDS = float(os.environ.get("TOOLSIGHT_SOAK_SECONDS", "60"))
SPANS_A_SECOND = 400
BATCH = 100
STORE_MEMORY = "128MB"
"""A bound for the database, so that its cache of a growing store is not taken for a leak."""
GROWTH_MB = 80.0
"""What the resident size may differ by between two stretches; a leak of a tenth of what comes in
(about 1.6 MB a second) would be more."""
START_NS = 1_796_000_000_000_000_000


def test_memory_comes_to_rest_under_steady_traffic(tmp_path: Path) -> None:
    db = tmp_path / "store.duckdb"
    with (
        serving(db, TOOLSIGHT_MEMORY_LIMIT=STORE_MEMORY) as server,
        ThreadPoolExecutor(1) as pool,
    ):
        sending = pool.submit(_send, server, time.monotonic() + SECONDS)
        sizes = list(_watch(server, sending))
        n_sent = sending.result()
        server.process.terminate()
        assert server.process.wait(10) == 0

    third = len(sizes) // 3
    middle, last = median(sizes[third : 2 * third]), median(sizes[2 * third :])
    assert last - middle < GROWTH_MB, [round(size) for size in sizes]
    with Database.open(db) as database:
        [kept] = database.rows("select count(*) as n from span")
        [counted] = database.rows(
            "select sum(n_received)::int as received, "
            "sum(n_stored + n_merged + n_rejected)::int as told from intake_minute"
        )
    assert kept["n"] == n_sent
    assert counted == {"received": n_sent, "told": n_sent}


def _send(server: Server, until: float) -> int:
    """Send at a steady rate; how many spans were acknowledged."""
    due, n_sent = time.monotonic(), 0
    endless = chain.from_iterable(
        exports(20_000, seed=seed, batch=BATCH, start_ns=START_NS + seed * 10**12)
        for seed in range(10_000)
    )
    for body, n in endless:
        if time.monotonic() > until:
            break
        assert server.send(body).status == 200
        n_sent += n
        due += n / SPANS_A_SECOND
        time.sleep(max(due - time.monotonic(), 0))
    return n_sent


def _watch(server: Server, sending: "Future[int]") -> Iterator[float]:
    """Resident megabytes, once a second; meanwhile the figures are asked for."""
    while not sending.done():
        time.sleep(1)
        assert ask(server.port, "GET", "/metrics", headers={"Host": "localhost"}).status == 200
        yield _resident_mb(server)


def _resident_mb(server: Server) -> float:
    text = Path(f"/proc/{server.process.pid}/status").read_text(encoding="utf-8")
    return int(text.split("VmRSS:")[1].split()[0]) / 1024
