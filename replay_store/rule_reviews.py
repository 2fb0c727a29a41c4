"""What people said of a version before it was published, and the back-test it was published with.

Said of one version beside one base: a draft that changes, or moves to another base, is to be looked
at again. What is said can be withdrawn; nothing is deleted.
"""

import json
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal
from uuid import UUID, uuid4

from replay_store.backtest_change import Said
from replay_store.backtest_impact import ChangeClass, Impact
from replay_store.columns import arrow_table
from replay_store.database import Database
from replay_store.errors import RuleStoreError, SelfApprovalError
from replay_store.reader import record_of
from replay_store.records import Backtest, DiffClass, RuleReview
from replay_store.rule_store import MAX_AUTHOR, MAX_REASON, RULE_SET
from replay_store.statements import statement

__all__ = [
    "Frame",
    "KeptBacktest",
    "Reviewed",
    "acknowledge",
    "approve",
    "is_same_person",
    "keep_backtest",
    "kept_backtests",
    "reviewed",
]

Clock = Callable[[], int]
"""Nanoseconds since the epoch."""
_CLASS_TYPES: Mapping[str, str] = {
    "backtest_id": "UUID",
    "change_key": "VARCHAR",
    "fact_type": "VARCHAR",
    "before": "VARCHAR",
    "after": "VARCHAR",
    "n_facts": "BIGINT",
    "n_traces": "BIGINT",
    "examples": "VARCHAR",
}


@dataclass(frozen=True, slots=True)
class Reviewed:
    """What holds of what people said about one version beside one base."""

    acknowledged: Mapping[str, str]
    """Who said first that a class of change is meant, by its key."""
    approvals: tuple[RuleReview, ...]
    """Oldest first."""

    def second_owner(self, authors: Iterable[str], publisher: str | None = None) -> str | None:
        """Somebody who approved and did not change the draft; None without one.

        Args:
            authors: Who changed it. Where nobody said so, whoever publishes it counts.
            publisher: Who is about to put it in force; None when that is not known yet.
        """
        changed = list(authors)
        if not changed and publisher is not None:
            changed = [publisher]
        return next(
            (
                said.author
                for said in self.approvals
                if not any(is_same_person(said.author, name) for name in changed)
            ),
            None,
        )


@dataclass(frozen=True, slots=True)
class Frame:
    """What a back-test was tried on, by whom, and when."""

    start_time_ns: int | None
    end_time_ns: int | None
    n_cases: int
    created_by: str
    created_time_ns: int
    code_version: str


@dataclass(frozen=True, slots=True)
class KeptBacktest:
    """A back-test as it was kept."""

    backtest: Backtest
    classes: tuple[DiffClass, ...]


def reviewed(database: Database, base_version: str, version: str) -> Reviewed:
    """What people said about a version beside its base, as far as it was not withdrawn."""
    row = {"rule_set": RULE_SET, "base_version": base_version, "version": version}
    said = [
        record_of(RuleReview, found) for found in database.rows(statement("sql/rule_reviews"), row)
    ]
    first: dict[str, str] = {}
    for item in said:
        if item.action == "acknowledge" and item.change_key is not None:
            first.setdefault(item.change_key, item.author)
    return Reviewed(first, tuple(item for item in said if item.action == "approve"))


def acknowledge(
    database: Database,
    base_version: str,
    version: str,
    keys: Iterable[str],
    author: str,
    clock: Clock,
    *,
    is_withdrawn: bool = False,
) -> None:
    """Keep that classes of change are known and meant, or that they are not after all.

    Raises:
        RuleStoreError: Nobody is named.
    """
    for key in keys:
        _record(
            database, base_version, version, "acknowledge", key, author, None, clock, is_withdrawn
        )


def approve(
    database: Database,
    base_version: str,
    version: str,
    author: str,
    note: str,
    authors: Iterable[str],
    clock: Clock,
    *,
    is_withdrawn: bool = False,
) -> None:
    """Keep that an owner approves of a version as a whole, or does not any more.

    Args:
        database: The store.
        base_version: What it is to replace.
        version: By its content.
        author: Who approves.
        note: What they want to say with it; may be empty.
        authors: Who changed the draft: they cannot approve it.
        clock: The time now.
        is_withdrawn: They take their approval back.

    Raises:
        RuleStoreError: Nobody is named.
        SelfApprovalError: They changed the draft themselves.
    """
    if not is_withdrawn and any(is_same_person(author, name) for name in authors):
        raise SelfApprovalError(
            f"approval by {author.strip()}: they changed this draft; "
            "let another owner look at it and approve"
        )
    _record(database, base_version, version, "approve", None, author, note, clock, is_withdrawn)


