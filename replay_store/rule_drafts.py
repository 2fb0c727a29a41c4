"""Drafts of dictionaries as they are kept: every state in which one was left, and who left it so.

A draft belongs to nobody: whoever opens it may go on with it. Two people who change the same draft
are told of each other before either loses anything.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID, uuid4

from replay_store.database import Database
from replay_store.errors import RuleDraftMovedError, RuleStoreError
from replay_store.rule_store import MAX_AUTHOR, RULE_SET, body_of, version_of
from replay_store.statements import statement

__all__ = ["KeptDraft", "close_draft", "kept_draft", "open_drafts", "save_draft"]

State = Literal["open", "discarded", "published"]
Edits = list[dict[str, Any]]
"""What the forms did, as JSON values, in order."""


@dataclass(frozen=True, slots=True)
class KeptDraft:
    """A draft as it was left last."""

    draft_id: str
    base_version: str
    version: str
    """What it would be called, by its content: changes whenever the draft does."""
    texts: Mapping[str, str]
    """YAML text by file name."""
    edits: Edits
    state: State
    author: str | None
    """Who left it so; None when they did not say."""
    authors: tuple[str, ...]
    """Everybody who said that they changed it, sorted."""
    begun_time_ns: int
    saved_time_ns: int


def save_draft(
    database: Database,
    base_version: str,
    texts: Mapping[str, str],
    edits: Edits,
    author: str | None,
    clock: Callable[[], int],
    *,
    draft_id: str | None = None,
    expected_version: str | None = None,
) -> str:
    """Keep a draft as it is now.

    Args:
        database: The store.
        base_version: What it was edited from.
        texts: All files, YAML text by name; they need not be usable yet.
        edits: What the forms did.
        author: Who changed it; None when they did not say.
        clock: The time now.
        draft_id: Which one; None begins a new one.
        expected_version: The version of the draft that was changed: None takes any.

    Returns:
        The draft's id.

    Raises:
        RuleDraftMovedError: Somebody else changed the draft meanwhile; nothing was stored.
    """
    who = (author or "").strip()[:MAX_AUTHOR] or None
    found = str(uuid4()) if draft_id is None else draft_id
    with database.transaction() as cursor:
        before = kept_draft(database, found)
        if before is not None and expected_version not in (None, before.version):
            raise RuleDraftMovedError(
                f"draft {found[:8]}: changed by {before.author or 'somebody else'} meanwhile; "
                "look at what they changed, then bring your change to it"
            )
        _insert(cursor, found, base_version, texts, edits, "open", who, _after(before, clock))
    return found


def close_draft(
    database: Database,
    draft_id: str,
    state: Literal["discarded", "published", "open"],
    author: str | None,
    clock: Callable[[], int],
) -> None:
    """Put a draft aside, note that it was published, or take it up again; its texts stay.

    Raises:
        RuleStoreError: There is no such draft.
    """
    with database.transaction() as cursor:
        before = kept_draft(database, draft_id)
        if before is None:
            raise RuleStoreError(
                f"draft {draft_id}: there is none of that id; choose one of the list"
            )
        _insert(
            cursor,
            draft_id,
            before.base_version,
            before.texts,
            before.edits,
            state,
            (author or "").strip()[:MAX_AUTHOR] or before.author,
            _after(before, clock),
        )


def kept_draft(database: Database, draft_id: str) -> KeptDraft | None:
    """One draft as it was left last; None for an unknown id."""
    if not _is_id(draft_id):
        return None
    found = _drafts(database, draft_id, None)
    return found[0] if found else None


def open_drafts(database: Database) -> list[KeptDraft]:
    """Every draft that is neither published nor put aside, the one changed last first."""
    return _drafts(database, None, "open")


def _drafts(database: Database, draft_id: str | None, state: str | None) -> list[KeptDraft]:
    parameters = {"rule_set": RULE_SET, "draft_id": draft_id, "state": state}
    return [_kept(row) for row in database.rows(statement("sql/rule_drafts"), parameters)]


def _kept(row: dict[str, Any]) -> KeptDraft:
    body, edits, authors = row.pop("body"), row.pop("edits"), row.pop("authors")
    return KeptDraft(
        **row, texts=json.loads(body), edits=json.loads(edits), authors=tuple(authors or ())
    )


def _insert(
    cursor: Any,
    draft_id: str,
    base_version: str,
    texts: Mapping[str, str],
    edits: Edits,
    state: str,
    author: str | None,
    now: int,
) -> None:
    row = {"draft_id": draft_id, "rule_set": RULE_SET, "base_version": base_version}
    row |= {"version": version_of(texts), "body": body_of(texts), "state": state}
    edits_text = json.dumps(edits, ensure_ascii=False)
    values: dict[str, Any] = row | {"edits": edits_text, "author": author, "saved_time_ns": now}
    cursor.execute(statement("sql/rule_draft_insert"), values).fetchall()


def _after(before: KeptDraft | None, clock: Callable[[], int]) -> int:
    """Now, or just after the last state where the clock has been set back."""
    return clock() if before is None else max(clock(), before.saved_time_ns + 1)


def _is_id(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True
