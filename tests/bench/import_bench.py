"""How many MB of JSON a CPU-second `toolsight ingest` takes in, by container, and how much memory.

Run it by hand: `python -m tests.bench.import_bench [FOLDER] [--megabytes N]`. Of the files of a folder
it prints what each container costs: microseconds of processor time a record to read (find out what
the file is, decode, redact), map, store (checkpoint included) and derive, and MB of the file a
CPU-second of them all. Then it writes a file of JSON Lines, OTLP of agents, imports it by the
command in a process of its own, and prints that one's speed (by processor time, and by the clock) and
the most memory it held. It is no test: a shared machine has no honest limit.
"""

import argparse
import os
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any, Final, NamedTuple
from uuid import uuid4

import orjson
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from dashboard.collection import collected_seldom
from ingest.account import FileAccount
from ingest.decoded import Origin
from ingest.detection import detect
from ingest.errors import UnknownContainerError
from ingest.files import import_paths, read
from ingest.mapping import map_batch
from ingest.redaction import Redactor
from ingest.source import Source
from replay_store import Batch, Database, Writer
from replay_store.derive import derive
from tests.bench.agent_traffic import SPANS_A_TRACE, exports

ROOT: Final = Path(__file__).parents[2]
_PEAK: Final = "VmHWM:"
_PROGRAM: Final = f"""
import pathlib, sys
from dashboard.cli import main
try:
    main()
finally:
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    sys.stderr.writelines(line + chr(10) for line in lines if line.startswith("{_PEAK}"))
"""
"""The command, which tells its own peak: what `wait4` says of a process counts what the one that
spawned it held before, and this one may have read a folder."""
_COMMAND: Final = (sys.executable, "-P", "-c", _PROGRAM)
_STAGES: Final = ("read", "map", "store", "derive")
_SMALLEST_BYTES: Final = 100_000
"""Containers of which there is less are not told apart: what a store costs once would be all."""
_KB_A_MB: Final = 1024


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--megabytes", type=int, default=300)
    arguments = parser.parse_args()
    if arguments.folder is not None:
        with collected_seldom():
            _containers(arguments.folder)
    if arguments.megabytes:
        _command(arguments.megabytes)


