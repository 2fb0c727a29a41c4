"""A minute of steady traffic and a page that is looked at: memory comes to rest, nothing is lost.

`TOOLSIGHT_SOAK_SECONDS=1800` makes it the long one.
"""

import os
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from statistics import median
from typing import NamedTuple

import pytest

from replay_store import Database
from tests.bench.agent_traffic import exports
from tests.serving import STOP_SECONDS, Server, ask, seconds_here, serving

pytestmark = pytest.mark.slow

SECONDS = float(os.environ.get("TOOLSIGHT_SOAK_SECONDS", "60"))
SPANS_A_SECOND = 1_000
BATCH = 100
STORE_MEMORY = "64MB"
"""A bound for the database, so that its cache of a growing store is not taken for a leak."""
FILL_MB = 90
"""Sent as fast as it is taken at first, so that the cache is full before anything is compared."""
LEAK_SHARE = 0.5
"""The floor of the resident size may rise by less than this part of what came in meanwhile."""
NOISE_MB = 40.0
"""What the floor moves by in any case; on a machine where little comes in, more is not told apart."""
START_NS = 1_796_000_000_000_000_000


def test_memory_comes_to_rest_under_steady_traffic(tmp_path: Path) -> None:
    db = tmp_path / "store.duckdb"
    with (
        serving(db, TOOLSIGHT_MEMORY_LIMIT=STORE_MEMORY) as server,
        ThreadPoolExecutor(1) as pool,
    ):
        sent = Sent()
        sending = pool.submit(_send, server, time.monotonic() + SECONDS, sent)
        seen = list(_watch(server, sending, sent))
        sending.result()
        server.process.terminate()
        assert server.process.wait(seconds_here(STOP_SECONDS)) == 0

    third = len(seen) // 3
    middle, last = seen[third : 2 * third], seen[2 * third :]
    came_mb = median(look.sent_mb for look in last) - median(look.sent_mb for look in middle)
    rise_mb = min(look.resident_mb for look in last) - min(look.resident_mb for look in middle)
    assert rise_mb < max(LEAK_SHARE * came_mb, NOISE_MB), [round(look.resident_mb) for look in seen]
    with Database.open(db) as database:
        [kept] = database.rows("select count(*) as n from span")
        [counted] = database.rows(
            "select sum(n_received)::int as received, "
            "sum(n_stored + n_merged + n_rejected)::int as told from intake_minute"
        )
    assert kept["n"] == sent.n_spans
    assert counted == {"received": sent.n_spans, "told": sent.n_spans}


@dataclass
class Sent:
    """What was acknowledged so far."""

    n_spans: int = 0
    n_bytes: int = 0


class Look(NamedTuple):
    """The server at one moment."""

    resident_mb: float
    sent_mb: float


def _send(server: Server, until: float, sent: Sent) -> None:
    """Fill the store, then send at a steady rate."""
    due = time.monotonic()
    endless = chain.from_iterable(
        exports(20_000, seed=seed, batch=BATCH, start_ns=START_NS + seed * 10**12)
        for seed in range(10_000)
    )
    for body, n in endless:
        if time.monotonic() > until:
            break
        assert server.send(body).status == 200
        sent.n_spans += n
        sent.n_bytes += len(body)
        is_filling = sent.n_bytes < FILL_MB * 1024**2
        due = time.monotonic() if is_filling else due + n / SPANS_A_SECOND
        time.sleep(max(due - time.monotonic(), 0))


def _watch(server: Server, sending: "Future[None]", sent: Sent) -> Iterator[Look]:
    """The server once a second; meanwhile its figures are asked for."""
    while not sending.done():
        time.sleep(1)
        assert ask(server.port, "GET", "/metrics", headers={"Host": "localhost"}).status == 200
        yield Look(_resident_mb(server), sent.n_bytes / 1024**2)


def _resident_mb(server: Server) -> float:
    text = Path(f"/proc/{server.process.pid}/status").read_text(encoding="utf-8")
    return int(text.split("VmRSS:")[1].split()[0]) / 1024
