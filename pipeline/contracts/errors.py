"""What can go wrong around contracts.

ToolsightError
└── ContractError   a contract, or a file of them, cannot be used
"""

from collections.abc import Sequence

from pipeline.errors import ToolsightError


class ContractError(ToolsightError):
    """A contract cannot be used.

    Args:
        problems: One sentence for each thing that is wrong, beginning with its field.
        where: The file; empty when nobody knows.
    """

    def __init__(self, problems: Sequence[str], where: str = "") -> None:
        place = f"{where}: " if where else ""
        super().__init__(f"{place}{'; '.join(problems)}")
        self.problems = tuple(problems)