def _containers(folder: Path) -> None:
    """One line a container, those of all files first; these also warm up."""
    files: defaultdict[str, list[Path]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as store, Database.open(Path(store) / "all.duckdb") as all_:
        for line in import_paths([folder], all_, redactor=Redactor()):
            files[line.container or "(none)"].append(Path(line.path))
    _say("container                 files     MB records" + "".join(f"{x:>8}" for x in _STAGES))
    _say(_line("all", [path for paths in files.values() for path in paths]))
    for container, paths in sorted(files.items(), key=lambda item: -_n_bytes(item[1])):
        if _n_bytes(paths) >= _SMALLEST_BYTES:
            _say(_line(container, paths))


def _line(name: str, paths: Sequence[Path]) -> str:
    seconds: Counter[str] = Counter()
    n_records = _taken_in(paths, seconds)
    n_mb = _n_bytes(paths) / 1e6
    costs = "".join(f"{seconds[stage] / max(n_records, 1) * 1e6:8.1f}" for stage in _STAGES)
    speed = n_mb / seconds.total()
    return f"{name:24} {len(paths):6,} {n_mb:6.2f} {n_records:7,}{costs}  {speed:5.1f} MB/s"


def _taken_in(paths: Sequence[Path], seconds: "Counter[str]") -> int:
    """Import files into a store of their own, stage by stage; returns how many records they hold."""
    with tempfile.TemporaryDirectory() as folder:
        database = Database.open(Path(folder) / "store.duckdb")
        batch: Batch = _timed(seconds, "read", _read_all, paths)
        _timed(seconds, "map", map_batch, batch)
        _timed(seconds, "store", Writer(database).write, batch)
        _timed(seconds, "derive", derive, database)
        _timed(seconds, "store", database.close)
    return batch.n_records


def _read_all(paths: Sequence[Path]) -> Batch:
    batch, redactor = Batch(), Redactor()
    for path in paths:
        account = FileAccount(Origin(uuid4(), str(path), time.time_ns(), redactor))
        with path.open("rb", buffering=0) as stream:
            source = Source(stream)
            try:
                found = detect(source)
            except UnknownContainerError:
                continue
            for item in read(source, found, account.origin):
                account.add(item, batch)
    return batch


def _timed(
    seconds: "Counter[str]", stage: str, work: Callable[..., Any], *arguments: object
) -> Any:
    """Do the work; its processor time, of all threads, is added to the stage's."""
    started = time.process_time()
    result = work(*arguments)
    seconds[stage] += time.process_time() - started  # type: ignore[assignment]
    return result


def _n_bytes(paths: Sequence[Path]) -> int:
    return sum(path.stat().st_size for path in paths)


def _command(n_megabytes: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "traces.jsonl"
        with path.open("wb") as stream:
            for line in _lines():
                stream.write(line)
                if stream.tell() >= n_megabytes * 1e6:
                    break
        n_mb = path.stat().st_size / 1e6
        taken = _import(path, Path(folder))
        _say(f"toolsight ingest: {n_mb:,.0f} MB of JSON Lines, ", end="")
        _say(f"{n_mb / taken.cpu_seconds:.1f} MB a CPU-second, ", end="")
        _say(f"{n_mb / taken.wall_seconds:.1f} MB/s by the clock, ", end="")
        _say(f"at most {taken.peak_mb:.0f} MB of memory")


class _Taken(NamedTuple):
    """What an import took, start of the process and derive included."""

    cpu_seconds: float
    wall_seconds: float
    peak_mb: float


def _import(path: Path, folder: Path) -> _Taken:
    environment = dict(os.environ) | {"PYTHONPATH": str(ROOT)}
    told, flags = folder / "told.txt", os.O_WRONLY | os.O_CREAT
    files = [
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, str(told), flags, 0o600),
    ]
    arguments = [*_COMMAND, "ingest", "--db", str(folder / "store.duckdb"), str(path)]
    started = time.monotonic()
    pid = os.posix_spawn(sys.executable, arguments, environment, file_actions=files)
    _, status, used = os.wait4(pid, 0)
    wall_seconds = time.monotonic() - started
    if os.waitstatus_to_exitcode(status):
        raise SystemExit(f"the import failed: {told.read_text()}")
    peak_kb = int(told.read_text().rpartition(_PEAK)[2].split()[0])
    return _Taken(used.ru_utime + used.ru_stime, wall_seconds, peak_kb / _KB_A_MB)


def _lines() -> Iterator[bytes]:
    """Exports of one trace each, without end."""
    start = 1_700_000_000_000_000_000
    for seed in count():
        for body, _ in exports(
            SPANS_A_TRACE * 1000, seed=seed, batch=SPANS_A_TRACE, start_ns=start
        ):
            yield orjson.dumps(_export(body)) + b"\n"
        start += 10_000_000 * 1000


def _export(body: bytes) -> Mapping[str, Any]:
    """A protobuf export as the OTLP/JSON of the same."""
    [group] = ExportTraceServiceRequest.FromString(body).resource_spans
    resource = {"attributes": [_attribute(pair) for pair in group.resource.attributes]}
    scopes = [{"spans": [_span(span) for span in scope.spans]} for scope in group.scope_spans]
    return {"resourceSpans": [{"resource": resource, "scopeSpans": scopes}]}


def _span(span: Span) -> Mapping[str, Any]:
    return {
        "traceId": span.trace_id.hex(),
        "spanId": span.span_id.hex(),
        "parentSpanId": span.parent_span_id.hex(),
        "name": span.name,
        "kind": span.kind,
        "startTimeUnixNano": str(span.start_time_unix_nano),
        "endTimeUnixNano": str(span.end_time_unix_nano),
        "attributes": [_attribute(pair) for pair in span.attributes],
        "status": {},
    }


def _attribute(pair: Any) -> Mapping[str, Any]:
    if pair.value.WhichOneof("value") == "int_value":
        return {"key": pair.key, "value": {"intValue": str(pair.value.int_value)}}
    return {"key": pair.key, "value": {"stringValue": pair.value.string_value}}


def _say(text: str, *, end: str = "\n") -> None:
    sys.stdout.write(text + end)
    sys.stdout.flush()


if __name__ == "__main__":
    main()
