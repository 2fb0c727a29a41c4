"""Contracts: what each tool promises, as data that a model, an executor and a reviewer all read.

Owns the contract file, the registry that shows a model only name, description and schema, the
check of arguments, lint, differences, import and made-up data. Refuses to run anything: that is
`pipeline.execution`.
"""

from pipeline.contracts.arguments import ArgumentProblem, check_arguments, problems_text
from pipeline.contracts.dangers import is_offered, suspected_danger
from pipeline.contracts.diff import Difference, contract_differences
from pipeline.contracts.errors import ContractError
from pipeline.contracts.files import (
    contract_json,
    contract_schema,
    parse_contract,
    read_contract,
    read_contracts,
)
from pipeline.contracts.findings import Finding, Rule, Severity
from pipeline.contracts.importing import import_contracts
from pipeline.contracts.lint import lint_contracts
from pipeline.contracts.mock import mock_answer, mock_arguments, mock_value
from pipeline.contracts.model import (
    CONFIRMED,
    Contract,
    Danger,
    ErrorRule,
    Fallback,
    Quotas,
)
from pipeline.contracts.registry import Registry
from pipeline.contracts.similarity import AlikePair, alike_pairs
from pipeline.contracts.tool_lists import TOOL_LISTS

__all__ = [
    "CONFIRMED",
    "TOOL_LISTS",
    "AlikePair",
    "ArgumentProblem",
    "Contract",
    "ContractError",
    "Danger",
    "Difference",
    "ErrorRule",
    "Fallback",
    "Finding",
    "Quotas",
    "Registry",
    "Rule",
    "Severity",
    "alike_pairs",
    "check_arguments",
    "contract_differences",
    "contract_json",
    "contract_schema",
    "import_contracts",
    "is_offered",
    "lint_contracts",
    "mock_answer",
    "mock_arguments",
    "mock_value",
    "parse_contract",
    "problems_text",
    "read_contract",
    "read_contracts",
    "suspected_danger",
]
