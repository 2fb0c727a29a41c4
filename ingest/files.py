"""Files into the store: decoded as they stream, committed in batches, one ledger line each."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from uuid import uuid4

from ingest.containers.framing import read_bare, read_prefixed
from ingest.containers.json_lines import read_document, read_lines
from ingest.decoded import Ignored, Item, Origin, Record
from ingest.detection import detect
from ingest.errors import UnknownContainerError
from ingest.kinds import Container
from ingest.mapping import map_batch
from ingest.paths import Found, found_files, os_problem
from ingest.redaction import Redactor
from ingest.source import Source
from ingest.text import storable
from replay_store.database import Database
from replay_store.records import IngestFile, NoiseLog, Reject, Span, SpanLog
from replay_store.writer import Batch, Writer, Written

BATCH_RECORDS: Final = 4096
"""Records a commit: large enough that the commit costs little, small enough to stay in memory."""
BATCH_BYTES: Final = 32 * 1024**2
"""Bytes read a commit: bounds memory when single records are large."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far one file has come."""

    path: Path
    n_bytes_done: int
    """Of the file as stored, packed if it is packed."""
    n_bytes_total: int
    n_records: int


OnProgress = Callable[[Progress], None]


def import_paths(
    paths: Sequence[Path],
    database: Database,
    *,
    clock: Callable[[], int] = time.time_ns,
    on_progress: OnProgress | None = None,
    redactor: Redactor | None = None,
) -> list[IngestFile]:
    """Read files and folders into the store; deriving is left to the caller.

    Nothing in a file stops the import: what cannot be read becomes a reject, or the message of the
    file's ledger line. Batches are committed as they fill, so an import that was killed can simply
    be run again; what is stored already is counted as merged.

    Args:
        paths: Files and folders; folders are walked.
        database: The store.
        clock: Now, in nanoseconds since the epoch.
        on_progress: Called at the start and end of each file and after each commit.
        redactor: Takes out what must not be kept, before it is written; None keeps everything.

    Returns:
        One ledger line a file, in the order read, also for paths of which nothing could be read.
    """
    writer = Writer(database)
    lines = []
    for found in found_files(paths):
        started = clock()
        origin = Origin(uuid4(), str(found.path), started, redactor)
        intake = _Intake(origin, writer)
        source = _import_file(found, intake, on_progress or _silent)
        line = _ledger_line(intake, source, started, clock())
        writer.record_file(line)
        lines.append(line)
    return lines


def read(source: Source, container: Container, origin: Origin) -> Iterator[Item]:
    """Everything in a source that is of a known container."""
    if container is Container.OTLP_PROTOBUF:
        return read_bare(source, origin)
    if container is Container.OTLP_PROTOBUF_PREFIXED:
        return read_prefixed(source, origin)
    if container is Container.OTLP_JSON:
        return read_document(source, origin)
    return read_lines(source, container, origin)


@dataclass(slots=True)
class _Intake:
    """The running account of one file."""

    origin: Origin
    writer: Writer
    batch: Batch = field(default_factory=Batch)
    written: Written = field(default_factory=Written)
    container: Container | None = None
    n_rejected: int = 0
    n_repaired: int = 0
    n_redacted: int = 0
    n_ignored: int = 0
    sentences: list[str] = field(default_factory=list)

    @property
    def n_records(self) -> int:
        return self.written.n_stored + self.written.n_merged + self.n_rejected

    def add(self, item: Item) -> None:
        if isinstance(item, Ignored):
            self.n_ignored += item.n
        elif isinstance(item, Reject):
            if not self.n_rejected:
                self.sentences.append(f"{item.place}: {item.detail}")
            self.n_rejected += 1
            self.batch.rejects.append(item)
        else:
            self.n_repaired += item.is_repaired
            self.n_redacted += item.n_redacted
            self._keep(item.record)

    def commit(self) -> None:
        if self.batch.spans:
            map_batch(self.batch)
        if self.batch.n_records or self.batch.rejects:
            self.written += self.writer.write(self.batch)
            self.batch = Batch()

    def message(self) -> str | None:
        """What a person must know about this file; None when all was read."""
        told = list(self.sentences)
        if self.n_rejected > 1:
            told[0] = (
                f"{self.n_rejected} of {self.n_records} records refused, the first at {told[0]}"
            )
        if self.n_ignored:
            told.append(
                f"{self.n_ignored} metrics left out: expected traces and logs; "
                "metrics are not read here"
            )
        elif not self.n_records and not told:
            told.append("no records: expected spans, logs, noise rows or labels; export again")
        return storable(" | ".join(told)) or None

    def _keep(self, record: Record) -> None:
        if isinstance(record, Span):
            self.batch.spans.append(record)
        elif isinstance(record, SpanLog):
            self.batch.span_logs.append(record)
        elif isinstance(record, NoiseLog):
            self.batch.noise_logs.append(record)
        else:
            self.batch.labels.append(record)


def _import_file(found: Found, intake: _Intake, on_progress: OnProgress) -> Source | None:
    """Take a file in; returns its source, None when it could not be opened."""
    source: Source | None = None
    if found.problem is not None:
        intake.sentences.append(found.problem)
    else:
        try:
            stream = found.path.open("rb", buffering=0)
        except OSError as error:
            intake.sentences.append(os_problem(error))
        else:
            with stream:
                source = Source(stream)
                _take(source, found, intake, on_progress)
    return source


def _take(source: Source, found: Found, intake: _Intake, on_progress: OnProgress) -> None:
    def report() -> None:
        on_progress(Progress(found.path, source.n_stored_bytes, found.n_bytes, intake.n_records))

    report()
    try:
        intake.container = detect(source)
    except UnknownContainerError as error:
        intake.sentences.append(str(error))
    else:
        for _ in _committed(source, intake, intake.container):
            report()
    if source.fault and source.fault not in intake.sentences:
        intake.sentences.append(source.fault)
    source.drain()
    report()


def _committed(source: Source, intake: _Intake, container: Container) -> Iterator[None]:
    """Take in the source; yields after each commit."""
    n_bytes = 0
    for item in read(source, container, intake.origin):
        intake.add(item)
        n_waiting = intake.batch.n_records + len(intake.batch.rejects)
        if n_waiting >= BATCH_RECORDS or source.n_unpacked_bytes - n_bytes >= BATCH_BYTES:
            n_bytes = source.n_unpacked_bytes
            intake.commit()
            yield
    intake.commit()


def _ledger_line(intake: _Intake, source: Source | None, started: int, finished: int) -> IngestFile:
    return IngestFile(
        file_id=intake.origin.file_id,
        path=storable(intake.origin.path),
        sha256=source.sha256 if source else None,
        n_bytes=source.n_stored_bytes if source else None,
        container=intake.container,
        started_time_ns=started,
        finished_time_ns=finished,
        n_records=intake.n_records,
        n_stored=intake.written.n_stored,
        n_merged=intake.written.n_merged,
        n_rejected=intake.n_rejected,
        n_repaired=intake.n_repaired,
        message=intake.message(),
        n_redacted=intake.n_redacted,
    )


def _silent(_: Progress) -> None:
    """Nobody is watching."""
