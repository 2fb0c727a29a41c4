"""What one span costs in each stage of taking it in, in microseconds of processor time.

The stages of the serving process, one after the other in this one, on the same exports: receive
(HTTP to a handler that only answers), decode, redact (what it adds to decoding), map, store,
checkpoint (of the log, which otherwise falls into the commit of whoever fills it) and derive. Commits
hold as many exports as senders wait for an answer at a time, and derives what comes meanwhile at a
rate of some thousand spans a second. What is done once a process is done before.
"""

import http.client
import multiprocessing
import resource
import socket
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final, TypeVar
from uuid import uuid4

from dashboard.serving.receiver import OtlpHttp
from dashboard.serving.receiver_thread import ReceiverThread
from ingest import Decoded, Origin, Redactor, Signal, decode_protobuf
from ingest.mapping import map_batch
from ingest.receiver import Answer, Handler, Request
from ingest.receiver.admission import Share
from ingest.receiver.answers import accepted
from ingest.receiver.media import Encoding
from replay_store import Batch, Database, Writer
from replay_store.commit import Committer
from replay_store.derive import derive_some
from replay_store.records import Span
from tests.bench.agent_traffic import exports

STAGES: Final = ("receive", "decode", "redact", "map", "store", "checkpoint", "derive")
_EXPORTS_A_COMMIT: Final = 2
_COMMITS_A_DERIVE: Final = 8
_DERIVE_TRACES: Final = 2_000
_LOG_BYTES: Final = 128 * 1024**2
"""As the store's own threshold."""
_RECEIVED_EXPORTS: Final = 16
_HEADERS: Final = {"Content-Type": "application/x-protobuf"}
Export = tuple[bytes, int]
ResultT = TypeVar("ResultT")


def stage_costs(ready: Sequence[Export]) -> dict[str, float]:
    """Microseconds of processor time a span, by stage."""
    seconds: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "store.duckdb"
        database = Database.open(path)
        with database.transaction() as cursor:
            cursor.execute("set checkpoint_threshold = '1TB'")
        log = path.with_name(f"{path.name}.wal")
        _take_in(_warm_up(), database, log, Counter())
        _take_in(ready, database, log, seconds)
        _timed(seconds, "checkpoint", database.close)
    n_spans = sum(n for _, n in ready)
    costs = {stage: seconds[stage] / n_spans * 1e6 for stage in STAGES}
    received = ready[:_RECEIVED_EXPORTS]
    costs["receive"] = _receive_seconds(received) / sum(n for _, n in received) * 1e6
    return costs


def _warm_up() -> Sequence[Export]:
    """Other spans than those that are measured."""
    return list(exports(512, seed=9, batch=64, start_ns=time.time_ns()))


def _take_in(
    ready: Sequence[Export], database: Database, log: Path, seconds: "Counter[str]"
) -> None:
    writer, redactor = Writer(database), Redactor()
    for number, first in enumerate(range(0, len(ready), _EXPORTS_A_COMMIT), 1):
        together = Batch()
        for body, _ in ready[first : first + _EXPORTS_A_COMMIT]:
            batch = _timed(seconds, "decode", _decoded, body, None)
            redacted: Counter[str] = Counter()
            _timed(redacted, "decode", _decoded, body, redactor)
            seconds["redact"] += redacted["decode"]
            _timed(seconds, "map", map_batch, batch)
            together.add(batch)
        _timed(seconds, "store", writer.write, together)
        if number % _COMMITS_A_DERIVE == 0:
            _timed(seconds, "derive", derive_some, database, _DERIVE_TRACES)
        if log.stat().st_size >= _LOG_BYTES:
            _timed(seconds, "checkpoint", database.checkpoint)
    while _timed(seconds, "derive", derive_some, database, _DERIVE_TRACES):
        pass
    seconds["redact"] -= seconds["decode"]


def _decoded(body: bytes, redactor: Redactor | None) -> Batch:
    origin = Origin(uuid4(), "otlp-http", time.time_ns(), redactor)
    items = decode_protobuf(body, Signal.TRACES, origin)
    records = [item.record for item in items if isinstance(item, Decoded)]
    return Batch(spans=[record for record in records if isinstance(record, Span)])


def _timed(
    seconds: "Counter[str]", stage: str, work: Callable[..., ResultT], *arguments: object
) -> ResultT:
    started = _cpu_seconds()
    result = work(*arguments)
    seconds[stage] += _cpu_seconds() - started  # type: ignore[assignment]
    return result


def _cpu_seconds() -> float:
    """Of all threads: the store's own count too."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def _receive_seconds(ready: Sequence[Export]) -> float:
    """What HTTP alone takes, sent to by another process."""
    bodies = [body for body, _ in ready]
    with _receiving() as port:
        _send_from_elsewhere(port, bodies[:2])
        started = _cpu_seconds()
        _send_from_elsewhere(port, bodies)
        return _cpu_seconds() - started


def _send_from_elsewhere(port: int, bodies: Sequence[bytes]) -> None:
    sender = multiprocessing.get_context("fork").Process(target=_send, args=(port, bodies))
    sender.start()
    sender.join()


def _send(port: int, bodies: Sequence[bytes]) -> None:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        for body in bodies:
            connection.request("POST", "/v1/traces", body, _HEADERS)
            connection.getresponse().read()


class _OnlyAnswers(Handler):
    """Says that all is well, and reads nothing."""

    async def handle(self, request: Request, share: Share) -> Answer:
        return accepted(request.signal, Encoding.PROTOBUF, 0, "")


@contextmanager
def _receiving() -> Iterator[int]:
    with Database.open() as database, closing(socket.create_server(("127.0.0.1", 0))) as listener:
        handler = _OnlyAnswers(Committer(database))
        app = OtlpHttp(handler, {}, is_host_known=lambda _: True)
        receiver = ReceiverThread(app, listener, handler, None, None)
        receiver.start()
        try:
            yield listener.getsockname()[1]
        finally:
            receiver.stop()
            handler.close()
