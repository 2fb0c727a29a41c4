"""The seed's story: an order and its user's points, asked about one hour after the last event."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import settings

from pipeline.observation import RuleSet, ToolOutput, package_rules

settings.register_profile("steady", deadline=None)  # a shared machine stalls now and then
settings.load_profile("steady")

ASKED = datetime(2024, 6, 11, 15, 5, 44, tzinfo=UTC)


@pytest.fixture(scope="session")
def rules() -> RuleSet:
    return package_rules()


@pytest.fixture
def asked() -> datetime:
    return ASKED


@pytest.fixture
def order_body() -> dict[str, Any]:
    """The order of S0 §2.1."""
    return {
        "order_id": "12345",
        "status": "shipped",
        "tracking_number": "SF123456789CN",
        "estimated_delivery": "2024-06-15",
        "logistics_info": [
            {
                "time": "2024-06-10T08:23:11Z",
                "location": "Shenzhen, CN",
                "event": "Package picked up",
            },
            {
                "time": "2024-06-11T14:05:44Z",
                "location": "Guangzhou, CN",
                "event": "In transit to destination",
            },
        ],
    }


@pytest.fixture
def points_body() -> dict[str, Any]:
    return {"user_id": "U789", "points_balance": 1250, "points_expire": "2024-12-31"}


@pytest.fixture
def seed_context() -> dict[str, object]:
    return {
        "target_order_id": "12345",
        "user_id": "U789",
        "query_timestamp": ASKED,
        "user_intent": "track_delivery",
    }


@pytest.fixture
def seed_outputs(order_body: dict[str, Any], points_body: dict[str, Any]) -> list[ToolOutput]:
    return [
        ToolOutput("order_api", "1.0", ASKED - timedelta(seconds=12), order_body),
        ToolOutput("points_api", "1.0", ASKED - timedelta(seconds=5), points_body),
    ]
