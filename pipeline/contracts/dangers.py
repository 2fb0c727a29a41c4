"""What a contract's words say that its calls do, beside what it declares (S3 §7.1)."""

import re
from typing import Final

from pipeline.contracts.model import Contract, Danger

READ_VERBS: Final = frozenset(
    [
        "get",
        "query",
        "search",
        "list",
        "find",
        "check",
        "read",
        "fetch",
        "look",
        "lookup",
        "show",
        "count",
        "summarize",
        "summarise",
        "describe",
        "compare",
        "estimate",
        "calculate",
        "preview",
        "validate",
        "verify",
        "track",
    ]
)
WRITE_VERBS: Final = frozenset(
    [
        "create",
        "update",
        "set",
        "add",
        "submit",
        "send",
        "book",
        "cancel",
        "assign",
        "close",
        "open",
        "register",
        "approve",
        "reject",
        "edit",
        "change",
        "move",
        "rename",
        "upload",
        "post",
        "put",
        "write",
        "schedule",
        "notify",
        "reserve",
    ]
)
_DANGER_VERBS: Final = {
    Danger.DELETE: frozenset(
        ["delete", "remove", "drop", "purge", "erase", "destroy", "wipe", "clear", "truncate"]
    ),
    Danger.MONEY: frozenset(
        ["refund", "pay", "charge", "transfer", "withdraw", "deposit", "payout", "debit"]
    ),
    Danger.BULK: frozenset(["export", "import", "sync", "dump", "batch", "bulk", "mass"]),
}
_DANGER_WORDS: Final = (
    (Danger.MONEY, re.compile(r"退款|扣款|付款|支付给|转账|提现|打款|资金类")),
    (Danger.DELETE, re.compile(r"删除|清空|注销|销毁")),
    (Danger.BULK, re.compile(r"批量(?:导出|修改|更新|删除|导入)|全量导出|导出(?:全部|所有)")),
)
_DENIED: Final = re.compile(r"不会?|不能|不可|不要|无法|勿|never|not|n't", re.IGNORECASE)
VERBS: Final = READ_VERBS | WRITE_VERBS | frozenset().union(*_DANGER_VERBS.values())


def words_of(name: str) -> list[str]:
    """The parts of a tool's name, in lower case: `crm_createTicket` has three."""
    return [part.lower() for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|[0-9]+", name)]


def suspected_danger(contract: Contract) -> Danger | None:
    """Delete, bulk or money, where the name's verb or the description says so; else None."""
    words = set(words_of(contract.name))
    for danger, verbs in _DANGER_VERBS.items():
        if words & verbs:
            return danger
    for danger, pattern in _DANGER_WORDS:
        found = pattern.search(contract.description)
        if found is not None and not _is_denied(contract.description, found.start()):
            return danger
    return None


def is_offered(contract: Contract) -> bool:
    """Whether a contract may be shown to a model: what looks dangerous must be declared so.

    A contract that declares a level below the suspected one counts as declared: a person decided.
    """
    return contract.danger is not None or suspected_danger(contract) is None


def _is_denied(text: str, at: int) -> bool:
    """Whether the words just before say that it does not do so."""
    return _DENIED.search(text[max(0, at - 8) : at]) is not None
