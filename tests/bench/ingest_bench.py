"""How many spans a CPU-second the server takes, how soon they can be asked for, and what pages wait.

Run it by hand: `python tests/bench/ingest_bench.py [--spans N] [--rate R] [--seconds S]
[--senders K]`. It prints what a span costs in each stage (`ingest_stages`), then spans per CPU-second
of the server process (receive, decode, map, store, derive) without redaction and with the default
rules. Each sender waits for its acknowledgement, so that few of them make small, dear commits.
Then, while `--rate` spans a second arrive, it prints how long page runs take and how long after its
acknowledgement a span can be asked for. With `--seconds 1800` it is the soak test:
memory is printed as it goes. It is no test: a shared machine has no honest limit.
"""

import argparse
import asyncio
import http.client
import json
import os
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from queue import SimpleQueue
from statistics import median
from typing import Final

ROOT: Final = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.bench.agent_traffic import exports  # noqa: E402
from tests.bench.ingest_stages import stage_costs  # noqa: E402
from tests.serving import Server, serving  # noqa: E402

_TICKS: Final = os.sysconf("SC_CLK_TCK")
_HEADERS: Final = {"Content-Type": "application/x-protobuf"}
_BATCH: Final = 512
_SETTLE_SECONDS: Final = 3.0
Export = tuple[bytes, int]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--spans", type=int, default=40_000)
    parser.add_argument("--rate", type=int, default=2_000)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--senders", type=int, default=8)
    arguments = parser.parse_args()
    ready = list(exports(arguments.spans, seed=1, batch=_BATCH, start_ns=time.time_ns()))
    n_bytes = sum(len(body) for body, _ in ready)
    _say(f"{arguments.spans:,} spans of {n_bytes / arguments.spans:,.0f} bytes")
    _stages(ready)
    for redact, name in (("[]", "without redaction"), (None, "with the default rules")):
        environment = {} if redact is None else {"TOOLSIGHT_REDACT": redact}
        _throughput(ready, name, environment, arguments.senders)
    _pages(arguments.rate, arguments.seconds)


def _stages(ready: Sequence[Export]) -> None:
    costs = stage_costs(ready)
    _say("us a span: " + ", ".join(f"{stage} {cost:.1f}" for stage, cost in costs.items()))
    redacted = sum(costs.values())
    _say(
        f"  in all {redacted - costs['redact']:.0f} without redaction, {redacted:.0f} with: "
        f"{1e6 / (redacted - costs['redact']):,.0f} and {1e6 / redacted:,.0f} spans a CPU-second"
    )


def _throughput(
    ready: Sequence[Export], name: str, environment: dict[str, str], n_senders: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "store.duckdb"
        with serving(store, is_measured=False, **environment) as server:
            warm_up = list(exports(512, seed=9, batch=64, start_ns=time.time_ns()))
            _send_all(server, warm_up, n_senders)
            time.sleep(_SETTLE_SECONDS)
            before, started = _cpu_seconds(server), time.monotonic()
            _send_all(server, ready, n_senders)
            wall = time.monotonic() - started
            time.sleep(_SETTLE_SECONDS)  # what was acknowledged last is derived
            cpu = _cpu_seconds(server) - before
        n = sum(n for _, n in ready)
        _say(f"{name}: {n / cpu:,.0f} spans a CPU-second, {n / wall:,.0f} a second acknowledged")


def _send_all(server: Server, ready: Sequence[Export], n_senders: int) -> None:
    queue: SimpleQueue[Export | None] = SimpleQueue()
    for export in ready:
        queue.put(export)
    for _ in range(n_senders):
        queue.put(None)

    def send() -> None:
        with closing(_connection(server)) as connection:
            while (export := queue.get()) is not None:
                while _post(connection, export[0]) != http.client.OK:
                    time.sleep(0.2)

    threads = [threading.Thread(target=send) for _ in range(n_senders)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _connection(server: Server) -> http.client.HTTPConnection:
    return http.client.HTTPConnection("127.0.0.1", server.otlp_port, timeout=60)


def _post(connection: http.client.HTTPConnection, body: bytes) -> int:
    connection.request("POST", "/v1/traces", body, _HEADERS)
    answer = connection.getresponse()
    answer.read()
    return answer.status


def _pages(rate: int, seconds: float) -> None:
    """Page runs and freshness while spans arrive."""
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder) / "store.duckdb") as server,
    ):
        stopped = threading.Event()
        sender = threading.Thread(target=_send_steadily, args=(server, rate, stopped))
        sender.start()
        time.sleep(10)  # imports and the first derives are over
        try:
            runs = asyncio.run(_page_runs(server, seconds))
            lags = [_lag_seconds(server, number) for number in range(5)]
        finally:
            stopped.set()
            sender.join()
        _say(
            f"at {rate:,} spans a second: page runs p50 {_at(runs, 0.5):.0f} ms, "
            f"p95 {_at(runs, 0.95):.0f} ms ({len(runs)} runs); a trace can be asked for "
            f"{median(lags):.2f} s after its acknowledgement (worst {max(lags):.2f} s); "
            f"{_resident_mb(server):.0f} MB"
        )


