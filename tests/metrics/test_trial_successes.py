"""pass^k over the trials of test cases: the published table, laws, and what no trial gives."""

from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics import Trials, pass_hat_k, trial_successes
from pipeline.vocabulary import AnnotatorKind
from replay_store import Batch, Writer
from replay_store.records import Score
from tests.stores import memory_store


def _cases(*pairs: tuple[int, int]) -> list[Trials]:
    return [Trials(f"c{at}", n, success) for at, (n, success) in enumerate(pairs)]


def test_the_estimate_is_that_of_the_paper() -> None:
    # tau-bench, airline: of 50 tasks with four trials each, 10 succeed four times, ...
    cases = _cases(*[(4, 4)] * 10, *[(4, 3)] * 4, *[(4, 2)] * 10, *[(4, 1)] * 12, *[(4, 0)] * 14)
    assert pass_hat_k(cases, 1) == pytest.approx(0.42)
    assert pass_hat_k(cases, 4) == pytest.approx(0.20)


_pairs = st.integers(1, 6).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n)))


@given(st.lists(_pairs, min_size=1, max_size=6), st.integers(1, 6))
def test_it_is_the_share_of_draws_in_which_all_succeed(
    pairs: list[tuple[int, int]], k: int
) -> None:
    shares = []
    for n, success in pairs:
        draws = list(combinations([1] * success + [0] * (n - success), k))
        if draws:
            shares.append(sum(all(draw) for draw in draws) / len(draws))
    found = pass_hat_k(_cases(*pairs), k)
    if not shares:
        assert found is None
    else:
        assert found == pytest.approx(sum(shares) / len(shares))


def test_no_case_with_enough_trials_gives_no_value() -> None:
    assert pass_hat_k([], 1) is None
    assert pass_hat_k(_cases((2, 2)), 3) is None
    with pytest.raises(ValueError, match="must be at least 1"):
        pass_hat_k(_cases((2, 2)), 0)


def _score(index: int, **fields: Any) -> Score:
    plain: dict[str, Any] = dict.fromkeys(Score.__dataclass_fields__)
    given = {
        "record_hash": index, "case_id": "a", "name": "reward", "value": 1.0, "source": "x",
        "annotator_kind": AnnotatorKind.RULE, "file_id": "0" * 32, "record_index": index,
        "received_time_ns": 1,
    }  # fmt: skip
    return Score(**plain | given | fields)


def test_trials_are_counted_by_container_and_case() -> None:
    rows = [
        _score(1),
        _score(2, value=0.5),
        _score(3, case_id="b", value=1.0),
        _score(4, source="y"),
        _score(5, name="other"),
        _score(6, value=None),
        _score(7, case_id=None),
    ]
    with memory_store() as database:
        Writer(database).write(Batch(scores=rows))
        found = trial_successes(database)
    assert found == {"x": [Trials("a", 2, 1), Trials("b", 1, 1)], "y": [Trials("a", 1, 1)]}


def test_a_store_without_rewards_has_no_trials() -> None:
    with memory_store() as database:
        assert trial_successes(database) == {}
