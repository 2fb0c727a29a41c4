"""The filter language of the Traces page: `tool:query_order duration>5s -status:ok "已发货"`.

Conditions stand side by side and must all hold; `-` in front of one turns it round. `name:value` is a
text, in which `*` stands for anything; numbers have `>`, `>=`, `<`, `<=`, `:` and `a..b`. What has no
name is looked for in arguments, results, prompts and logs.
"""

import re
from dataclasses import dataclass
from typing import Final

from dashboard.errors import DashboardError
from metrics.incident import SIGNS
from metrics.layers import Layer
from replay_store.saw import TROUBLES
from replay_store.trace_terms import NUMBERS, TEXTS, Term

__all__ = ["FIELDS", "HAS", "Query", "SearchError", "parsed", "quoted"]

HAS: Final = (*TROUBLES, "retry", "guard", "error", "note")
"""What `has:` may name."""
FIELDS: Final = (*TEXTS, "layer", "sign", "has", *NUMBERS)
"""Every name there is, in the order in which the page explains them."""
_MAX_TERMS: Final = 20
_MAX_WORDS: Final = 5
_NS: Final = {"us": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "min": 60 * 10**9}
_NS_PER_HOUR: Final = 3_600 * 10**9
_MAX: Final = (1 << 62) - 1
_TOKEN: Final = re.compile(
    r"""(?P<not>-?)
        (?:(?P<name>[a-z_]+)(?P<op>>=|<=|>|<|:|=))?
        (?:"(?P<quoted>(?:[^"\\]|\\.)*)"?|(?P<plain>\S*))""",
    re.VERBOSE | re.IGNORECASE,
)
_WIDE: Final = str.maketrans("：＞＜＝“”－", ':><=""-')
"""What a Chinese keyboard writes for the same marks."""
_AMOUNT: Final = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z]*)", re.IGNORECASE)


class SearchError(DashboardError):
    """A filter that cannot be read; says where and what was expected."""


@dataclass(frozen=True, slots=True)
class Query:
    """What a filter asks for."""

    terms: tuple[Term, ...] = ()
    words: tuple[str, ...] = ()
    """Looked for in the text of spans."""


def parsed(text: str) -> Query:
    """The conditions of a filter; none for an empty one.

    Raises:
        SearchError: A name, an operator or a value that is not known; says which, and what is.
    """
    terms: list[Term] = []
    words: list[str] = []
    text = text.translate(_WIDE)
    place = 0
    while place < len(text):
        if text[place].isspace():
            place += 1
            continue
        match = _TOKEN.match(text, place)
        if match is None or match.end() == place:
            break
        _read(match, terms, words)
        place = match.end()
    if len(terms) > _MAX_TERMS or len(words) > _MAX_WORDS:
        raise SearchError(
            f"filter: too long: expected at most {_MAX_TERMS} conditions and {_MAX_WORDS} words; "
            "put a phrase into quotes"
        )
    return Query(tuple(terms), tuple(words))


def quoted(value: str) -> str:
    """A value as a filter spells it."""
    if value and not re.search(r'[\s":<>=]', value) and not value.startswith("-"):
        return value
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _read(match: re.Match[str], terms: list[Term], words: list[str]) -> None:
    name, value, place = match["name"], _value(match), match.start() + 1
    if name is None:
        if match["not"] and match["quoted"] is None:
            value = match["not"] + value
        if value:
            words.append(value)
        return
    if name.lower() not in FIELDS:
        raise SearchError(
            f"filter, place {place}: {name}: no such name: expected one of {', '.join(FIELDS)}; to "
            "look for it as text, put it into quotes"
        )
    if not value:
        raise SearchError(f"filter, place {place}: {name}: expected a value after it")
    terms.append(_term(name.lower(), match["op"], value, place, is_negated=bool(match["not"])))


def _value(match: re.Match[str]) -> str:
    if match["quoted"] is not None:
        return re.sub(r"\\(.)", r"\1", match["quoted"])
    return str(match["plain"])


def _term(name: str, op: str, value: str, place: int, *, is_negated: bool) -> Term:
    if name in NUMBERS:
        low, high = _bounds(name, op, value, place)
        return Term(name, low=low, high=high, is_negated=is_negated)
    if op not in ":=":
        raise SearchError(f"filter, place {place}: {name}{op}: expected `{name}:{value}`")
    if name == "has":
        return _has(value.lower(), place, is_negated=is_negated)
    if name in {"layer", "sign"}:
        return Term("sign", _signs(name, value.lower(), place), is_negated=is_negated)
    return Term(name, value, is_negated=is_negated)


def _has(value: str, place: int, *, is_negated: bool) -> Term:
    known = {
        "retry": Term("retries", low=1, is_negated=is_negated),
        "error": Term("errors", low=1, is_negated=is_negated),
        "guard": Term("guard", "*", is_negated=is_negated),
        "note": Term("note", "", is_negated=is_negated),
    } | {name: Term("observed", name, is_negated=is_negated) for name in TROUBLES}
    if value not in known:
        raise SearchError(f"filter, place {place}: has:{value}: expected one of {', '.join(HAS)}")
    return known[value]


def _signs(name: str, value: str, place: int) -> tuple[str, ...]:
    if name == "sign":
        found = tuple(sign for sign in SIGNS if sign == value)
        known = ", ".join(SIGNS)
    else:
        found = tuple(sign for sign, kind in SIGNS.items() if kind.layer == value)
        known = ", ".join(Layer)
    if not found:
        raise SearchError(f"filter, place {place}: {name}:{value}: expected one of {known}")
    return found


def _bounds(name: str, op: str, value: str, place: int) -> tuple[int | None, int | None]:
    first, dots, last = value.partition("..")
    if dots:
        return _number(name, first, place), _number(name, last, place)
    number = _number(name, value, place)
    match op:
        case ">":
            return number + 1, None
        case ">=":
            return number, None
        case "<":
            return None, number - 1
        case "<=":
            return None, number
        case _:
            return number, number


def _number(name: str, value: str, place: int) -> int:
    match = _AMOUNT.fullmatch(value.replace(",", ""))
    units = _NS | {"h": _NS_PER_HOUR} if name == "duration" else {"": 1}
    unit = match[2].lower() if match else ""
    if match is None or unit not in units:
        example = "duration>5s, duration<=800ms" if name == "duration" else f"{name}>=3"
        raise SearchError(f"filter, place {place}: {name} {value}: expected such as {example}")
    return min(_MAX, round(float(match[1]) * units[unit]))