def _send_steadily(server: Server, rate: int, stopped: threading.Event) -> None:
    due, seed = time.monotonic(), 100
    with closing(_connection(server)) as connection:
        while not stopped.is_set():
            seed += 1
            for body, n in exports(rate, seed=seed, batch=_BATCH, start_ns=time.time_ns()):
                _post(connection, body)
                due += n / rate
                time.sleep(max(due - time.monotonic(), 0))


async def _page_runs(server: Server, seconds: float) -> list[float]:
    """Milliseconds of each run of the start page, one session, a second of thought between."""
    import websockets
    from streamlit.proto.BackMsg_pb2 import BackMsg
    from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

    address = f"ws://127.0.0.1:{server.port}/_stcore/stream"
    runs: list[float] = []
    ends = time.monotonic() + seconds
    reported = time.monotonic()
    async with websockets.connect(address, max_size=None, subprotocols=["streamlit"]) as socket:  # type: ignore[list-item]
        while time.monotonic() < ends:
            message = BackMsg()
            message.rerun_script.query_string = ""
            started = time.monotonic()
            await socket.send(message.SerializeToString())
            kind = ""
            while kind != "script_finished":
                data = await asyncio.wait_for(socket.recv(), 60)
                kind = ForwardMsg.FromString(bytes(data)).WhichOneof("type") or ""  # type: ignore[arg-type]
            runs.append((time.monotonic() - started) * 1000)
            await asyncio.sleep(1)
            if time.monotonic() - reported > 60:
                reported = time.monotonic()
                _say(f"  {_resident_mb(server):.0f} MB, last run {runs[-1]:.0f} ms")
    return runs[1:]


def _lag_seconds(server: Server, number: int) -> float:
    """From the acknowledgement of a fresh trace to its being counted by `/metrics`' store."""
    body = next(exports(12, seed=10_000 + number, batch=12, start_ns=time.time_ns()))[0]
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    export = ExportTraceServiceRequest.FromString(body)
    trace_id = export.resource_spans[0].scope_spans[0].spans[0].trace_id.hex()
    with closing(_connection(server)) as connection:
        while _post(connection, body) != http.client.OK:
            time.sleep(0.05)
    acknowledged = time.monotonic()
    while not _is_known(server, trace_id):
        time.sleep(0.05)
    return time.monotonic() - acknowledged


def _is_known(server: Server, trace_id: str) -> bool:
    """Asked the way a command asks: through the server's own door."""
    body = json.dumps({"names": ["report"], "parameters": {
        "db": None, "as_json": True, "by": "trace", "range_key": "24h", "tool": None,
    }})  # fmt: skip
    headers = {"authorization": f"Bearer {server.owner['token']}"}
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)) as connection:
        connection.request("POST", "/_toolsight/command", body, headers)
        return trace_id.encode() in connection.getresponse().read()


def _at(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(int(len(values) * share), len(values) - 1)]


def _cpu_seconds(server: Server) -> float:
    fields = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _resident_mb(server: Server) -> float:
    text = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(text.split("VmRSS:")[1].split()[0]) / 1024


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
