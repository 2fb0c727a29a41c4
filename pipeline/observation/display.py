"""A cell as words of one language: what a prompt may say about it."""

from datetime import date, datetime

from pipeline.observation.fragment import (
    TOOL_RESULT,
    FragmentKind,
    SemanticFragment,
    Value,
    ValueType,
    Words,
    words_in,
)
from pipeline.observation.inputs import ANY_TOOL, UNKNOWN_TOOL
from pipeline.observation.payload import error_class_of
from pipeline.observation.resolved import (
    AlignmentStep,
    Alternative,
    Cell,
    CellKind,
    Signal,
    SignalName,
)
from pipeline.observation.rules.model import RuleSet
from pipeline.observation.safety import capped, clean_text, marked
from pipeline.observation.sentences import SENTENCES

_ID_CAP = 80
_SOURCE_CAP = 200
_COUNT_CAP = 12


class Wording:
    """Puts cells into words.

    Args:
        rules: Names of types, tools and units.
        language: A key of `SENTENCES`.
        token: What marks free text; None frames it by its line only.
        cap: Characters of free text that are shown of a fact that is not critical.
    """

    def __init__(self, rules: RuleSet, language: str, token: str | None, cap: int) -> None:
        self._rules = rules
        self._language = language
        self._token = token
        self._cap = cap
        self._sentences = SENTENCES[language]

    def label(self, cell: Cell) -> str:
        """The name a cell goes by: its type's, or its tool's for answers as a whole."""
        if cell.type == TOOL_RESULT:
            return self.tool(cell.evidence[0].tool)
        return self._rules.label(cell.type, self._language)

    def tool(self, name: str) -> str:
        """A tool's display name, cleaned: callers may name tools as they like."""
        if name in (ANY_TOOL, UNKNOWN_TOOL):
            return self._sentences.unknown_tool
        return capped(clean_text(self._rules.tool_label(name, self._language)), _ID_CAP)

    def entity(self, entity_type: str, identity: str) -> str:
        """An entity as a heading says it; ids are text of tools too."""
        name = self._rules.entity_label(entity_type, self._language)
        return f"{name} {capped(clean_text(identity), _ID_CAP)}".strip()

    def text(self, cell: Cell, *, is_critical: bool) -> str:
        """What the prompt says about a cell, as one line."""
        sentences = self._sentences
        match cell.kind:
            case CellKind.CONFLICT:
                values = [self._alternative(a, cell, is_critical) for a in cell.alternatives]
                return sentences.conflict.format(values=sentences.separator.join(values))
            case CellKind.FACT | CellKind.DERIVED:
                return self._value(cell.value, cell.words, cell, is_critical)
            case CellKind.DEGRADED:
                shown = self._value(cell.value, cell.words, cell, is_critical)
                return sentences.degraded.format(value=shown)
            case CellKind.FAILED:
                return sentences.failed.format(advice=sentences.advice[error_class_of(cell.value)])
            case CellKind.EMPTY:
                return words_in(cell.words, self._language) or sentences.empty
            case _:
                return self._unread(cell)

    def surfaces(self, cell: Cell) -> tuple[str, ...]:
        """What must be found in a prompt for the cell to be visible in it, in full."""
        if cell.alternatives:
            return tuple(self._plain(a.value, a.words, cell) for a in cell.alternatives)
        return (self.text(cell, is_critical=True),)

    def notice(self, signal: Signal) -> str:
        """The sentence of a signal."""
        if signal.name is SignalName.ENTITY_MISMATCH:
            return self.mismatch(signal)
        label = self._rules.label(signal.fact_type or "", self._language)
        return self._sentences.instruction_text.format(tool=self.tool(signal.tool), label=label)

    def mismatch(self, signal: Signal) -> str:
        """The sentence of an entity mismatch."""
        found = [self.entity(*entity) for entity in signal.found[:3]]
        return self._sentences.mismatch.format(
            tool=self.tool(signal.tool),
            found=self._sentences.separator.join(found),
            expected=self.entity(*signal.expected),
        )

    def step(self, step: AlignmentStep) -> str:
        """What alignment did, as one line."""
        said = step.evidence[0] if step.evidence else None
        return self._sentences.steps[step.kind].format(
            n=len(step.evidence),
            source="" if said is None else self._source(said.source),
            value="" if said is None else self.evidence(said),
            now=self._sentences.separator.join(self.evidence(now) for now in step.stands),
            values=self._sentences.separator.join(map(self._agreed, step.alternatives)),
        )

    def quoted(self, text: str, cap: int) -> str:
        """Raw text for people who debug: cleaned, capped and marked."""
        shown = capped(clean_text(text, is_marked=self._token is not None), cap)
        return shown if self._token is None else marked(shown, self._token)

    def evidence(self, fragment: SemanticFragment) -> str:
        """A fragment's value as one word or phrase; its kind when it has none."""
        if fragment.kind is FragmentKind.FAILED or fragment.value is None:
            return fragment.kind
        return self._framed(fragment.value, fragment.words)

    def _agreed(self, alternative: Alternative) -> str:
        return self._sentences.agreed.format(
            value=self._framed(alternative.value, alternative.words),
            sources=", ".join(map(self._source, alternative.sources)),
        )

    def _framed(self, value: Value, words: Words) -> str:
        """A value, capped; text that a tool wrote between its marks."""
        shown = capped(self._plain_value(value, words), self._cap)
        is_free = isinstance(value, str) and not words
        return marked(shown, self._token) if is_free and self._token is not None else shown

    def _source(self, source: str) -> str:
        return capped(clean_text(source), _SOURCE_CAP)

    def _alternative(self, alternative: Alternative, cell: Cell, is_critical: bool) -> str:
        return self._sentences.alternative.format(
            value=self._value(alternative.value, alternative.words, cell, is_critical),
            confidence=f"{alternative.confidence:.2f}",
        )

    def _value(self, value: Value, words: Words, cell: Cell, is_critical: bool) -> str:
        plain = self._plain(value, words, cell)
        if words or cell.value_type is not ValueType.STRING:
            return plain
        is_whole = is_critical or cell.kind is CellKind.CONFLICT
        shown = plain if is_whole else capped(plain, self._cap)
        return shown if self._token is None else marked(shown, self._token)

    def _plain(self, value: Value, words: Words, cell: Cell) -> str:
        shown = self._plain_value(value, words)
        known = self._rules.fact_types.get(cell.type)
        unit = words_in(known.unit, self._language) if known else None
        if unit is None or not isinstance(value, int | float) or isinstance(value, bool):
            return shown
        return self._sentences.unit.format(value=shown, unit=unit)

    def _plain_value(self, value: Value, words: Words) -> str:
        shown = words_in(words, self._language)
        if shown is not None:
            return shown
        if isinstance(value, bool):
            return self._sentences.yes if value else self._sentences.no
        if isinstance(value, datetime):
            return f"{value:%Y-%m-%d %H:%M:%S} UTC"
        if isinstance(value, date):
            return value.isoformat()
        if isinstance(value, float):
            return f"{value:.10g}"
        return clean_text(str(value))

    def _unread(self, cell: Cell) -> str:
        sentences = self._sentences
        if cell.reason == "missing":
            return sentences.missing
        if cell.kind is CellKind.UNKNOWN:
            return sentences.unknown
        sentence = sentences.unparsed_by_reason.get(cell.reason or "", sentences.unparsed)
        raw = next((f.raw for f in cell.evidence if f.reason == cell.reason), None) or ""
        return sentence.format(raw=capped(clean_text(raw), _COUNT_CAP))
