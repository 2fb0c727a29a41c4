"""The waterfall shows every span once, whatever its parents say."""

import gzip
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.components.waterfall import packed, waterfall_rows
from replay_store.reader import SpanRow

T0 = 1_764_547_200_000_000_000


def span(
    number: int,
    parent: int | None = None,
    start_ms: float | None = 0,
    end_ms: float | None = 1,
    *,
    is_error: bool = False,
    name: str = "span",
    tool_name: str | None = None,
    tried: tuple[int, int, int] | None = None,
) -> SpanRow:
    root, place, of = tried or (None, None, None)
    start = None if start_ms is None else T0 + round(start_ms * 1e6)
    end = None if end_ms is None else T0 + round(end_ms * 1e6)
    is_timed = start is not None and end is not None and end >= start
    return SpanRow(
        span_id=f"{number:016x}",
        parent_span_id=None if parent is None else f"{parent:016x}",
        name=name,
        role="tool",
        start_time_ns=start,
        end_time_ns=end,
        duration_ns=end - start if is_timed and start is not None and end is not None else None,
        status_code=0,
        is_error=is_error,
        service_name=None,
        tool_name=tool_name,
        model=None,
        retry_root=root,
        try_number=place,
        n_tries=of,
    )


def numbers(ids: list[str]) -> list[int]:
    return [int(span_id, 16) for span_id in ids]


def test_no_spans_give_no_rows() -> None:
    rows = waterfall_rows([])

    assert rows["ids"] == []
    assert rows["total"] == 1


def test_children_follow_their_parent_earliest_first() -> None:
    rows = waterfall_rows(
        [span(1, None, 0, 10), span(2, 1, 5, 6), span(3, 1, 1, 2), span(4, 2, 5, 6)]
    )

    assert numbers(rows["ids"]) == [1, 3, 2, 4]
    assert rows["parent"] == [-1, 0, 0, 2]


def test_times_are_microseconds_from_the_first_start() -> None:
    rows = waterfall_rows([span(1, None, 2, 12), span(2, 1, 3.5, 4)])

    assert rows["start"] == [0, 1500]
    assert rows["duration"] == [10_000, 500]
    assert rows["total"] == 10_000


def test_orphans_hang_under_a_placeholder_for_each_missing_parent() -> None:
    rows = waterfall_rows([span(1, 99, 4, 5), span(2, 99, 1, 2), span(3, 98, 9, 10)])

    assert numbers(rows["ids"]) == [99, 2, 1, 98, 3]
    assert rows["state"] == ["missing", "", "", "missing", ""]
    assert rows["start"][0] == 0
    assert numbers([rows["ids"][rows["first"]]]) == [2]


def test_a_circle_of_parents_is_cut_at_its_earliest_span() -> None:
    rows = waterfall_rows([span(1, 3, 5, 6), span(2, 1, 1, 2), span(3, 2, 3, 4), span(4, 1, 7, 8)])

    assert numbers(rows["ids"]) == [2, 3, 1, 4]
    assert rows["cut"] == [0]


def test_a_span_that_is_its_own_parent_is_a_root() -> None:
    rows = waterfall_rows([span(1, 1)])

    assert rows["parent"] == [-1]
    assert rows["cut"] == [0]


def test_spans_without_times_say_which_is_missing() -> None:
    rows = waterfall_rows(
        [
            span(1, None, 0, 10),
            span(2, 1, 1, None),
            span(3, 1, 5, 4),
            span(4, 1, None, None),
        ]
    )

    assert rows["state"] == ["", "unfinished", "reversed", "untimed"]
    assert rows["duration"] == [10_000, None, None, None]
    assert rows["start"] == [0, 1000, 5000, None]


def test_pauses_are_where_no_span_without_children_ran() -> None:
    rows = waterfall_rows([span(1, None, 0, 100), span(2, 1, 10, 40), span(3, 1, 30, 60)])

    assert rows["idle"] == [(0, 10_000), (60_000, 100_000)]


def test_an_unfinished_span_leaves_no_pause_after_it() -> None:
    rows = waterfall_rows([span(1, None, 0, 100), span(2, 1, 10, None)])

    assert rows["idle"] == [(0, 10_000)]


