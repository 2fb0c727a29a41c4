"""What must not be kept, taken out before anything is written: personal numbers, mail, secrets.

One pass of an RE2 set over the JSON of a record says which rules can match at all; only those run
over its strings. Nearly all records end at that pass. A removed value leaves its kind and a short
tag, such as `[redacted phone 3f1a]`: equal values stay equal, different ones different, and the tag
is too short to find the value by trial. Numbers that are no text (durations, counts, times) are
left alone: eleven digits of them are hardly ever a telephone.

Source of the checks: GB 11643 (ID card), ISO/IEC 7812 (card numbers, Luhn), MIIT numbering plan
(mobile numbers).
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from hashlib import blake2b
from typing import Any, Final, NamedTuple

import re2  # type: ignore[import-untyped]

__all__ = ["DEFAULT_KEYS", "Kind", "Redacted", "Redactor"]


class Kind(StrEnum):
    """What is looked for."""

    PHONE = "phone"
    EMAIL = "email"
    ID_CARD = "id_card"
    CARD = "card"
    SECRET = "secret"  # noqa: S105 - the name of a kind
    KEY = "key"
    """The whole value of a configured attribute key."""


DEFAULT_KEYS: Final = (
    "authorization",
    "http.request.header.authorization",
    "http.request.header.cookie",
    "http.response.header.set-cookie",
    "password",
    "api_key",
)
"""Attribute keys whose values are never kept, in whatever they are nested; case is ignored."""

Checked = Callable[[str], bool]


class _Rule(NamedTuple):
    kind: Kind
    sign: str
    """For RE2: what a match must hold, short and without counted repeats, so that the automaton of
    all rules together stays small."""
    pattern: str
    """For Python: the whole of it; a first group is kept."""
    is_valid: Checked | None = None


class Redacted(NamedTuple):
    """A value without what was looked for."""

    value: Any
    n_removed: int


def _has_luhn(text: str) -> bool:
    digits = [int(character) for character in text if character.isdigit()]
    if len(digits) not in _CARD_LENGTHS:
        return False
    doubled = [digit * 2 - 9 * (digit > 4) for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def _is_id_card(text: str) -> bool:
    total = sum(int(digit) * weight for digit, weight in zip(text[:17], _ID_WEIGHTS, strict=True))
    return _ID_CHECKS[total % 11] == text[17].upper()


_CARD_LENGTHS: Final = range(13, 20)
_ID_WEIGHTS: Final = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_ID_CHECKS: Final = "10X98765432"

_RULES: Final = (
    _Rule(
        Kind.ID_CARD,
        r"\b[1-8]\d{16}[\dXx]\b",
        r"\b[1-8]\d{5}(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dXx]\b",
        _is_id_card,
    ),
    _Rule(
        Kind.CARD,
        r"\b[2-6]\d{3}[ \-]?\d{4}[ \-]?\d{4}[ \-]?\d|\b3[47]\d\d[ \-]?\d{6}[ \-]?\d{5}\b",
        r"\b(?:4\d{3}|5[1-5]\d{2}|2[2-7]\d{2}|3[457]\d{2}|6[025]\d{2})(?:[ \-]?\d){9,15}\b",
        _has_luhn,
    ),
    _Rule(
        Kind.PHONE,
        r"\b(?:86)?1[3-9]\d[ \-]?\d{4}[ \-]?\d{4}\b",
        r"(?:\+?\b86[ \-]?|\b)1[3-9]\d[ \-]?\d{4}[ \-]?\d{4}\b",
    ),
    _Rule(
        Kind.PHONE,
        r"\+\d\d?\d?[ \-]?\(?\d\d",
        r"\+\d{1,3}[ \-]?\(?\d{2,4}\)?(?:[ \-]\d{2,4}){2,3}\b",
    ),
    _Rule(
        Kind.EMAIL,
        r"[A-Za-z0-9._%+\-]@[A-Za-z0-9\-]+\.[A-Za-z0-9\-][A-Za-z0-9\-]",
        r"\b[A-Za-z0-9._%+\-]{1,64}@[A-Za-z0-9\-]{1,63}(?:\.[A-Za-z0-9\-]{2,63}){1,4}\b",
    ),
    _Rule(
        Kind.SECRET,
        r"\b(?:sk-|gh[pousr]_|github_pat_|xox[abprs]-|AKIA|AIza|glpat-|eyJ)[A-Za-z0-9_\-]",
        r"\b(?:sk-[A-Za-z0-9_\-]{20,200}|gh[pousr]_[A-Za-z0-9]{30,200}|github_pat_\w{20,200}"
        r"|xox[abprs]-[A-Za-z0-9\-]{10,200}|AKIA[0-9A-Z]{16}|AIza[0-9A-Za-z_\-]{35}"
        r"|glpat-[A-Za-z0-9_\-]{20,200}"
        r"|eyJ[A-Za-z0-9_\-]{8,500}\.eyJ[A-Za-z0-9_\-]{8,900}\.[A-Za-z0-9_\-]{8,900})",
    ),
    _Rule(
        Kind.SECRET,
        r"PRIVATE KEY-----",
        r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[\s\S]*?"
        r"(?:-----END [A-Z ]{0,30}PRIVATE KEY-----|\Z)",
    ),
    _Rule(
        Kind.SECRET,
        r"(?i:bearer) [A-Za-z0-9._~+/\-]",
        r"(?i:\bbearer) [A-Za-z0-9._~+/\-]{16,900}",
    ),
    _Rule(
        Kind.SECRET,
        r"(?i:password|passwd|secret|api_?-?key|access_?-?token)[\\\"' ]*[:=]",
        r"((?i:passw(?:or)?d|secret|api[_\-]?key|access[_\-]?token)"
        r"[\\\"']{0,4}\s{0,3}[:=]\s{0,3}[\\\"']{0,4})[^\s\\\"',;\[]{6,200}",
    ),
)
_KEPT_FIELDS: Final = frozenset({"trace_id", "span_id", "parent_span_id"})
"""Ids are what they are: digits in them are no card number."""
_SHORTEST: Final = 6
_SET_BYTES: Final = 64 * 1024**2


@dataclass(frozen=True, slots=True)
class _Compiled:
    kind: Kind
    pattern: "re.Pattern[str]"
    is_valid: Checked | None


class Redactor:
    """Finds and removes; safe to share between threads.

    Args:
        kinds: What to look for.
        keys: Attribute keys whose values are removed whole; used when `kinds` has KEY.
    """

    def __init__(
        self, kinds: Iterable[Kind] = tuple(Kind), keys: Collection[str] = DEFAULT_KEYS
    ) -> None:
        wanted = frozenset(kinds)
        self._keys = frozenset(key.lower() for key in keys) if Kind.KEY in wanted else frozenset()
        rules = [rule for rule in _RULES if rule.kind in wanted]
        self._rules = [_compiled(rule) for rule in rules]
        patterns = [rule.sign for rule in rules]
        if self._keys:
            patterns.append(_key_pattern(self._keys))
        self._set = _set(patterns)

    def hits(self, text: bytes) -> Sequence[int]:
        """Which rules can match in the JSON of a record; empty for nearly all records."""
        return (self._set.Match(text) if self._set is not None else None) or ()

    def fields(self, fields: Mapping[str, Any], hits: Collection[int]) -> Redacted:
        """The columns of a record without what the rules of `hits` find."""
        active = [self._rules[index] for index in hits if index < len(self._rules)]
        with_keys = any(index >= len(self._rules) for index in hits)
        walk = _Walk(active, self._keys if with_keys else frozenset())
        return Redacted(walk.mapping(fields), walk.n_removed)

    def text(self, text: str) -> str:
        """A text without what any rule finds, for bytes that could not be read as a record."""
        walk = _Walk(self._rules, frozenset())
        return walk.text(text)


class _Walk:
    """One pass over a value; counts what it removes."""

    def __init__(self, rules: Sequence[_Compiled], keys: frozenset[str]) -> None:
        self._rules = rules
        self._keys = keys
        self.n_removed = 0

    def mapping(self, value: Mapping[str, Any]) -> dict[str, Any]:
        return {key: self._entry(key, item) for key, item in value.items()}

    def text(self, text: str) -> str:
        if len(text) < _SHORTEST:
            return text
        for rule in self._rules:
            text = rule.pattern.sub(partial(self._replaced, rule), text)
        return text

    def _entry(self, key: str, value: Any) -> Any:
        if key in _KEPT_FIELDS or value is None:
            return value
        if self._keys and key.lower() in self._keys and value != "":
            self.n_removed += 1
            return _mark(Kind.KEY, str(value))
        return self._value(value)

    def _value(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return self.mapping(value)
        if isinstance(value, list):
            return [self._value(item) for item in value]
        return value

    def _replaced(self, rule: _Compiled, match: "re.Match[str]") -> str:
        kept = match.group(1) if match.lastindex else ""
        found = match.group()[len(kept) :]
        if rule.is_valid is not None and not rule.is_valid(found):
            return found
        self.n_removed += 1
        return kept + _mark(rule.kind, found)


def _mark(kind: Kind, found: str) -> str:
    tag = blake2b(found.encode("utf-8", "surrogatepass"), digest_size=2).hexdigest()
    return f"[redacted {kind} {tag}]"


def _compiled(rule: _Rule) -> _Compiled:
    return _Compiled(rule.kind, re.compile(rule.pattern, re.ASCII), rule.is_valid)


def _key_pattern(keys: frozenset[str]) -> str:
    return '"(?i:' + "|".join(sorted(re.escape(key) for key in keys)) + ')":'


def _set(patterns: Sequence[str]) -> Any:
    """The patterns as one automaton; None without patterns."""
    if not patterns:
        return None
    options = re2.Options()
    options.max_mem = _SET_BYTES
    options.encoding = re2.Options.Encoding.LATIN1
    found = re2.Set.SearchSet(options)
    for pattern in patterns:
        found.Add(pattern)
    found.Compile()
    return found