def is_same_person(one: str, other: str) -> bool:
    """Whether two names mean one person: width, case and spaces aside."""
    return _folded(one) == _folded(other)


def keep_backtest(
    database: Database,
    impact: Impact,
    versions: tuple[str, str],
    frame: Frame,
    gates: Sequence[Mapping[str, Any]],
) -> str:
    """Keep the back-test with which a version is published.

    Args:
        database: The store.
        impact: What it found.
        versions: Whole names of base and draft.
        frame: What it was tried on, and by whom.
        gates: How each gate stood, as JSON values.

    Returns:
        Its id.
    """
    backtest_id = uuid4()
    kept = Backtest(
        backtest_id=backtest_id,
        rule_set=RULE_SET,
        base_version=versions[0],
        version=versions[1],
        start_time_ns=frame.start_time_ns,
        end_time_ns=frame.end_time_ns,
        n_observations=impact.n_observations,
        n_distinct=impact.n_distinct,
        n_without_raw=impact.n_without_raw,
        n_partly_raw=impact.n_partly_raw,
        n_facts_changed=impact.n_facts_changed,
        n_traces_changed=impact.n_traces_changed,
        n_unknown_removed=impact.n_unknown_removed,
        n_unknown_added=impact.n_unknown_added,
        n_conflicts_made=impact.n_conflicts_made,
        n_conflicts_cleared=impact.n_conflicts_cleared,
        n_critical_lost=impact.n_critical_lost,
        token_delta=impact.token_delta,
        n_cases=frame.n_cases,
        gates=json.dumps(list(gates), ensure_ascii=False),
        code_version=frame.code_version,
        created_by=frame.created_by,
        created_time_ns=frame.created_time_ns,
    )
    classes = [_diff_class(backtest_id, item) for item in impact.classes]
    with database.transaction() as cursor:
        cursor.execute(statement("sql/backtest_insert"), asdict(kept)).fetchall()
        if classes:
            cursor.register("batch", arrow_table(classes, _CLASS_TYPES))
            cursor.execute(statement("sql/backtest_insert_classes")).fetchall()
    return str(backtest_id)


def kept_backtests(database: Database, version: str) -> list[KeptBacktest]:
    """The back-tests with which a version was published, newest first."""
    rows = database.rows(statement("sql/backtest_kept"), {"rule_set": RULE_SET, "version": version})
    found = []
    for row in rows:
        kept = record_of(Backtest, row)
        classes = database.rows(
            statement("sql/backtest_classes"), {"backtest_id": str(kept.backtest_id)}
        )
        found.append(KeptBacktest(kept, tuple(record_of(DiffClass, item) for item in classes)))
    return found


def _record(
    database: Database,
    base_version: str,
    version: str,
    action: Literal["acknowledge", "approve"],
    change_key: str | None,
    author: str,
    note: str | None,
    clock: Clock,
    is_withdrawn: bool,
) -> None:
    who = author.strip()
    if not who or len(who) > MAX_AUTHOR:
        raise RuleStoreError(f"review: author: expected 1 to {MAX_AUTHOR} characters; say who")
    said = RuleReview(
        rule_set=RULE_SET,
        base_version=base_version,
        version=version,
        action=action,
        change_key=change_key,
        author=who,
        note=(note or "").strip()[:MAX_REASON] or None,
        is_withdrawn=is_withdrawn,
        time_ns=clock(),
    )
    with database.transaction() as cursor:
        cursor.execute(statement("sql/rule_review_insert"), asdict(said)).fetchall()


def _diff_class(backtest_id: UUID, item: ChangeClass) -> DiffClass:
    change = item.change
    return DiffClass(
        backtest_id=backtest_id,
        change_key=change.key,
        fact_type=change.fact_type,
        before=_said_text(change.before),
        after=_said_text(change.after),
        n_facts=item.n_facts,
        n_traces=item.n_traces,
        examples=json.dumps(item.examples),
    )


def _said_text(said: Said | None) -> str | None:
    if said is None:
        return None
    values = asdict(said) | {"words": dict(said.words)}
    return json.dumps(values, ensure_ascii=False)


def _folded(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())
