"""What contract lint can find, and how it tells it."""

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as of_dataclass
from typing import Any

from pipeline.contracts.rule_texts import RULE_TEXTS, Rule, Severity

__all__ = ["Finding", "Rule", "Severity"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to mend in one contract."""

    tool: str
    rule: Rule
    field: str
    """`name`, `description`, another field of the contract, or a parameter's name."""
    values: Mapping[str, Any] = of_dataclass(default_factory=dict)
    """What the suggestion's text names, such as a better name or a measured similarity."""

    @property
    def severity(self) -> Severity:
        """How bad it is."""
        return RULE_TEXTS[self.rule].severity

    @property
    def source(self) -> str:
        """Where that is said."""
        return RULE_TEXTS[self.rule].source

    def reason(self, language: str) -> str:
        """Why it matters, in `zh` or `en`."""
        texts = RULE_TEXTS[self.rule]
        return texts.reason_zh if language == "zh" else texts.reason_en

    def suggestion(self, language: str) -> str:
        """What to write instead, in `zh` or `en`."""
        texts = RULE_TEXTS[self.rule]
        text = texts.fix_zh if language == "zh" else texts.fix_en
        return text.format(field=self.field, **self.values)
