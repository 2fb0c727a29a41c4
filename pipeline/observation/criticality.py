"""Which facts noise and templates must leave alone."""

from dataclasses import dataclass

from pipeline.observation.inputs import Context
from pipeline.observation.rules.model import RuleSet


@dataclass(frozen=True, slots=True)
class CriticalityChecker:
    """The whitelist of a rule set: static types, and those of the user's intent (S0 §3.3)."""

    rules: RuleSet

    def check(self, context: Context) -> frozenset[str]:
        """The types that are critical in this context; only the intent matters."""
        return frozenset(
            name
            for name, known in self.rules.fact_types.items()
            if known.is_critical_for(context.intent)
        )
