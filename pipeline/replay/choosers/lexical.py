"""The lexical chooser: a baseline that reads contracts word by word, offline, the same each time.

The words of the request are looked for in the sentences of each tool's contract (BM25); a sentence
that says when not to use the tool counts against it. Its accuracy is no model's. What it is for: a
change of a contract's sentences moves its scores, so a case whose choice flips shows where a model
may be led astray; and any chooser that is worth something does better.

Source: Robertson and Zaragoza 2009 (BM25); S3 §3.1 (when to use, when not to).
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pipeline.replay.case import Chosen, Offered, Passage
from pipeline.replay.choosers.situation import Situation
from pipeline.terms import terms
from pipeline.vocabulary import NO_CALL

_K1: Final = 1.2
_B: Final = 0.75
_NAME_WEIGHT: Final = 2
"""A term of the name counts as often as in two sentences."""
_AGAINST: Final = 0.5
"""What a sentence against the tool takes away, of what it would have given."""
_SENTENCE: Final = re.compile(r"[。！？；;\n]|[.!?](?=\s|$)")
_NEGATIVE: Final = re.compile(
    r"不要|不用|不能|不查|请用|请先用|改用|勿|\b(?:do not|don't|never|not for|instead|avoid)\b",
    re.IGNORECASE,
)
_MAX_SCHEMA_DEPTH: Final = 6


@dataclass(frozen=True, slots=True)
class LexicalChooser:
    """Chooses the tool whose contract has the most of the request's words; NO_CALL for none.

    A tool that was called since the request is not chosen again, and the words that its contract
    answers to are taken as dealt with.
    """

    name: str = "lexical"

    def choose(self, situation: Situation) -> Chosen:
        """The best tool; of equals the one offered first. Its arguments are left open."""
        scored = self.scores(situation)
        best = max(scored, key=lambda tool: scored[tool], default=NO_CALL)
        return Chosen(best if scored.get(best, 0.0) > 0 else NO_CALL)

    def scores(self, situation: Situation) -> dict[str, float]:
        """The score of each tool that may be chosen, in the order offered."""
        query, called = _request(situation.input)
        contracts = [_Contract.of(tool) for tool in situation.offered]
        dealt_with = {t for c in contracts if c.name in called for t in c.for_it}
        wanted = Counter({t: n for t, n in Counter(query).items() if t not in dealt_with})
        corpus = _Corpus.of(contracts)
        return {
            contract.name: corpus.score(wanted, contract.for_it)
            - _AGAINST * corpus.score(wanted, contract.against_it)
            for contract in contracts
            if contract.name not in called
        }


@dataclass(frozen=True, slots=True)
class _Contract:
    """The terms of one tool's sentences."""

    name: str
    for_it: Counter[str]
    against_it: Counter[str]

    @classmethod
    def of(cls, tool: Offered) -> "_Contract":
        for_it, against_it = Counter(terms(tool.name) * _NAME_WEIGHT), Counter[str]()
        for sentence in _sentences(tool):
            side = against_it if _NEGATIVE.search(sentence) else for_it
            side.update(terms(sentence))
        return cls(tool.name, for_it, against_it)


@dataclass(frozen=True, slots=True)
class _Corpus:
    """How common each term is among the contracts on offer."""

    n: int
    n_with: Mapping[str, int]
    mean_length: float

    @classmethod
    def of(cls, contracts: Sequence[_Contract]) -> "_Corpus":
        n_with = Counter(term for contract in contracts for term in contract.for_it)
        lengths = [contract.for_it.total() for contract in contracts]
        return cls(len(contracts), n_with, sum(lengths) / len(lengths) if lengths else 0.0)

    def score(self, wanted: Counter[str], held: Counter[str]) -> float:
        length = held.total() / self.mean_length if self.mean_length else 0.0
        norm = _K1 * (1 - _B + _B * length)
        return sum(
            n_wanted * self._rarity(term) * held[term] * (_K1 + 1) / (held[term] + norm)
            for term, n_wanted in wanted.items()
            if held[term]
        )

    def _rarity(self, term: str) -> float:
        found = self.n_with.get(term, 0)
        return math.log(1 + (self.n - found + 0.5) / (found + 0.5))


def _request(given: Iterable[Passage]) -> tuple[list[str], set[str]]:
    """The terms of the last request, and the tools called since."""
    words: str = ""
    called: set[str] = set()
    for passage in given:
        if passage.role in ("user", "human", "input") and passage.kind == "text":
            words, called = passage.text, set()
        elif passage.kind == "call" and passage.name is not None:
            called.add(passage.name)
    return terms(words), called


def _sentences(tool: Offered) -> Iterator[str]:
    for text in (tool.description or "", *_schema_texts(tool.input_schema or {}, 0)):
        yield from (part for part in _SENTENCE.split(text) if part.strip())


def _schema_texts(schema: Mapping[str, Any], depth: int) -> Iterator[str]:
    """Names, descriptions and allowed values of parameters, nested ones too."""
    if depth > _MAX_SCHEMA_DEPTH:
        return
    properties = schema.get("properties")
    for name, value in properties.items() if isinstance(properties, Mapping) else ():
        yield str(name)
        if not isinstance(value, Mapping):
            continue
        yield str(value.get("description") or "")
        allowed = value.get("enum")
        yield from map(str, allowed if isinstance(allowed, list | tuple) else ())
        yield from _schema_texts(value, depth + 1)
