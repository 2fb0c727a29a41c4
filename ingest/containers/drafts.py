"""What a foreign container yields: spans, logs and ground truth in neutral form, ids still native.

A container knows its own format and nothing of ids, hashes, provenance or the store: it reads
pieces (JSON values with their places) and yields these; `drafting` makes records of them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, TypeAlias

from ingest.errors import RecordError
from ingest.kinds import Container
from pipeline.vocabulary import AnnotatorKind, Match


class Piece(NamedTuple):
    """One JSON value of a file: a line, an item of a list, or the whole document."""

    value: Any
    place: str
    """Where it stands, such as `line 17`; `document` for a whole one."""


@dataclass(slots=True)
class SpanDraft:
    """One span, its ids as its source writes them."""

    trace_key: str
    span_key: str
    name: str
    parent_key: str | None = None
    start: int | None = None
    """Nanoseconds since the epoch; None when the source does not say."""
    end: int | None = None
    duration: int | None = None
    """What the source reports; without one, end minus start."""
    otel_kind: int = 0
    status_code: int = 0
    """0 unset, 1 ok, 2 error."""
    status_message: str | None = None
    attributes: dict[str, Any] = field(default_factory=dict)
    events: list[dict[str, Any]] = field(default_factory=list)
    """`time_ns`, `name`, `attributes`."""
    links: list[dict[str, Any]] = field(default_factory=list)
    """`trace_id`, `span_id`, `trace_state`, `attributes`; ids native."""
    resource: Mapping[str, Any] = field(default_factory=dict)
    scope_name: str | None = None
    scope_version: str | None = None
    n_dropped: int = 0


@dataclass(slots=True)
class ExpectationDraft:
    """One call that a test case expects, or the expectation that there is none."""

    case_id: str | None = None
    trace_key: str | None = None
    turn: int | None = None
    position: int = 0
    tool_name: str | None = None
    arguments: Any = None
    match: Match = Match.EXACT
    is_ordered: bool = False
    is_complete: bool = False


@dataclass(slots=True)
class ScoreDraft:
    """One judgement that came with the data: of a trace, a step of it, or a span."""

    name: str
    case_id: str | None = None
    trace_key: str | None = None
    span_key: str | None = None
    step: int | None = None
    value: float | None = None
    label: str | None = None
    explanation: str | None = None
    annotator: str | None = None
    annotator_kind: AnnotatorKind = AnnotatorKind.HUMAN
    time: int | None = None


@dataclass(slots=True)
class CaseRunDraft:
    """Which test case a trace is a run of."""

    trace_key: str
    case_id: str
    trial: int | None = None


@dataclass(slots=True)
class Refused:
    """A piece, or a part of one, that cannot be read."""

    place: str
    error: RecordError
    value: Any = None


@dataclass(slots=True)
class Passed:
    """Something well-formed that this container carries and nobody needs; counted by its name."""

    what: str
    n: int = 1


@dataclass(slots=True)
class Otlp:
    """An OTLP/JSON export that was wrapped in something."""

    value: Any
    place: str


Draft: TypeAlias = (
    SpanDraft | ExpectationDraft | ScoreDraft | CaseRunDraft | Refused | Passed | Otlp
)
Pieces: TypeAlias = Iterable[Piece]


class Desk(NamedTuple):
    """What a reader may know of the file besides its pieces."""

    stem: str
    """File name without folder and extensions; for formats that write an id nowhere else."""


class Read(Protocol):
    """Reads the pieces of one file."""

    def __call__(self, pieces: Pieces, desk: Desk) -> Iterator[Draft]:
        """The drafts, in file order."""


@dataclass(frozen=True, slots=True)
class Format:
    """One container: how it is known, and how it is read."""

    container: Container
    words: str
    """What a file of it is called, such as `a Langfuse trace`."""
    sign: Callable[[Any], str | None]
    """What in one piece says so, in words; None when nothing does."""
    read: Read
    takes_list: bool = False
    """Whether a document that is a list is one piece, and not a piece an item."""


def each(read_one: Callable[[Any], Iterable[Draft]]) -> Read:
    """A reader of pieces that have nothing to do with each other."""

    def read(pieces: Pieces, desk: Desk) -> Iterator[Draft]:
        for piece in pieces:
            try:
                yield from read_one(piece.value)
            except RecordError as error:
                yield Refused(piece.place, error, piece.value)

    return read


def keys_sign(*names: str) -> Callable[[Any], str | None]:
    """A sign: an object with all of these keys."""
    sentence = f"it has {' and '.join(names)}"
    keys = frozenset(names)

    def sign(value: Any) -> str | None:
        return sentence if isinstance(value, dict) and value.keys() >= keys else None

    return sign


def any_sign(signs: Sequence[Callable[[Any], str | None]]) -> Callable[[Any], str | None]:
    """A sign: the first of several that speaks."""

    def sign(value: Any) -> str | None:
        return next((found for one in signs if (found := one(value))), None)

    return sign
