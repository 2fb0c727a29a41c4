"""What can go wrong around contracts.

ToolsightError
└── ProblemsError
    └── ContractError   a contract, or a file of them, cannot be used
"""

from pipeline.errors import ProblemsError


class ContractError(ProblemsError):
    """A contract cannot be used; see `ProblemsError`."""
