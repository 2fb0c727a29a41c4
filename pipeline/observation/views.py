"""What templates see: read-only words, and a record of which facts they asked for."""

from collections.abc import Sequence

from pipeline.observation.display import Wording
from pipeline.observation.fragment import SemanticFragment, iso
from pipeline.observation.inputs import ToolOutput
from pipeline.observation.noise_log import NoiseRecord
from pipeline.observation.privacy import raw_text
from pipeline.observation.resolved import AlignmentStep, Cell, CellKind, Group
from pipeline.observation.rules.model import RuleSet
from pipeline.observation.safety import capped, clean_text
from pipeline.observation.sentences import age_text

CORE_CONFIDENCE = 0.85
"""Facts from here up are told in concise prompts; critical ones and everything that is no plain
fact (conflicts, failures, unknown values) always are."""
MAX_EVIDENCE = 100
_RAW_CAP = 2_000
_PLAIN_KINDS = frozenset({CellKind.FACT, CellKind.DERIVED})


def is_core_cell(cell: Cell, core_from: float) -> bool:
    """Whether a cell is told in concise prompts even when it is not critical."""
    return cell.kind not in _PLAIN_KINDS or cell.confidence >= core_from


class View:
    """Marks objects whose public attributes templates may read."""

    __slots__ = ()


class FactView(View):
    """One cell in words. Reading `text` or `value` counts as using the fact."""

    __slots__ = (
        "_cell",
        "_core_from",
        "_evidence",
        "_is_critical",
        "_language",
        "_rules",
        "_sees_raw",
        "_text",
        "_used",
        "_wording",
    )

    def __init__(
        self,
        cell: Cell,
        wording: Wording,
        rules: RuleSet,
        language: str,
        is_critical: bool,
        used: set[str],
        core_from: float,
        sees_raw: bool = True,
    ) -> None:
        self._cell = cell
        self._wording = wording
        self._rules = rules
        self._language = language
        self._is_critical = is_critical
        self._used = used
        self._core_from = core_from
        self._sees_raw = sees_raw
        self._text: str | None = None
        self._evidence: list[EvidenceView] | None = None

    @property
    def text(self) -> str:
        """The line about the fact."""
        self._used.add(self._cell.key)
        if self._text is None:
            self._text = self._wording.text(self._cell, is_critical=self._is_critical)
        return self._text

    @property
    def value(self) -> object:
        """Numbers and booleans as they are, for comparisons; everything else as `text`."""
        value = self._cell.value
        if isinstance(value, bool | int | float):
            self._used.add(self._cell.key)
            return value
        return self.text

    @property
    def label(self) -> str:
        """The display name of the fact type."""
        return self._wording.label(self._cell)

    @property
    def type(self) -> str:
        """The fact type."""
        return self._cell.type

    @property
    def kind(self) -> str:
        """FACT, CONFLICT, DERIVED, DEGRADED, UNKNOWN, UNPARSED, EMPTY or FAILED."""
        return self._cell.kind.value

    @property
    def is_critical(self) -> bool:
        """Whether the fact may not be left out."""
        return self._is_critical

    @property
    def is_core(self) -> bool:
        """Whether concise prompts tell it."""
        return self._is_critical or is_core_cell(self._cell, self._core_from)

    @property
    def age(self) -> str:
        """How old it is, such as `12秒前`; empty when that is not known."""
        return age_text(self._cell.age_seconds, self._language) or ""

    @property
    def shows_age(self) -> bool:
        """Whether concise prompts state the age."""
        known = self._rules.fact_types.get(self._cell.type)
        return known is not None and known.shows_age and self._cell.kind in _PLAIN_KINDS

    @property
    def confidence(self) -> str:
        """With two digits."""
        return f"{self._cell.confidence:.2f}"

    @property
    def sources(self) -> list[str]:
        """Who says so, sorted."""
        return [capped(clean_text(source), 200) for source in self._cell.sources]

    @property
    def valid_at(self) -> str:
        """Business time in ISO 8601 UTC; empty without one."""
        return iso(self._cell.valid_at) or ""

    @property
    def evidence(self) -> list["EvidenceView"]:
        """How each piece of evidence was read; at most `MAX_EVIDENCE` of them.

        Empty for callers who may not see raw outputs.
        """
        if not self._sees_raw:
            return []
        if self._evidence is None:
            found = self._cell.evidence[:MAX_EVIDENCE]
            self._evidence = [EvidenceView(fragment, self._wording) for fragment in found]
        return self._evidence


class EvidenceView(View):
    """One fragment, for debugging."""

    __slots__ = ("confidence", "kind", "origin", "raw", "reason", "source", "value", "versions")

    def __init__(self, fragment: SemanticFragment, wording: Wording) -> None:
        self.kind = fragment.kind.value
        self.value = wording.evidence(fragment)
        self.raw = "" if fragment.raw is None else wording.quoted(fragment.raw, _RAW_CAP)
        self.source = capped(clean_text(fragment.source), 200)
        self.confidence = f"{fragment.confidence:.2f}"
        self.origin = fragment.confidence_origin.value
        self.reason = fragment.reason or ""
        versions = (fragment.contract_version, fragment.rule_version, fragment.parser_version)
        self.versions = " ".join(version for version in versions if version)


class GroupView(View):
    """The facts of one entity and what belongs to it."""

    __slots__ = ("facts", "heading", "is_primary")

    def __init__(self, group: Group, facts: Sequence[FactView], heading: str) -> None:
        self.facts = tuple(facts)
        self.heading = heading
        self.is_primary = group.is_primary


class OutputView(View):
    """One raw output, for debugging."""

    __slots__ = ("_key", "_output", "_raw", "_rules", "_wording", "tool", "version")

    def __init__(
        self, output: ToolOutput, rules: RuleSet, wording: Wording, key: bytes | None
    ) -> None:
        self.tool = wording.tool(output.tool)
        self.version = capped(clean_text(output.version or ""), 80)
        self._output, self._rules, self._wording, self._key = output, rules, wording, key
        self._raw: str | None = None

    @property
    def raw(self) -> str:
        """The body as bounded text, sensitive values masked; read only when it is asked for."""
        if self._raw is None:
            text = raw_text(self._output, self._rules, _RAW_CAP, self._key)
            self._raw = self._wording.quoted(text, _RAW_CAP)
        return self._raw


class StepView(View):
    """One step of alignment, for debugging; put into words only when it is asked for."""

    __slots__ = ("_step", "_wording", "fact_type", "kind")

    def __init__(self, step: AlignmentStep, wording: Wording) -> None:
        self.kind = step.kind.value
        self.fact_type = step.type
        self._step, self._wording = step, wording

    @property
    def entity(self) -> str:
        """What the step is about."""
        return self._wording.entity(*self._step.entity)

    @property
    def text(self) -> str:
        """What was done, as one line."""
        return self._wording.step(self._step)


class NoiseView(View):
    """One disturbance, for debugging."""

    __slots__ = ("fact_type", "injected", "kind", "original", "reason")

    def __init__(self, record: NoiseRecord, wording: Wording) -> None:
        self.kind = record.kind
        self.fact_type = record.fact_type
        self.original = wording.quoted(record.original_value, _RAW_CAP)
        self.injected = wording.quoted(record.injected_value or "", _RAW_CAP)
        self.reason = record.reason
