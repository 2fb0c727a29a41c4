"""What can go wrong around replay cases and those who choose in them.

ToolsightError
└── ReplayError
    ├── CaseError     a case cannot be used: names place, field, problem
    └── ChooserError  a chooser cannot be used, or did not answer
"""

from pipeline.errors import ToolsightError


class ReplayError(ToolsightError):
    """A replay cannot do what was asked."""


class CaseError(ReplayError):
    """A case cannot be used.

    Args:
        problems: One sentence for each thing that is wrong, beginning with its field.
        where: The file, or file and line; empty when nobody knows.
    """

    def __init__(self, problems: list[str], where: str = "") -> None:
        place = f"{where}: " if where else ""
        super().__init__(f"{place}{'; '.join(problems)} (replay case)")
        self.problems = tuple(problems)


class ChooserError(ReplayError):
    """A chooser cannot be used, or did not answer."""
