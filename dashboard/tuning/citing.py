"""Cases of decisions that rest on what a draft changes: what to play again with a model.

What a model would read is known without one; whether it then chooses otherwise is not.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from pipeline.observation import LANGUAGES, Context, FragmentKind, RuleSet, ToolOutput, parse
from pipeline.observation.fragment import TOOL_RESULT
from pipeline.observation.payload import decode
from pipeline.observation.sentences import SENTENCES
from pipeline.replay import Case
from replay_store.backtest_change import Change, Said
from replay_store.backtest_impact import ChangeClass

__all__ = ["Citing", "citing_cases"]

_ALONE: Final = "(?<![A-Za-z0-9_]){}(?![A-Za-z0-9_])"


class Citing(NamedTuple):
    """A case with a right choice, and the changed facts that are in what was known before it."""

    case: Case
    fact_types: tuple[str, ...]
    """Sorted."""


def citing_cases(
    classes: Sequence[ChangeClass], cases: Iterable[Case], base: RuleSet, draft: RuleSet
) -> tuple[Citing, ...]:
    """The cases of decisions and tasks that cite a fact which the draft changes, in their order.

    An answer of a tool that a case holds as JSON is read by both versions; in one that holds what the
    model was shown, the name of a changed fact is looked for, with what either version says of it.

    Args:
        classes: What the draft changes in recorded traffic.
        cases: Of any kind; those without a right choice, and retired ones, are passed over.
        base: The rules in force.
        draft: The rules that are tried.
    """
    changes = [item.change for item in classes if item.change.fact_type != TOOL_RESULT]
    found = []
    for case in cases:
        if case.gold is None or case.is_retired:
            continue
        cited = {
            *_differing(_outputs(case), base, draft),
            *(c.fact_type for c in changes if any(_says(text, c, base) for text in _shown(case))),
        }
        if cited:
            found.append(Citing(case, tuple(sorted(cited))))
    return tuple(found)


def _outputs(case: Case) -> Iterator[ToolOutput]:
    """Answers as tools gave them: those recorded for the task, and those among what was given."""
    for item in case.recorded:
        if item.error is None:
            yield ToolOutput(item.tool, item.version, None, item.body)
    for tool, text in _answers(case):
        if tool is not None and not isinstance(decode(text)[0], str):
            yield ToolOutput(tool, None, None, text)


def _shown(case: Case) -> list[str]:
    return [text for _, text in _answers(case)]


def _answers(case: Case) -> Iterator[tuple[str | None, str]]:
    """Each answer with its tool: calls of one turn are answered in their order."""
    waiting: list[str | None] = []
    for passage in case.input:
        if passage.kind == "call":
            waiting.append(passage.name)
        elif passage.kind == "answer":
            yield (waiting.pop(0) if waiting else None), passage.text
        else:
            waiting.clear()


def _differing(outputs: Iterable[ToolOutput], base: RuleSet, draft: RuleSet) -> Iterator[str]:
    for output in outputs:
        before, after = (
            {fragment.fact_id: fragment.type for fragment in parse(output, rules, Context())}
            for rules in (base, draft)
        )
        for fact_id in before.keys() ^ after.keys():
            fact_type = before.get(fact_id) or after[fact_id]
            if fact_type != TOOL_RESULT:
                yield fact_type


def _says(text: str, change: Change, base: RuleSet) -> bool:
    """Whether a text names the fact and what either version says of it, in any language of prompts.

    Either, because the text was made by the version of its time.
    """
    is_named = any(_has(text, base.label(change.fact_type, lang)) for lang in LANGUAGES)
    spoken = [*_spoken(change.before), *_spoken(change.after)]
    return is_named and (not spoken or any(_has(text, word) for word in spoken))


def _spoken(said: Said | None) -> list[str]:
    """What prompts say of it; empty where that is another text each time, or nothing."""
    if said is None:
        return []
    if said.kind is FragmentKind.UNKNOWN:
        return [sentences.unknown for sentences in SENTENCES.values()]
    return [word for word in (*(text for _, text in said.words), said.value) if word]


def _has(text: str, word: str) -> bool:
    """Whether a word stands in a text, and not as a part of a longer one of Latin letters."""
    return re.search(_ALONE.format(re.escape(word)), text) is not None