def test_the_lowest_earliest_error_is_opened_first() -> None:
    rows = waterfall_rows(
        [
            span(1, None, 0, 10, is_error=True),
            span(2, 1, 1, 5, is_error=True),
            span(3, 2, 3, 4, is_error=True),
            span(4, 1, 2, 3),
            span(5, 1, 6, 7, is_error=True),
        ]
    )

    assert rows["ids"][rows["first"]] == f"{3:016x}"
    assert len(rows["errors"]) == 4


def test_a_tool_is_named_beside_a_span_whose_name_does_not_hold_it() -> None:
    rows = waterfall_rows(
        [span(1, name="call", tool_name="search"), span(2, name="call search", tool_name="search")]
    )

    assert rows["names"][rows["detail"][0]] == "search"
    assert rows["detail"][1] == -1


@pytest.mark.parametrize(
    ("child", "reach"),
    [
        ((2, 8), []),
        ((2, 11), []),
        ((-3, 8), [(3_000, 0)]),
        ((2, 15), [(0, 5_000)]),
        ((-3, 15), [(3_000, 5_000)]),
        ((2, None), []),
        ((None, 8), []),
        ((8, 2), []),
    ],
)
def test_a_span_outside_of_its_parent_says_by_how_much(
    child: tuple[float | None, float | None], reach: list[tuple[int, int]]
) -> None:
    """A millisecond is no skew; neither is what is not known."""
    rows = waterfall_rows([span(1, None, 0, 10), span(2, 1, *child)])

    assert rows["outside"] == [(1, before, after) for before, after in reach]
    assert numbers(rows["ids"]) == [1, 2]


def test_tries_of_a_call_are_numbered_and_the_only_one_is_not() -> None:
    rows = waterfall_rows(
        [
            span(1, None, 0, 9),
            span(2, 1, 1, 2, tried=(4, 1, 2)),
            span(3, 1, 3, 4, tried=(5, 1, 1)),
            span(4, 1, 5, 6, tried=(4, 2, 2)),
        ]
    )

    assert rows["tries"] == [(1, 4, 1, 2), (3, 4, 2, 2)]


def test_five_thousand_spans_deep_are_no_trouble() -> None:
    rows = waterfall_rows([span(n, n - 1 if n > 1 else None) for n in range(1, 5001)])

    assert len(rows["ids"]) == 5000


@given(
    st.lists(
        st.tuples(
            st.integers(0, 25),
            st.one_of(st.none(), st.floats(0, 100)),
            st.one_of(st.none(), st.floats(0, 100)),
        ),
        max_size=20,
    )
)
def test_every_span_is_shown_once_below_an_earlier_row(
    drawn: list[tuple[int, float | None, float | None]],
) -> None:
    spans = [span(n, parent or None, a, b) for n, (parent, a, b) in enumerate(drawn, 1)]

    rows = waterfall_rows(spans)

    received = [
        i for i, state in zip(rows["ids"], rows["state"], strict=True) if state != "missing"
    ]
    assert sorted(received) == sorted(s.span_id for s in spans)
    assert len(set(rows["ids"])) == len(rows["ids"])
    assert all(parent < row for row, parent in enumerate(rows["parent"]))
    assert all(0 <= start <= end <= rows["total"] for start, end in rows["idle"])


def test_what_is_sent_holds_every_id_start_and_odd_state() -> None:
    rows = waterfall_rows(
        [span(1, None, 0, 9), span(2, 1, 3, None), span(3, 1, None, None), span(4, 77, 5, 6)]
    )
    sent: dict[str, Any] = json.loads(gzip.decompress(packed(rows)))

    ids = [sent["ids"][at : at + 16] for at in range(0, len(sent["ids"]), 16)]
    starts = [s for s in sent["start"] if s is not None]
    assert ids == rows["ids"]
    assert [sum(starts[: n + 1]) for n in range(len(starts))] == [
        start for start in rows["start"] if start is not None
    ]
    assert sent["state"] == [[n, state] for n, state in enumerate(rows["state"]) if state]
    assert sent["parent"] == rows["parent"]
