"""What is wrong with a set of contracts, with the sentence that would mend it (S3 §3, §6.2, §7.1)."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from pipeline.contracts.dangers import VERBS, suspected_danger, words_of
from pipeline.contracts.findings import Finding, Rule, Severity
from pipeline.contracts.lint_parameters import lint_parameters, looks_sensitive
from pipeline.contracts.model import Contract, Danger
from pipeline.contracts.similarity import NEAR_DUPLICATE, alike_pairs

MAX_PARAMETERS: Final = 6
_CALL_BUDGET_MS: Final = 8_000
"""After which a call is ended, retries included (S3 §4.2)."""
_ORDER: Final = {severity: at for at, severity in enumerate(Severity)}
_BOUNDARY: Final = re.compile(
    r"只读|读取|写操作|写入|高危|不产生任何|read[- ]only|reads?\b|writes?\b|creates?\b|changes?\b"
    r"|modif|delete",
    re.IGNORECASE,
)
_WHEN: Final = re.compile(
    r"适用|用于|当用户|用户(?:询问|想|要|说)|\bwhen\b|\bfor (?:users|questions|requests)",
    re.IGNORECASE,
)
_WHEN_NOT: Final = re.compile(
    r"不要|不用|请先用|请用|改用|勿|不查|不适用|\b(?:do not|don't|never|not for|instead|avoid)\b",
    re.IGNORECASE,
)
_INTERNAL: Final = re.compile(
    r"(?:^|_)(?:svc|srv|impl|rpc|internal|tmp|dto|v\d+)(?:_|$)", re.IGNORECASE
)
_VAGUE: Final = frozenset({"handler", "manager", "service", "tool", "util", "helper", "api"})
_SNAKE: Final = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")


def lint_contracts(
    contracts: Iterable[Contract],
    near_duplicate: float = NEAR_DUPLICATE,
    *,
    seen_only: bool = False,
) -> tuple[Finding, ...]:
    """Everything found, worst first, then by tool; empty for contracts that leave nothing to mend.

    Args:
        contracts: A set that one model is offered.
        near_duplicate: From which similarity on two descriptions are reported.
        seen_only: Leave out what only a contract file declares: danger, quotas, SLA, idempotency,
            what is sensitive. For tools that are known from recorded offers.
    """
    known = sorted(contracts, key=lambda contract: contract.name)
    checks = _SEEN_CHECKS if seen_only else (*_SEEN_CHECKS, _declared, _sensitive, _agreed)
    found = [finding for contract in known for check in checks for finding in check(contract)]
    found += [*_prefixes(known), *_duplicates(known, near_duplicate)]
    return tuple(sorted(found, key=lambda item: (_ORDER[item.severity], item.tool)))


def _name(contract: Contract) -> Iterator[Finding]:
    words, name = words_of(contract.name), contract.name
    if _INTERNAL.search(name):
        plain = [word for word in name.split("_") if not _INTERNAL.fullmatch(word)]
        better = _verb_first(plain)
        yield Finding(name, Rule.INTERNAL_NAME, "name", {"better": better})
        return
    has_verb = bool(set(words[:2]) & VERBS) and len(words) > 1 and words[-1] not in VERBS
    if not has_verb or not _SNAKE.fullmatch(name):
        yield Finding(name, Rule.VERB_NOUN, "name", {"better": _verb_first(words)})


def _verb_first(words: Sequence[str]) -> str:
    """A name of these words that begins with their verb; `query` and `order` where one lacks."""
    verb = next((word for word in words if word in VERBS), "query")
    nouns = [word for word in words if word not in VERBS and word not in _VAGUE]
    return "_".join([verb, *(nouns or ["order"])])


def _sentences(contract: Contract) -> Iterator[Finding]:
    text = contract.shown_description
    if not _BOUNDARY.search(text):
        yield Finding(contract.name, Rule.BOUNDARY, "description")
    if not contract.when and not _WHEN.search(text):
        yield Finding(contract.name, Rule.WHEN, "when")
    if contract.when_not is None and not _WHEN_NOT.search(text):
        yield Finding(contract.name, Rule.WHEN_NOT, "when_not")


def _declared(contract: Contract) -> Iterator[Finding]:
    name, suspected, danger = contract.name, suspected_danger(contract), contract.danger
    if suspected is not None and danger is None:
        yield Finding(name, Rule.DANGER, "danger", {"suspected": suspected.value})
    elif suspected is not None and danger in (Danger.READ, Danger.WRITE):
        values = {"suspected": suspected.value, "danger": danger.value}
        yield Finding(name, Rule.DANGER_LOW, "danger", values)
    if danger is None or contract.is_read:
        return
    if contract.is_idempotent is None:
        yield Finding(name, Rule.NOT_IDEMPOTENT, "idempotent")
    if contract.fallback is not None:
        yield Finding(name, Rule.WRITE_FALLBACK, "fallback")
    if contract.quotas.per_day is None and contract.quotas.caller_per_day is None:
        yield Finding(name, Rule.DAILY_QUOTA, "quotas")


def _sensitive(contract: Contract) -> Iterator[Finding]:
    for parameter in contract.properties:
        if looks_sensitive(parameter) and parameter not in contract.sensitive:
            declared = json.dumps(sorted({*contract.sensitive, parameter}), ensure_ascii=False)
            yield Finding(contract.name, Rule.SENSITIVE, parameter, {"declared": declared})


def _agreed(contract: Contract) -> Iterator[Finding]:
    name, sla_ms = contract.name, contract.sla_p95_ms
    if sla_ms is None:
        yield Finding(name, Rule.NO_SLA, "sla_p95_ms")
    elif sla_ms >= _CALL_BUDGET_MS:
        yield Finding(name, Rule.SLA_LOOSE, "sla_p95_ms", {"sla_ms": sla_ms})


def _parameters(contract: Contract) -> Iterator[Finding]:
    n = len(contract.properties)
    if n > MAX_PARAMETERS:
        yield Finding(contract.name, Rule.TOO_MANY, "input_schema", {"n": n})
    yield from lint_parameters(contract)


_SEEN_CHECKS: Final[tuple[Callable[[Contract], Iterator[Finding]], ...]] = (
    _name,
    _sentences,
    _parameters,
)


def _prefixes(contracts: Sequence[Contract]) -> Iterator[Finding]:
    """Tools without the domain prefix that most have, or with one that hardly any has."""
    prefixes = {contract.name: _prefix(contract) for contract in contracts}
    n_with = sum(prefix is not None for prefix in prefixes.values())
    if not n_with or n_with == len(contracts):
        return
    common = Counter(prefix for prefix in prefixes.values() if prefix).most_common(1)[0][0]
    is_usual = n_with * 2 >= len(contracts)
    for contract in contracts:
        prefix = prefixes[contract.name]
        if is_usual and prefix is None:
            better = f"{common}_{contract.name}"
            yield Finding(contract.name, Rule.PREFIX, "name", {"better": better})
        elif not is_usual and prefix is not None:
            better = contract.name.removeprefix(f"{prefix}_")
            yield Finding(contract.name, Rule.PREFIX, "name", {"better": better})


def _prefix(contract: Contract) -> str | None:
    """The word before verb and noun: `crm` in `crm_create_ticket`; None without one."""
    first, *rest = contract.name.split("_")
    is_prefix = first.lower() not in VERBS and len(rest) > 1 and rest[0].lower() in VERBS
    return first if is_prefix else None


def _duplicates(contracts: Sequence[Contract], threshold: float) -> Iterator[Finding]:
    for pair in alike_pairs(contracts, threshold):
        values = {"other": pair.other, "similarity": pair.similarity}
        yield Finding(pair.one, Rule.NEAR_DUPLICATE, "description", values)
