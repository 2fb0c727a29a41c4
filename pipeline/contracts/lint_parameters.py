"""What is wrong with the parameters of one contract (S3 §3.2)."""

import itertools
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from pipeline.contracts.dangers import words_of
from pipeline.contracts.examples import example_of
from pipeline.contracts.findings import Finding, Rule
from pipeline.contracts.model import Contract

_TIMES: Final = frozenset({"date", "time", "day", "month", "period", "datetime", "start", "end"})
_IDS: Final = frozenset({"id", "no", "number", "code", "sku", "uuid", "key", "phone"})
_AMOUNTS: Final = frozenset({"amount", "price", "money", "fee", "total", "cost", "threshold"})
_SENSITIVE: Final = frozenset(
    ["phone", "mobile", "email", "password", "passport", "secret", "token", "ssn", "cvv", "iban"]
)
_SENSITIVE_PAIRS: Final = (("user", "id"), ("id", "card"), ("card", "no"), ("card", "number"))
_LISTED: Final = re.compile(
    r"可选值?|取值|只能是|one of|either|allowed values"
    r"|(?<![\w/|.])[\w-]+(?:\s*[|/]\s*[\w-]+){2,}(?![\w/|.])",
    re.IGNORECASE,
)
_DETAIL: Final = frozenset(
    {"include", "with", "detail", "details", "verbose", "full", "expand", "all"}
)


def lint_parameters(contract: Contract) -> Iterator[Finding]:
    """Everything found in its parameters, in their order."""
    for name, schema in contract.properties.items():
        if isinstance(schema, Mapping):
            for rule, values in _problems(name, schema):
                yield Finding(contract.name, rule, name, values)


def looks_sensitive(parameter: str) -> bool:
    """Whether its name says that it takes something personal or secret (S4 §3.2)."""
    words = words_of(parameter)
    return bool(_SENSITIVE & set(words)) or any(
        pair in _SENSITIVE_PAIRS for pair in itertools.pairwise(words)
    )


def _problems(name: str, schema: Mapping[str, Any]) -> Iterator[tuple[Rule, dict[str, str]]]:
    words = set(words_of(name))
    if not schema.get("description") and "enum" not in schema:
        yield Rule.NO_DESCRIPTION, {}
    if schema.get("type") == "boolean" and schema.get("default") is True and words & _DETAIL:
        yield Rule.DETAIL_ON, {}
    if schema.get("type") == "object" and not schema.get("properties"):
        yield Rule.OPEN_OBJECT, {}
    if (form := _better_form(schema, words)) is not None:
        yield Rule.FREE_TEXT, {"form": form}
    if _needs_example(schema, words) and example_of(schema) is None:
        yield Rule.NO_EXAMPLE, {"sample": _sample(words)}


def _better_form(schema: Mapping[str, Any], words: set[str]) -> str | None:
    """What would hold a free text; None where it is held already or may be free."""
    is_free = not any(key in schema for key in ("enum", "pattern", "format", "const", "$ref"))
    if schema.get("type") != "string" or not is_free:
        return None
    if _LISTED.search(str(schema.get("description") or "")):
        return '"enum": [...]'
    if words & {"date", "day"}:
        return '"format": "date"'
    if words & _TIMES:
        return '"format": "date-time"'
    if words & _IDS:
        return r'"pattern": "^...$"'
    return None


def _needs_example(schema: Mapping[str, Any], words: set[str]) -> bool:
    if schema.get("type") in ("boolean", "object", "array"):
        return False
    return bool(words & (_TIMES | _IDS | _AMOUNTS))


def _sample(words: set[str]) -> str:
    if words & {"date", "day"}:
        return "2024-01-07"
    if words & _TIMES:
        return "2024-01-07T09:30:00+08:00"
    if words & _AMOUNTS:
        return "199.90"
    return "202401070001"
