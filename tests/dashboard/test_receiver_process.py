"""The real server under real senders: nothing acknowledged is lost, whatever ends the process."""

import gzip
import json
import os
import random
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from replay_store.database import Database
from tests.serving import JSON, STOP_SECONDS, Server, seconds_here, serving, span_ids

pytestmark = pytest.mark.slow
SPANS_A_BATCH = 40
T0 = 1_796_000_000_000_000_000


def _random_text(seed: int, n_bytes: int) -> str:
    """Text that no compression makes small; the same for the same seed."""
    return random.Random(seed).randbytes(n_bytes).hex()  # noqa: S311


def _export(first: int, n: int = SPANS_A_BATCH, n_text: int = 200) -> bytes:
    """One JSON export of spans `first`, `first + 1`, ...; eight spans share a trace."""
    spans = [
        {
            "traceId": f"{index // 8 + 1:032x}",
            "spanId": f"{index + 1:016x}",
            "name": "execute_tool look_up",
            "startTimeUnixNano": str(T0 + index * 1_000),
            "endTimeUnixNano": str(T0 + index * 1_000 + 500),
            "attributes": [
                {"key": "gen_ai.operation.name", "value": {"stringValue": "execute_tool"}},
                {"key": "gen_ai.tool.name", "value": {"stringValue": "look_up"}},
                {
                    "key": "text",
                    "value": {"stringValue": _random_text(index, n_text)},
                },
            ],
        }
        for index in range(first, first + n)
    ]
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": "shop"}}]}
    return json.dumps(
        {"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": spans}]}]}
    ).encode()


class Sender:
    """Sends batch after batch until it is told to stop; remembers what was acknowledged."""

    def __init__(self, server: Server, first: int, n_text: int = 200) -> None:
        self.acknowledged: set[int] = set()
        self.statuses: set[int] = set()
        self._server = server
        self._first = first
        self._n_text = n_text
        self.has_begun = threading.Event()
        self._is_stopped = threading.Event()

    def run(self) -> None:
        first = self._first
        while not self._is_stopped.is_set():
            try:
                answer = self._server.send(_export(first, n_text=self._n_text), content_type=JSON)
            except OSError:
                return
            self.statuses.add(answer.status)
            if answer.status == 200:
                self.acknowledged.update(range(first, first + SPANS_A_BATCH))
                first += SPANS_A_BATCH
                self.has_begun.set()

    def stop(self) -> None:
        self._is_stopped.set()


def _wait_until_all_have_begun(senders: list[Sender]) -> None:
    assert all(sender.has_begun.wait(30) for sender in senders)


def _kept(acknowledged: set[int]) -> set[str]:
    return {f"{index + 1:016x}" for index in acknowledged}


def test_a_killed_server_has_lost_nothing_it_acknowledged(tmp_path: Path) -> None:
    """Many kills of one store at random moments; every other sender repeats what it sent."""
    db = tmp_path / "store.duckdb"
    moments = random.Random(7)  # noqa: S311
    acknowledged: set[int] = set()
    for life in range(int(os.environ.get("TOOLSIGHT_KILLS", "8"))):
        with serving(db) as server, ThreadPoolExecutor(3) as pool:
            senders = [Sender(server, (life * 10 + at) * 100_000) for at in (0, 1, 1)]
            running = [pool.submit(sender.run) for sender in senders]
            _wait_until_all_have_begun(senders)
            time.sleep(moments.uniform(0, 2.5))
            server.process.send_signal(signal.SIGKILL)
            for future in running:
                future.result()
            acknowledged |= set[int]().union(*(sender.acknowledged for sender in senders))
        found = span_ids(db)
        assert _kept(acknowledged) <= set(found)
        assert len(found) == len(set(found))
    assert acknowledged


@pytest.mark.parametrize("moment", ["checkpoint", "derive"])
def test_a_kill_during_upkeep_loses_nothing(tmp_path: Path, moment: str) -> None:
    """Large records make checkpoints frequent; small ones make derive the longest thing there is."""
    db = tmp_path / "store.duckdb"
    n_text = 100_000 if moment == "checkpoint" else 10
    acknowledged: set[int] = set()
    for life in range(3):
        with serving(db) as server, ThreadPoolExecutor(2) as pool:
            senders = [Sender(server, (life * 10 + at) * 100_000, n_text) for at in (0, 1)]
            running = [pool.submit(sender.run) for sender in senders]
            _wait_until_all_have_begun(senders)
            _wait_for(db, moment)
            server.process.send_signal(signal.SIGKILL)
            for future in running:
                future.result()
            acknowledged |= set[int]().union(*(sender.acknowledged for sender in senders))
        assert acknowledged
        assert _kept(acknowledged) <= set(span_ids(db))


