"""Rule files by whatever a person names: a folder, a version, a draft, or what is in force."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from dashboard.errors import DashboardError
from replay_store import rule_store
from replay_store.database import Database
from replay_store.rule_drafts import KeptDraft, kept_draft, open_drafts
from replay_store.rule_store import V0, short, version_of

__all__ = ["IN_FORCE", "Source", "known_version", "read_source", "version_in_force"]

IN_FORCE: Final = "in-force"
"""How the version in force is named."""
_FEWEST: Final = 4
"""Digits of a version or a draft that are enough where they are enough to tell it."""


@dataclass(frozen=True, slots=True)
class Source:
    """Rule files and where they come from."""

    name: str
    """As people are shown it."""
    version: str
    """By their content."""
    texts: Mapping[str, str]
    """YAML text by file name."""
    draft: KeptDraft | None = None
    """Where they are a kept draft."""

    @property
    def base_version(self) -> str | None:
        """What a draft was made from; None for anything else."""
        return None if self.draft is None else self.draft.base_version


def read_source(database: Database, named: str) -> Source:
    """The rule files that a person means.

    Args:
        database: The store.
        named: `in-force`, `v0`, a version or a draft (four digits at least), or a folder of
            `*.yaml` files.

    Raises:
        DashboardError: Nothing is called so, or several are; says what can be named.
    """
    if Path(named).is_dir():
        texts = _folder_texts(Path(named))
        return Source(Path(named).name, version_of(texts), texts)
    draft = _draft(database, named)
    if draft is not None:
        return Source(f"draft {draft.draft_id[:8]}", draft.version, draft.texts, draft)
    version = known_version(database, named)
    return Source(short(version), version, rule_store.texts_of(database, version))


def version_in_force(database: Database) -> str:
    """The version by which raw outputs are read now."""
    moves = rule_store.history(database)
    return moves[0].version if moves else V0


def known_version(database: Database, named: str) -> str:
    """The whole name of a version that was in force, by its first digits.

    Raises:
        DashboardError: None is called so, or several are.
    """
    if named == IN_FORCE:
        return version_in_force(database)
    versions = list(dict.fromkeys([*(m.version for m in rule_store.history(database)), V0]))
    found = [v for v in versions if v == named or (len(named) >= _FEWEST and v.startswith(named))]
    if len(found) != 1:
        known = ", ".join(short(version) for version in versions[:10])
        problem = "several begin so" if found else "there is none"
        raise DashboardError(
            f"{named}: no version of the dictionaries: {problem}: expected a folder, {IN_FORCE}, "
            f"an open draft, or one of {known}"
        )
    return found[0]


def _draft(database: Database, named: str) -> KeptDraft | None:
    """An open draft by its first digits; any draft by its whole id."""
    whole = kept_draft(database, named)
    if whole is not None or len(named) < _FEWEST:
        return whole
    found = [draft for draft in open_drafts(database) if draft.draft_id.startswith(named)]
    return found[0] if len(found) == 1 else None


def _folder_texts(folder: Path) -> dict[str, str]:
    texts = {}
    for path in sorted(folder.glob("*.yaml")):
        try:
            texts[path.name] = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise DashboardError(f"{path}: cannot be read as UTF-8; save it as UTF-8") from error
    if not texts:
        raise DashboardError(f"{folder}: no *.yaml file in it; name a folder of rule files")
    return texts
