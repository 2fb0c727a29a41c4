"""Long lists: the short ways choose what the long way chooses."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.observation import Context, ToolOutput, load_rules, parse
from pipeline.observation.times import read_datetime

YAML = """
name: t
output_schema:
  - name: chosen
    type: list
    path: items
    extract_strategy: {strategy}
    by: key
    take: name
    item_schema: [{{name: key, type: {type}}}, {{name: name, type: number}}]
    where: {{kind: [a, "1"]}}
"""
MOMENTS = st.datetimes(datetime(1999, 12, 30), datetime(2000, 1, 3))  # noqa: DTZ001
TIMES: st.SearchStrategy[Any] = st.one_of(
    st.builds(
        lambda moment, mark, fineness, offset: moment.isoformat(mark, fineness) + offset,
        MOMENTS,
        st.sampled_from("T "),
        st.sampled_from(["seconds", "milliseconds", "microseconds"]),
        st.sampled_from(["Z", "+08:00", "-05:30", "", "+0800", "000Z", "1Z", "+99:99"]),
    ),
    st.sampled_from(
        [
            "2000-01-01T00:00:00+08:00", "2000-01-01 00:00:00Z", "2000-01-01T00:00:00.5Z",
            "2000-13-01T00:00:00Z", "9999-99-99T99:99:99Z", "2000/01/01T00:00:00Z", "ab" * 10,
            "2000-01-01T00:00:00", "", None, 7, [], "２０００-01-01T00:00:00Z",
        ]
    ),
)  # fmt: skip
NUMBERS: st.SearchStrategy[Any] = st.one_of(
    st.integers(-5, 5), st.floats(-5, 5), st.sampled_from(["1", "2.5", "x", None, True, [], 10**40])
)


def _chosen(strategy: str, type_name: str, items: list[Any]) -> object:
    rules = load_rules({"t.yaml": YAML.format(strategy=strategy, type=type_name)})
    facts = parse(ToolOutput("t", None, None, {"items": items}), rules, Context())
    return facts[0].value if facts[0].kind == "FACT" else None


def _items(keys: list[Any], kinds: list[Any]) -> list[dict[str, Any]]:
    return [
        {"key": key, "name": number, "kind": kind}
        for number, (key, kind) in enumerate(zip(keys, kinds, strict=False))
    ]


KINDS = st.lists(st.sampled_from(["a", 1, "b", None]), min_size=12, max_size=12)


@given(st.lists(TIMES, max_size=12), KINDS, st.sampled_from(["latest_by_time", "max", "min"]))
def test_the_chosen_time_is_the_first_of_the_best(
    keys: list[Any], kinds: list[Any], strategy: str
) -> None:
    items = _items(keys, kinds)
    read = [(read_datetime(i["key"], (), None), i["name"]) for i in items if i["kind"] in ("a", 1)]
    known = [(moment, name) for moment, name in read if moment is not None]
    best = (min if strategy == "min" else max)((m for m, _ in known), default=None)

    expected = next((name for moment, name in known if moment == best), None)

    assert _chosen(strategy, "datetime", items) == expected


@given(st.lists(NUMBERS, max_size=12), KINDS, st.sampled_from(["max", "min"]))
def test_the_chosen_number_is_the_first_of_the_best(
    keys: list[Any], kinds: list[Any], strategy: str
) -> None:
    items = _items(keys, kinds)

    def number(raw: Any) -> float | None:
        if isinstance(raw, bool) or raw in (None, "x", 10**40) or isinstance(raw, list):
            return None
        return float(raw)

    read = [(number(i["key"]), i["name"]) for i in items if i["kind"] in ("a", 1)]
    known = [(key, name) for key, name in read if key is not None]
    best = (min if strategy == "min" else max)((key for key, _ in known), default=None)

    assert _chosen(strategy, "number", items) == next((n for key, n in known if key == best), None)


@pytest.mark.parametrize("strategy", ["latest_by_time", "min"])
def test_a_list_of_nothing_but_texts_that_only_look_like_times_ends(strategy: str) -> None:
    items = [
        {"key": f"{number % 10_000:04}-99-99T00:00:00Z", "name": number, "kind": "a"}
        for number in range(50_000)
    ]
    assert _chosen(strategy, "datetime", items) is None

    real = (datetime(1, 1, 1, tzinfo=UTC) + timedelta(days=1)).isoformat()[:19] + "Z"
    assert _chosen(strategy, "datetime", [*items, {"key": real, "name": -1, "kind": "a"}]) == -1
