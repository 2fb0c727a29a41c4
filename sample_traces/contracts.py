"""The shop's tools: contract files in `tools/`, who is offered which, and what holds at one moment."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Final

from pipeline.contracts import Contract, Registry, read_contracts
from sample_traces import contract_folder
from sample_traces.timeline import ContractRelease, Timeline

CUSTOMER_TOOLS: Final = (
    "query_order_status",
    "search_orders",
    "get_user_points",
    "check_coupon",
    "create_ticket",
    "query_ticket",
    "refund_order",
)
STAFF_TOOLS: Final = (
    "sales_summary",
    "inventory_check",
    "query_order_status",
    "search_orders",
    "query_ticket",
    "export_orders",
)
STAFF_CALLER: Final = "ops_console"


@cache
def shop_contracts() -> Mapping[str, Contract]:
    """The contracts as the world begins, by name."""
    return read_contracts(contract_folder())


def registry_at(timeline: Timeline, at_ns: int) -> Registry:
    """The contracts in force at one moment, as last released."""
    contracts = dict(shop_contracts())
    for release in timeline.effects(ContractRelease, at_ns):
        contracts[release.tool] = replace(
            contracts[release.tool], version=release.version, description=release.description
        )
    return Registry(contracts.values())


def tools_of(caller: str) -> tuple[str, ...]:
    """The tools on offer to a caller."""
    return STAFF_TOOLS if caller == STAFF_CALLER else CUSTOMER_TOOLS
