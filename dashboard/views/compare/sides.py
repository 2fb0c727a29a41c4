"""Which two sides are compared: read from the address, offered in the form."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import streamlit as st

from dashboard import links
from dashboard.filters import zone
from dashboard.formats import minute_text, zone_text
from dashboard.i18n import t
from dashboard.views.compare import queries as compare_queries
from dashboard.views.compare.nothing_before import nothing_before
from metrics import DataRange, Scope, Side
from metrics.alerts import Deploy

BY: Final = ("period", "contract", "model", "template")
_LABELS: Final = {
    "period": "compare_by_period",
    "contract": "compare_by_contract",
    "model": "compare_by_model",
    "template": "compare_by_template",
}


@dataclass(frozen=True, slots=True)
class Sides:
    """Two sides and how each is called. Names come from traces."""

    left: Side
    right: Side
    left_name: str
    right_name: str


def chosen_sides(scope: Scope, held: DataRange) -> Sides | None:
    """Draw the form; the sides that it names, or None where there are not two to compare.

    Args:
        scope: The range; a comparison of periods sets it against the one before.
        held: What the store holds.
    """
    by = _by()
    if by == "period":
        before = scope.before()
        if before.end_time_ns <= held.first_time_ns:
            nothing_before(held)
            return None
        return Sides(Side(before), Side(scope), _period(before), _period(scope))
    with st.container(horizontal=True, gap="medium", key="compare_form"):
        return _picked(by, scope)


def _picked(by: str, scope: Scope) -> Sides | None:
    both = replace(scope, start_time_ns=scope.before().start_time_ns)
    found = [item for item in compare_queries.versions(both) if item.kind == by]
    if by == "contract":
        found = _of_tool(found)
    names = [item.version if by != "template" else item.name for item in found]
    names = list(dict.fromkeys(names))
    if len(names) < 2:
        st.info(t("compare_one_only"), icon=":material/info:")
        return None
    left, right = _pick("a", names, len(names) - 2), _pick("b", names, len(names) - 1)
    if by == "template" and left != right and _are_nested(both, left, right):
        return None
    tool = found[0].name if by == "contract" else None
    of_tool = replace(both, tool_name=tool)
    return Sides(_side(by, of_tool, left), _side(by, of_tool, right), left, right)


def _are_nested(scope: Scope, left: str, right: str) -> bool:
    """Whether one template has no trace without the other: says so, and leads to their prompts."""
    if not compare_queries.template_overlap(scope, left, right).is_nested:
        return False
    st.info(t("compare_same_traces"), icon=":material/info:")
    links.page_link("saw", t("compare_prompts"))
    return True


def _side(by: str, scope: Scope, name: str) -> Side:
    return Side(
        scope,
        contract_version=name if by == "contract" else None,
        model=name if by == "model" else None,
        template=name if by == "template" else None,
    )


def _by() -> str:
    key = "compare_by"

    def changed() -> None:
        for name in ("a", "b", "tool"):
            links.set_parameter(name, None)
        links.set_parameter("by", st.session_state[key])

    wanted = st.query_params.get("by", "")
    st.session_state[key] = wanted if wanted in BY else BY[0]
    st.segmented_control(
        t("compare_by"),
        BY,
        key=key,
        format_func=lambda name: t(_LABELS[name]),
        on_change=changed,
        required=True,
        label_visibility="collapsed",
    )
    return str(st.session_state[key])


def _of_tool(found: Sequence[Deploy]) -> list[Deploy]:
    """The versions of one tool; of the one with most versions unless the address names another."""
    tools = sorted({item.name for item in found}, key=lambda name: (-_n(found, name), name))
    if not tools:
        return []
    tool = _pick("tool", tools, 0)
    return [item for item in found if item.name == tool]


def _n(found: Sequence[Deploy], name: str) -> int:
    return sum(item.name == name for item in found)


def _pick(parameter: str, names: Sequence[str], default: int) -> str:
    """A choice that lives in the address; anything unknown there is the default."""
    key = f"compare_{parameter}"

    def changed() -> None:
        links.set_parameter(parameter, st.session_state[key])

    wanted = st.query_params.get(parameter, "")
    st.session_state[key] = wanted if wanted in names else names[default]
    st.selectbox(t(_PICKS[parameter]), names, key=key, on_change=changed, width=320)
    return str(st.session_state[key])


_PICKS: Final = {"a": "compare_left", "b": "compare_right", "tool": "compare_tool"}


def _period(scope: Scope) -> str:
    in_zone = zone()
    start, end = (minute_text(time, in_zone) for time in (scope.start_time_ns, scope.end_time_ns))
    return f"{start} – {end} {zone_text(in_zone, scope.end_time_ns)}"