def _wait_for(db: Path, moment: str) -> None:
    """Until the log has just been emptied into the file, or for some derives."""
    if moment == "derive":
        time.sleep(2.2)
        return
    log = db.with_name(f"{db.name}.wal")
    deadline, largest = time.monotonic() + 30, 0
    while time.monotonic() < deadline:
        try:
            size = log.stat().st_size
        except FileNotFoundError:  # emptied, and not begun again
            size = 0
        if size < largest // 2:
            return
        largest = max(largest, size)
        time.sleep(0.001)
    raise AssertionError("no checkpoint came")


def test_redelivery_overlap_and_two_senders_count_once(tmp_path: Path) -> None:
    db = tmp_path / "store.duckdb"
    with serving(db) as server, ThreadPoolExecutor(4) as pool:
        firsts = [0, 0, SPANS_A_BATCH // 2, 0]
        answers = list(
            pool.map(lambda first: server.send(_export(first), content_type=JSON), firsts)
        )
        server.process.send_signal(signal.SIGTERM)
        server.process.wait(STOP_SECONDS * 4)

    assert {answer.status for answer in answers} == {200}
    n_distinct = SPANS_A_BATCH + SPANS_A_BATCH // 2
    assert len(span_ids(db)) == n_distinct
    with Database.open(db) as database:
        [counts] = database.rows(
            "select sum(n_received)::int as received, sum(n_stored)::int as stored, "
            "sum(n_merged)::int as merged, sum(n_rejected)::int as rejected from intake_minute"
        )
    sent = len(firsts) * SPANS_A_BATCH
    assert counts == {
        "received": sent,
        "stored": n_distinct,
        "merged": sent - n_distinct,
        "rejected": 0,
    }


def test_a_repeated_span_id_with_another_status_is_kept(tmp_path: Path) -> None:
    db = tmp_path / "store.duckdb"
    first = json.loads(_export(0, 1))
    second = json.loads(_export(0, 1))
    second["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["status"] = {"code": 2}
    with serving(db) as server:
        for export in (first, second, first, second):
            assert server.send(json.dumps(export).encode(), content_type=JSON).status == 200

    assert span_ids(db) == ["0000000000000001"] * 2


def test_sigterm_answers_what_is_in_hand_and_ends_well(tmp_path: Path) -> None:
    db = tmp_path / "store.duckdb"
    with serving(db, is_measured=True) as server, ThreadPoolExecutor(2) as pool:
        senders = [Sender(server, at * 100_000) for at in (0, 1)]
        running = [pool.submit(sender.run) for sender in senders]
        _wait_until_all_have_begun(senders)
        time.sleep(0.5)
        started = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        _, stderr = server.process.communicate(timeout=STOP_SECONDS * 4)
        seconds = time.monotonic() - started
        for future in running:
            future.result()

    assert (server.process.returncode, stderr) == (0, "")
    assert seconds < seconds_here(STOP_SECONDS)
    assert not db.with_name(f"{db.name}.server.json").exists()
    assert not db.with_name(f"{db.name}.wal").exists()
    acknowledged = set[int]().union(*(sender.acknowledged for sender in senders))
    assert acknowledged
    assert _kept(acknowledged) <= set(span_ids(db))


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 24 MB."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = shutil.which("mount")
    if mount is None or os.geteuid() != 0:
        pytest.skip("only root can mount a small file system")
    done = subprocess.run(
        [mount, "-t", "tmpfs", "-o", "size=24m", "tmpfs", str(folder)], check=False
    )
    if done.returncode:
        pytest.skip("no tmpfs can be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_is_503_and_loses_nothing(small_disk: Path) -> None:
    db = small_disk / "store.duckdb"
    with serving(db) as server:
        acknowledged: set[int] = set()
        for first in range(0, 100_000, SPANS_A_BATCH):
            answer = server.send(_export(first, n_text=5_000), content_type=JSON)
            if answer.status != 200:
                break
            acknowledged.update(range(first, first + SPANS_A_BATCH))
        else:
            pytest.fail("the disk never filled up")
        again = server.send(gzip.compress(_export(0)), content_type=JSON, content_encoding="gzip")
        page, health = server.get("/"), server.get("/healthz")

    assert answer.status == again.status == 503
    assert int(answer.headers["retry-after"]) > 0
    assert b"disk is full" in answer.body
    assert page.status == health.status == 200
    assert acknowledged
    assert set(span_ids(db)) == _kept(acknowledged)
