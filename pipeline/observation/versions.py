"""Three versions travel on every fact, and what was recorded is read by the ones it names.

Contract (the tool's schema), parser (code) and dictionary (rule set) change apart. A library holds
several of each side by side. Source: S4 §4.4; S0 §5.1.
"""

from dataclasses import dataclass
from typing import NamedTuple

from pipeline.observation.errors import UnknownVersionError
from pipeline.observation.fragment import SemanticFragment
from pipeline.observation.inputs import Context, ToolOutput
from pipeline.observation.parser import parse
from pipeline.observation.rules.model import RuleSet


class Versions(NamedTuple):
    """What a fact was read with; None where nobody said."""

    contract: str | None
    parser: str | None
    """`rules@1` for rules alone, else `<name>@<version>` of the code."""
    dictionary: str | None
    """Version of the rule set."""

    @classmethod
    def of(cls, fragment: SemanticFragment) -> "Versions":
        """The versions of one fact."""
        dictionary = None
        if fragment.rule_version is not None:
            dictionary = fragment.rule_version.split("/", 1)[0]
        return cls(fragment.contract_version, fragment.parser_version, dictionary)


@dataclass(frozen=True, slots=True)
class RuleLibrary:
    """Several versions side by side."""

    current: RuleSet
    """Reads what has no recorded version."""
    older: tuple[RuleSet, ...] = ()

    @property
    def versions(self) -> tuple[str, ...]:
        """The versions that can be asked for, the current one first, then the newest."""
        return (self.current.version, *(rules.version for rules in reversed(self.older)))

    def rules(self, version: str | None = None) -> RuleSet:
        """The rule set of a version; the current one when None.

        Raises:
            UnknownVersionError: It is not in the library; the message lists those that are.
        """
        if version is None or version == self.current.version:
            return self.current
        for rules in reversed(self.older):
            if rules.version == version:
                return rules
        raise UnknownVersionError(
            f"dictionary {version}: not loaded here: expected one of {', '.join(self.versions)}; "
            "load that version, or ask for one of these"
        )

    def read(
        self,
        output: ToolOutput,
        context: Context,
        recorded: Versions | None = None,
        *,
        version: str | None = None,
    ) -> list[SemanticFragment]:
        """The evidence in an output, by the versions it was recorded with.

        Args:
            output: What the tool said.
            context: What it was asked for.
            recorded: The versions on its facts; None reads with the current ones.
            version: Another dictionary to read it with, whatever was recorded; the newest code of
                its parsers reads then.

        Raises:
            UnknownVersionError: The version is not in the library.
        """
        if version is not None or recorded is None:
            return parse(output, self.rules(version), context)
        rules = self.rules(recorded.dictionary)
        if recorded.parser is not None:
            rules = rules.pinned_to(recorded.parser)
        return parse(output, rules, context)
