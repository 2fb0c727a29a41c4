"""The words of both sides of a change, told so that a reader of one language sees what differs."""

from pipeline.observation.fragment import Words, words_in
from replay_store.backtest_change import Change, Said

__all__ = ["words_of_both"]


def words_of_both(change: Change, language: str) -> tuple[str | None, str | None]:
    """Display words before and after.

    In the reader's language; in every language, the reader's first, where only another one's words
    differ. None for a side without words.
    """
    sides = change.before, change.after
    before, after = (None if said is None else words_in(said.words, language) for said in sides)
    if before != after or _words(sides[0]) == _words(sides[1]):
        return before, after
    return _every(_words(sides[0]), before), _every(_words(sides[1]), after)


def _words(said: Said | None) -> Words:
    return () if said is None else said.words


def _every(words: Words, first: str | None) -> str | None:
    texts = dict.fromkeys([*([first] if first else ()), *(text for _, text in words)])
    return " / ".join(texts) or None
