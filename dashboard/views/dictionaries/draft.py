"""Changes that one person is about to make to the rule files. Kept until published or discarded."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from dashboard.errors import DictionaryEditError
from dashboard.views.dictionaries.edit import Edit, Place, edited
from pipeline.observation import RuleFileError, load_rules


@dataclass(frozen=True, slots=True)
class Draft:
    """All rule files as they are to be, and what they were made from."""

    base_version: str
    base: Mapping[str, str]
    """YAML text by file name of the base version."""
    texts: Mapping[str, str]
    edits: tuple[tuple[Place, Edit], ...] = ()
    """Entries changed by the form, in order: what can be done again on another base."""
    written: frozenset[str] = frozenset()
    """Files that were changed as text."""
    draft_id: str | None = None
    """Under which it is kept; None before the first change."""
    kept_version: str | None = None
    """The version of what is kept under that id, as far as this person has seen it."""
    authors: tuple[str, ...] = ()
    """Who had a hand in what is kept."""

    @property
    def is_changed(self) -> bool:
        """Whether it differs from its base at all."""
        return dict(self.texts) != dict(self.base)

    def with_edit(self, place: Place, edit: Edit) -> "Draft":
        """The draft with one more entry changed.

        Raises:
            RuleFileError: The result cannot be used.
            DictionaryEditError: The entry cannot be changed in place.
        """
        texts = edited(self.texts, place, edit)
        return replace(self, texts=texts, edits=(*self.edits, (place, edit)))

    def with_text(self, file: str, text: str) -> "Draft":
        """The draft with one file written anew.

        Raises:
            RuleFileError: The result cannot be used.
        """
        texts = {**self.texts, file: text}
        load_rules(texts)
        return replace(self, texts=texts, written=self.written | {file})


@dataclass(frozen=True, slots=True)
class Moved:
    """A draft on a new base."""

    draft: Draft
    overwriting: tuple[str, ...]
    """Files that both sides changed and that could not be joined: the draft's text was kept, and
    takes back what the other side did. To be looked at."""


def moved_to(draft: Draft, version: str, theirs: Mapping[str, str]) -> Moved:
    """The draft as a change of another version; nothing of the draft is lost.

    Files that only one side changed are taken from that side. In files that both changed, the
    form's entries are made again on the other side's text.

    Args:
        draft: What was begun on an older version.
        version: The version in force.
        theirs: Its files.
    """
    texts = dict(theirs)
    overwriting = []
    for file in sorted(draft.texts.keys() | theirs.keys()):
        mine, base = draft.texts.get(file), draft.base.get(file)
        if mine is None or mine in (base, theirs.get(file)):
            continue
        again = None
        if theirs.get(file) != base and file not in draft.written:
            again = _again(draft, file, texts)
        if again is None and theirs.get(file) != base:
            overwriting.append(file)
        texts = again or {**texts, file: mine}
    return Moved(
        replace(draft, base_version=version, base=dict(theirs), texts=texts), tuple(overwriting)
    )


def _again(draft: Draft, file: str, texts: Mapping[str, str]) -> dict[str, str] | None:
    """The form's entries of one file made again; None when one of them cannot be."""
    found = dict(texts)
    try:
        for place, edit in draft.edits:
            if place.file == file:
                found = edited(found, place, edit)
    except (RuleFileError, DictionaryEditError):
        return None
    return found
