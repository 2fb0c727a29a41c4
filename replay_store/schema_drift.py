"""Has what a tool answers changed its shape? Paths that are new, gone, or of another type.

A change is told when chance does not explain it: a path that came in a share p of answers on one
side of a moment, and in none of k on the other, would do so with probability (1 - p)^k.
"""

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from replay_store.database import Database
from replay_store.statements import statement

MAX_OUTPUTS: Final = 2_000
"""Distinct answers of a tool that are read, the latest ones."""
MAX_PATHS: Final = 500
"""Paths of an answer that are looked at; an answer with more is data, not a schema."""
MAX_CHANCE: Final = 0.001
"""How improbable a change must be by chance alone."""
MAX_DEPTH: Final = 12


class DriftKind(StrEnum):
    """What became of a path."""

    NEW = "new"
    MISSING = "missing"
    RETYPED = "retyped"


@dataclass(frozen=True, slots=True)
class RecordedShape:
    """One distinct answer: its paths and types, and when it came."""

    types: Mapping[str, str]
    """JSON type by path; items of a list are one path, `items[].sku`."""
    contract_version: str | None
    n: int
    first_time_ns: int
    last_time_ns: int
    trace_id: str
    span_id: str


@dataclass(frozen=True, slots=True)
class Drift:
    """One path of one tool that changed."""

    tool_name: str
    path: str
    kind: DriftKind
    before: str | None
    """JSON type before; None for a new path."""
    after: str | None
    """JSON type after; None for one that is gone."""
    since_time_ns: int
    """First answer that has the new type, or last one that had the path."""
    n_before: int
    """Answers before that moment (for a path that is gone: up to it)."""
    n_after: int
    share: float
    """Of the answers on the side where it is, how many have it."""
    contract_versions: tuple[str, ...]
    """Of the answers on the later side, sorted; empty where nobody said."""
    trace_id: str
    """An answer to look at: the first with the new shape; for a path that is gone the first that
    has it no more."""
    span_id: str


def recorded_shapes(
    database: Database, tool_name: str, max_outputs: int = MAX_OUTPUTS
) -> list[RecordedShape]:
    """The shapes of a tool's recorded answers, the latest ones first.

    What observations were given is read; what the tool answered where there is no observation of it.
    """
    for source in ("observation", "execution"):
        parameters = {"tool_name": tool_name, "max_outputs": max_outputs, "source": source}
        rows = database.rows(statement("sql/rules_answers"), parameters)
        if rows:
            return [shape for row in rows if (shape := _shape(row)) is not None]
    return []


def schema_drift(tool_name: str, shapes: Iterable[RecordedShape]) -> list[Drift]:
    """What changed in the shape of a tool's answers, the latest change first; empty without any."""
    known = [shape for shape in shapes if len(shape.types) <= MAX_PATHS]
    seen: dict[tuple[str, str], list[RecordedShape]] = defaultdict(list)
    for shape in known:
        for path, type_name in shape.types.items():
            seen[path, type_name].append(shape)
    paths: dict[str, list[str]] = defaultdict(list)
    for path, type_name in seen:
        paths[path].append(type_name)
    found = [
        drift
        for path in sorted(paths)
        for drift in _of_path(_Path(tool_name, path, paths[path], seen, known))
    ]
    parents = {(drift.path, drift.kind) for drift in found}
    kept = [drift for drift in found if not _is_below(drift, parents)]
    return sorted(kept, key=lambda drift: (-drift.since_time_ns, drift.path))


@dataclass(frozen=True, slots=True)
class _Path:
    tool_name: str
    path: str
    types: Sequence[str]
    seen: Mapping[tuple[str, str], Sequence[RecordedShape]]
    known: Sequence[RecordedShape]

    def having(self, *types: str) -> list[RecordedShape]:
        """Answers in which the path has one of these types; null is of no type."""
        return [shape for name in types for shape in self.seen[self.path, name]]


def _of_path(at: _Path) -> Iterator[Drift]:
    types = [name for name in at.types if name != "null"]
    if not types:
        return
    having = at.having(*types)
    if drift := _appeared(at, having, DriftKind.NEW, types[0], None):
        yield drift
    if drift := _vanished(at, having, types):
        yield drift
    if len(types) > 1:
        order = sorted(types, key=lambda name: min(s.first_time_ns for s in at.having(name)))
        newest = order[-1]
        drift = _appeared(
            at, at.having(newest), DriftKind.RETYPED, newest, order[-2], at.having(*types)
        )
        if drift is not None:
            yield drift


