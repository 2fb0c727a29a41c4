"""Small parts that several kinds of rules are made of."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from pipeline.observation.bands import Band, cover_problem
from pipeline.observation.errors import RuleFileError
from pipeline.observation.expression import exact
from pipeline.observation.fragment import ANY_LANGUAGE, Words
from pipeline.observation.rules.schema import BandSpec, Text


@dataclass(frozen=True, slots=True)
class FieldPlace:
    """Where a field is written, for names and messages."""

    file: str
    tool: str
    path: str
    name: str


def dotted(path: str) -> tuple[str, ...]:
    """`a.b.0` as its steps."""
    return tuple(path.split("."))


def words_of(text: Text | None) -> Words:
    """Display text as sorted (language, text) pairs; a plain string serves every language."""
    if text is None:
        return ()
    return ((ANY_LANGUAGE, text),) if isinstance(text, str) else tuple(sorted(text.items()))


def compile_bands(file: str, path: str, specs: Sequence[BandSpec]) -> tuple[Band, ...]:
    """Half-open intervals in their order.

    Raises:
        RuleFileError: They leave a gap, overlap, or mix both kinds of bound at one end.
    """
    if not specs:
        return ()
    bands = tuple(_band(file, f"{path}[{index}]", spec) for index, spec in enumerate(specs))
    problem = cover_problem(bands)
    if problem is not None:
        allowed = ["from/below or above/up_to, lowest first, each starting where the last ended"]
        raise RuleFileError(file, path, problem, allowed)
    return bands


def _band(file: str, path: str, spec: BandSpec) -> Band:
    if spec.from_ is not None and spec.above is not None:
        raise RuleFileError(file, path, "both from and above", ["from", "above"])
    if spec.below is not None and spec.up_to is not None:
        raise RuleFileError(file, path, "both below and up_to", ["below", "up_to"])
    return Band(
        low=_bound(spec.from_ if spec.from_ is not None else spec.above),
        includes_low=spec.from_ is not None,
        high=_bound(spec.below if spec.below is not None else spec.up_to),
        includes_high=spec.up_to is not None,
        code=spec.code,
        words=words_of(spec.label),
    )


def _bound(number: float | None) -> Fraction | None:
    return None if number is None else exact(number)
