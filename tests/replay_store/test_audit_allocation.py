"""How parts of a frame share a draw: textbook cases and laws."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replay_store.audit_allocation import Allocation, Part, n_to_double, quotas, shares


def part(n: int, *, most: int | None = None, judged: int = 0, right: int = 0) -> Part:
    return Part(n, n if most is None else most, judged, right)


@pytest.mark.parametrize(
    ("allocation", "expected"),
    [
        (Allocation.PROPORTIONAL, [60, 30, 10]),
        (Allocation.EQUAL, [34, 33, 33]),
        # Without a label nothing says where labels differ: in proportion.
        (Allocation.NEYMAN, [60, 30, 10]),
    ],
)
def test_a_frame_without_labels_is_shared(allocation: Allocation, expected: list[int]) -> None:
    parts = [part(6000), part(3000), part(1000)]
    found = quotas(100, parts, allocation)

    assert sum(found) == 100
    assert found == pytest.approx(expected, abs=1)


def test_neyman_draws_more_where_right_and_wrong_are_mixed() -> None:
    # Cochran 1977, §5.5: n_h in proportion to N_h sqrt(p_h q_h): .5 and .0995 of equal parts.
    parts = [part(5000, judged=10_000, right=5_000), part(5000, judged=10_000, right=9_900)]
    found = quotas(600, parts, Allocation.NEYMAN)

    assert found[0] / found[1] == pytest.approx(0.5 / math.sqrt(0.99 * 0.01), rel=0.02)


def test_a_part_that_was_always_right_so_far_is_not_forgotten() -> None:
    parts = [part(1000, judged=40, right=40), part(1000, judged=40, right=20)]

    assert min(shares(parts, Allocation.NEYMAN)) > 0


_PARTS = st.lists(
    st.builds(
        lambda n, most, judged, right: Part(n, min(n, most), judged, min(judged, right)),
        st.integers(1, 500),
        st.integers(1, 500),
        st.integers(0, 50),
        st.integers(0, 50),
    ),
    min_size=1,
    max_size=12,
)


@given(_PARTS, st.integers(1, 900), st.sampled_from(Allocation))
def test_every_part_is_drawn_from_none_too_much_and_all_together_as_asked(
    parts: list[Part], n: int, allocation: Allocation
) -> None:
    wanted = max(n, len(parts))
    found = quotas(wanted, parts, allocation)

    assert all(1 <= got <= part.n_most for got, part in zip(found, parts, strict=True))
    assert sum(found) == min(wanted, sum(part.n_most for part in parts))


@given(_PARTS, st.integers(1, 300), st.sampled_from(Allocation))
def test_one_more_decision_takes_from_no_part(
    parts: list[Part], n: int, allocation: Allocation
) -> None:
    wanted = max(n, len(parts))
    fewer, more = quotas(wanted, parts, allocation), quotas(wanted + 1, parts, allocation)

    assert all(a <= b for a, b in zip(fewer, more, strict=True))


@pytest.mark.parametrize(("n", "twice"), [(10, 10), (60, 60), (300, 60), (401, 61), (1000, 150)])
def test_sixty_or_fifteen_per_cent_are_labelled_twice(n: int, twice: int) -> None:
    assert n_to_double(n) == twice
