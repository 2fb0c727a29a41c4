"""What comes out of a container: records, rejects, and things left out on purpose."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any, NamedTuple, TypeAlias, TypeVar
from uuid import UUID

from ingest.canonical import canonical, canonical_all
from ingest.errors import RecordError
from ingest.redaction import Redactor
from ingest.text import escaped, storable
from replay_store.records import (
    CaseRun,
    Expectation,
    Label,
    NoiseLog,
    Reject,
    ReplayCase,
    Score,
    Span,
    SpanLog,
)

Record: TypeAlias = Span | SpanLog | NoiseLog | Label | ReplayCase | Expectation | Score | CaseRun
RecordT = TypeVar(
    "RecordT", Span, SpanLog, NoiseLog, Label, ReplayCase, Expectation, Score, CaseRun
)


class Decoded(NamedTuple):
    """One good record."""

    record: Record
    is_repaired: bool
    """Whether something in it had to be escaped or dropped to be kept at all."""
    n_redacted: int = 0
    """Values in it that were taken out because they must not be kept."""
    n_bytes: int = 0
    """Its length as JSON."""


@dataclass(frozen=True, slots=True)
class Ignored:
    """Something well-formed that is not read; not a record, so not in the ledger's sum."""

    what: str
    n: int


Item: TypeAlias = Decoded | Reject | Ignored


@dataclass(slots=True)
class Origin:
    """Where records come from: stamped on each of them.

    Use one for each file or request; it numbers the records.
    """

    file_id: UUID
    path: str
    """File path, or the name of the door a request came through."""
    received_time_ns: int
    """When the next record is read; a long file moves it on, so that traces which came together lie
    together in time too."""
    redactor: Redactor | None = None
    """Takes out what must not be kept; None keeps everything."""
    _indexes: Iterator[int] = field(default_factory=count)

    def decoded(
        self,
        record: type[RecordT],
        fields: dict[str, Any],
        *,
        is_repaired: bool = False,
        id_field: str | None = None,
        finish: Callable[[dict[str, Any]], None] | None = None,
    ) -> Decoded:
        """The record of these fields, hashed and stamped.

        Args:
            record: Its class.
            fields: Its columns without hash and provenance.
            is_repaired: Whether the reader has already repaired something.
            id_field: A column that takes the hash as its value where `fields` lacks it.
            finish: Changes columns that follow from what is kept; the hash is that of before.
        """
        form = canonical(fields, self.redactor)
        if id_field is not None and id_field not in form.fields:
            form.fields[id_field] = f"{form.record_hash:016x}"
        if finish is not None:
            finish(form.fields)
        built = record(
            **form.fields,
            record_hash=form.record_hash,
            file_id=self.file_id,
            record_index=next(self._indexes),
            received_time_ns=self.received_time_ns,
        )
        return Decoded(built, is_repaired or form.is_repaired, form.n_redacted, form.n_bytes)

    def decoded_all(
        self,
        record: type[RecordT],
        fields: Sequence[dict[str, Any]],
        is_repaired: Sequence[bool],
    ) -> list[Decoded]:
        """Like `decoded`, for records that are read together."""
        forms = canonical_all(fields, self.redactor)
        stamp = (self.file_id, self.received_time_ns)
        return [
            Decoded(
                record(
                    **form.fields,
                    record_hash=form.record_hash,
                    file_id=stamp[0],
                    record_index=index,
                    received_time_ns=stamp[1],
                ),
                repaired or form.is_repaired,
                form.n_redacted,
                form.n_bytes,
            )
            for form, repaired, index in zip(forms, is_repaired, self._indexes, strict=False)
        ]

    def reject(self, place: str, error: RecordError, raw: bytes | None = None) -> Reject:
        """The reject of one record.

        Args:
            place: Where in the file, such as `line 17`.
            error: Reason and sentence.
            raw: The refused bytes; only their beginning is kept.
        """
        next(self._indexes)
        return Reject(
            file_id=self.file_id,
            path=storable(self.path),
            place=place,
            reason=error.reason,
            detail=self._kept(storable(error.detail)),
            raw=None if raw is None else self._kept(escaped(raw)),
            n_raw_bytes=None if raw is None else len(raw),
            received_time_ns=self.received_time_ns,
        )

    def _kept(self, text: str) -> str:
        return text if self.redactor is None else self.redactor.text(text)
