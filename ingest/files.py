"""Files into the store: decoded as they stream, committed in batches, one ledger line each.

A commit costs the same for one record as for some hundred, so small files share one.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final
from uuid import uuid4

from ingest.account import FileAccount
from ingest.containers.foreign import read_foreign
from ingest.containers.framing import read_bare, read_prefixed
from ingest.containers.json_lines import read_case, read_document, read_lines
from ingest.decoded import Decoded, Ignored, Item, Origin, Record
from ingest.detection import Detected, detect
from ingest.errors import UnknownContainerError
from ingest.kinds import Container
from ingest.mapping import map_records
from ingest.paths import Found, found_files, os_problem
from ingest.redaction import Redactor
from ingest.source import Source
from replay_store.database import Database
from replay_store.json_object import JsonObject
from replay_store.records import IngestFile, IntakeMinute, Span, SpanLog
from replay_store.writer import Batch, StoredByFile, Writer

BATCH_RECORDS: Final = 8192
"""Records a commit: large enough that the commit costs little, small enough to stay in memory."""
BATCH_BYTES: Final = 8 * 1024**2
"""JSON of the records of a commit, which is nearly all the room they take once they are mapped."""
_MAPPED_RECORDS: Final = 64
"""Records that are mapped at a time."""
_MAPPED_BYTES: Final = 128 * 1024
"""JSON of these: their values take several times its room, and are still in the processor's caches."""


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
    importer = _Importer(Writer(database), clock, on_progress or _silent)
    for found in found_files(paths):
        importer.take(found, Origin(uuid4(), str(found.path), clock(), redactor))
    importer.commit()
    return importer.lines


def read(source: Source, detected: Detected, origin: Origin) -> Iterator[Item]:
    """Everything in a source of which it is known what it is."""
    container = detected.container
    if detected.known is not None:
        return read_foreign(detected.known, origin)
    if container is Container.OTLP_PROTOBUF:
        return read_bare(source, origin)
    if container is Container.OTLP_PROTOBUF_PREFIXED:
        return read_prefixed(source, origin)
    if container is Container.OTLP_JSON:
        return read_document(source, origin)
    if container is Container.REPLAY_CASE:
        return read_case(source, origin)
    return read_lines(source, container, origin)


@dataclass(slots=True)
class _Importer:
    """Files one by one into batches that several may share."""

    writer: Writer
    clock: Callable[[], int]
    on_progress: OnProgress
    lines: list[IngestFile] = field(default_factory=list)
    batch: Batch = field(default_factory=Batch)
    n_waiting: int = 0
    """Items of the batch, refused records included."""
    n_batch_bytes: int = 0
    unmapped: list[Record] = field(default_factory=list)
    """Records of the batch whose values are still here, to be mapped."""
    n_unmapped_bytes: int = 0
    finished: list[FileAccount] = field(default_factory=list)
    """Files that are read, and wait for the commit of their last records."""
    current: FileAccount | None = None

    def take(self, found: Found, origin: Origin) -> None:
        """Read one file; what it holds is committed now or with the next files."""
        account = self.current = FileAccount(origin)
        if found.problem is not None:
            account.sentences.append(found.problem)
        else:
            try:
                stream = found.path.open("rb", buffering=0)
            except OSError as error:
                account.sentences.append(os_problem(error))
            else:
                with stream:
                    self._read(Source(stream), found, account)
        account.finished_time_ns = self.clock()
        self.current = None
        self.finished.append(account)
        if self._is_full():
            self.commit()

    def commit(self) -> None:
        """Store what waits, then the ledger lines of the files that are done."""
        self._map()
        if self.n_waiting:
            self._write()
        self.batch, self.n_waiting, self.n_batch_bytes = Batch(), 0, 0
        lines = [account.line() for account in self.finished]
        self.writer.record_files(lines)
        self.lines.extend(lines)
        self.finished = []

    def _write(self) -> None:
        """Store the batch, and tell each file what was new of it."""
        stored: StoredByFile = Counter()

        def keep(found: StoredByFile) -> Sequence[IntakeMinute]:
            stored.clear()
            stored.update(found)
            return ()  # Files have no row by the minute.

        self.writer.write_accounted(self.batch, keep)
        open_accounts = [*self.finished, *([self.current] if self.current else [])]
        for account in open_accounts:
            account.n_stored += stored[account.origin.file_id]

    def _is_full(self) -> bool:
        return self.n_waiting >= BATCH_RECORDS or self.n_batch_bytes >= BATCH_BYTES

    def _read(self, source: Source, found: Found, account: FileAccount) -> None:
        def report() -> None:
            done = source.n_stored_bytes
            self.on_progress(Progress(found.path, done, found.n_bytes, account.n_records))

        report()
        try:
            account.detected = detect(source)
        except UnknownContainerError as error:
            account.sentences.append(str(error))
        else:
            for _ in self._committed(source, account, account.detected):
                report()
        if source.fault and source.fault not in account.sentences:
            account.sentences.append(source.fault)
        source.drain()
        account.sha256, account.n_bytes = source.sha256, source.n_stored_bytes
        report()

    def _committed(
        self, source: Source, account: FileAccount, detected: Detected
    ) -> Iterator[None]:
        """Take in the source; yields after each commit."""
        origin = account.origin
        for item in read(source, detected, origin):
            account.add(item, self.batch)
            if isinstance(item, Decoded):
                self._keep(item)
            self.n_waiting += not isinstance(item, Ignored)
            if self._is_full():
                self.commit()
                # Derive skips what did not arrive with the traces it is about: one moment for a whole
                # file would have it read all of it for each thousand of them.
                origin.received_time_ns = max(self.clock(), origin.received_time_ns)
                yield

    def _keep(self, item: Decoded) -> None:
        """Let a record wait for its commit, mapped soon: then only its text waits."""
        self.n_batch_bytes += item.n_bytes
        self.n_unmapped_bytes += item.n_bytes
        self.unmapped.append(item.record)
        if len(self.unmapped) >= _MAPPED_RECORDS or self.n_unmapped_bytes >= _MAPPED_BYTES:
            self._map()

    def _map(self) -> None:
        map_records(self.unmapped, self.batch)
        for record in self.unmapped:
            if isinstance(record, Span | SpanLog) and isinstance(record.attributes, JsonObject):
                record.attributes.forget_values()
        self.unmapped, self.n_unmapped_bytes = [], 0


def _silent(_: Progress) -> None:
    """Nobody is watching."""