def _appeared(
    at: _Path,
    having: Sequence[RecordedShape],
    kind: DriftKind,
    after: str,
    before: str | None,
    among: Sequence[RecordedShape] | None = None,
) -> Drift | None:
    """A path, or a type of it, that came in no answer before some moment."""
    first = min(having, key=lambda shape: shape.first_time_ns)
    answers = at.known if among is None else among
    earlier = _n(shape for shape in answers if shape.last_time_ns < first.first_time_ns)
    later = [shape for shape in answers if shape.last_time_ns >= first.first_time_ns]
    share = _n(having) / max(_n(later), 1)
    if not _is_improbable(share, earlier):
        return None
    return Drift(
        at.tool_name,
        at.path,
        kind,
        before,
        after,
        first.first_time_ns,
        earlier,
        _n(later),
        share,
        _versions(later),
        first.trace_id,
        first.span_id,
    )


def _vanished(at: _Path, having: Sequence[RecordedShape], types: Sequence[str]) -> Drift | None:
    last = max(shape.last_time_ns for shape in having)
    later = [shape for shape in at.known if shape.first_time_ns > last]
    earlier = [shape for shape in at.known if shape.first_time_ns <= last]
    share = _n(having) / max(_n(earlier), 1)
    if not later or not _is_improbable(share, _n(later)):
        return None
    first = min(later, key=lambda shape: shape.first_time_ns)
    return Drift(
        at.tool_name,
        at.path,
        DriftKind.MISSING,
        types[0],
        None,
        last,
        _n(earlier),
        _n(later),
        share,
        _versions(later),
        first.trace_id,
        first.span_id,
    )


def _is_improbable(share: float, n_other: int) -> bool:
    """Whether so many answers without it are no chance, given its share on the other side."""
    if n_other == 0:
        return False
    if share >= 1:
        return n_other >= -math.log(MAX_CHANCE)
    return n_other * math.log1p(-share) < math.log(MAX_CHANCE)


def _is_below(drift: Drift, known: set[tuple[str, DriftKind]]) -> bool:
    """Whether a path above it changed in the same way: one thing is told once."""
    path = drift.path
    while "." in path or path.endswith("[]"):
        path = path[:-2] if path.endswith("[]") else path.rpartition(".")[0]
        if (path, drift.kind) in known:
            return True
    return False


def _n(shapes: Iterable[RecordedShape]) -> int:
    return sum(shape.n for shape in shapes)


def _versions(shapes: Iterable[RecordedShape]) -> tuple[str, ...]:
    return tuple(sorted({s.contract_version for s in shapes if s.contract_version is not None}))


def _shape(row: Mapping[str, Any]) -> RecordedShape | None:
    try:
        value = json.loads(row["body"])
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict | list):
        return None
    return RecordedShape(
        types=paths_of(value),
        contract_version=row["contract_version"],
        n=row["n"],
        first_time_ns=row["first_time_ns"],
        last_time_ns=row["last_time_ns"],
        trace_id=row["first_trace_id"],
        span_id=row["first_span_id"],
    )


@dataclass(slots=True)
class _Walk:
    types: dict[str, str] = field(default_factory=dict)

    def see(self, path: str, value: object, depth: int) -> None:
        """Note the type at a path; what is in it below. Mixed items of a list are `mixed`."""
        name = _type_name(value)
        known = self.types.get(path)
        if path and (known is None or known == "null"):
            self.types[path] = name
        elif path and known != name and name != "null":
            self.types[path] = "mixed"
        if depth >= MAX_DEPTH or len(self.types) > MAX_PATHS:
            return
        if isinstance(value, dict):
            for key, item in value.items():
                self.see(f"{path}.{key}" if path else str(key), item, depth + 1)
        elif isinstance(value, list):
            for item in value:
                self.see(f"{path}[]", item, depth + 1)


def paths_of(value: object) -> dict[str, str]:
    """The JSON type at each path of a value; `int` and `float` are both `number`."""
    walk = _Walk()
    walk.see("", value, 0)
    return walk.types


def _type_name(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, str):
        return "string"
    return "list" if isinstance(value, list) else "object"
