"""The running account of one file: what was read, refused and left out, and its ledger line."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from ingest.decoded import Ignored, Item, Origin, Record
from ingest.detection import Detected
from ingest.text import storable
from replay_store.records import (
    CaseRun,
    Expectation,
    IngestFile,
    Label,
    NoiseLog,
    Reject,
    ReplayCase,
    Score,
    Span,
    SpanLog,
)
from replay_store.writer import Batch

_LISTS: Final[Mapping[type[Record], str]] = {
    Span: "spans",
    SpanLog: "span_logs",
    NoiseLog: "noise_logs",
    Label: "labels",
    ReplayCase: "replay_cases",
    Expectation: "expectations",
    Score: "scores",
    CaseRun: "case_runs",
}
"""Where a batch holds each kind of record."""


@dataclass(slots=True)
class FileAccount:
    """One file on its way in; `n_records = n_stored + n_merged + n_rejected` once all is committed."""

    origin: Origin
    started_time_ns: int = field(init=False)
    detected: Detected | None = None
    sha256: str | None = None
    n_bytes: int | None = None
    finished_time_ns: int = 0
    n_good: int = 0
    """Records read, committed or waiting."""
    n_stored: int = 0
    n_rejected: int = 0
    n_repaired: int = 0
    n_redacted: int = 0
    ignored: Counter[str] = field(default_factory=Counter)
    sentences: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.started_time_ns = self.origin.received_time_ns

    @property
    def n_records(self) -> int:
        """What was read, refused records included."""
        return self.n_good + self.n_rejected

    def add(self, item: Item, batch: Batch) -> None:
        """Count one item, and put its record into a batch."""
        if isinstance(item, Ignored):
            self.ignored[item.what] += item.n
        elif isinstance(item, Reject):
            if not self.n_rejected:
                self.sentences.append(f"{item.place}: {item.detail}")
            self.n_rejected += 1
            batch.rejects.append(item)
        else:
            self.n_good += 1
            self.n_repaired += item.is_repaired
            self.n_redacted += item.n_redacted
            getattr(batch, _LISTS[type(item.record)]).append(item.record)

    def line(self) -> IngestFile:
        """The ledger line."""
        return IngestFile(
            file_id=self.origin.file_id,
            path=storable(self.origin.path),
            sha256=self.sha256,
            n_bytes=self.n_bytes,
            container=self.detected.container if self.detected else None,
            started_time_ns=self.started_time_ns,
            finished_time_ns=self.finished_time_ns,
            n_records=self.n_records,
            n_stored=self.n_stored,
            n_merged=self.n_good - self.n_stored,
            n_rejected=self.n_rejected,
            n_repaired=self.n_repaired,
            message=self._message(),
            n_redacted=self.n_redacted,
            container_reason=self.detected.reason if self.detected else None,
        )

    def _message(self) -> str | None:
        """What a person must know about this file; None when all was read."""
        told = list(self.sentences)
        if self.n_rejected > 1:
            told[0] = (
                f"{self.n_rejected} of {self.n_records} records refused, the first at {told[0]}"
            )
        told.extend(
            f"{n} {what} left out: not read here; nothing to do" for what, n in self.ignored.items()
        )
        if not self.n_records and not told:
            told.append(
                "no records: expected spans, logs, ground truth or rows of our own; export again"
            )
        return storable(" | ".join(told)) or None
