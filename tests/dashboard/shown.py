"""What components of our own show on a page that AppTest ran: to it they are elements without a name."""

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest

__all__ = ["component_texts"]


def component_texts(page: "AppTest") -> list[str]:
    """The plain texts of a page, and the values of its facts, each by itself."""
    plain = [data["text"] for data in _data(page, "toolsight_plain_text")]
    return plain + [
        value for data in _data(page, "toolsight_fact_row") for _, value in data["facts"]
    ]


def _data(page: "AppTest", component: str) -> list[dict[str, Any]]:
    protos = (element.proto for element in page.get("bidi_component"))
    return [json.loads(proto.json) for proto in protos if proto.component_name == component]
