"""Clean against noise: what is kept, what flips, and that the critical is never touched."""

from itertools import pairwise
from typing import Any

import pytest

from metrics.robustness import robustness
from pipeline.observation import NoiseKind
from pipeline.replay import case_from_json
from pipeline.replay.robustness import ALL_KINDS, Look, looks, profile_of
from pipeline.replay.setup import Setup

STOCK = {
    "data": [
        {"province": name, "current_stock": 18_300 + at, "min_safe_level": 10_000,
         "avg_daily_sales": 440}
        for at, name in enumerate(("Hubei", "Sichuan", "Zhejiang"))
    ]
}  # fmt: skip
ORDER = {"order_id": "202611200815", "status": "shipped", "estimated_delivery": "2026-11-28"}


def _observation(case_id: str, tool: str, body: Any, intent: str) -> dict[str, Any]:
    return {
        "case_id": case_id,
        "kind": "observation",
        "context": {"query_time": "2026-11-20T00:00:12+00:00", "intent": intent},
        "recorded": [{"tool": tool, "body": body, "received_at": "2026-11-20T00:00:00+00:00"}],
        "expected": {"prompt": {"text": "whatever"}},
    }


CASES = [
    case_from_json(_observation("stock", "inventory_check", STOCK, "restock")),
    case_from_json(_observation("order", "query_order_status", ORDER, "cancel_order")),
    case_from_json(
        _observation("task", "query_order_status", ORDER, "track_delivery")
        | {
            "kind": "end_to_end",
            "input": [{"role": "user", "text": "?"}],
            "offered": [{"name": "query_order_status"}],
            "gold": {"need": "CALL", "best": ["query_order_status"]},
            "expected": None,
        }
    ),
    case_from_json(_observation("retired", "inventory_check", STOCK, "x") | {"is_retired": True}),
]
SETUP = Setup("clean")


@pytest.fixture(scope="module")
def found() -> list[Look]:
    return looks(CASES, SETUP)


def test_every_case_is_looked_at_by_kind_intensity_and_seed(found: list[Look]) -> None:
    assert len(found) == 3 * (1 + len(NoiseKind)) * 5 * 5
    assert {look.case_id for look in found} == {"stock", "order", "task"}


def test_no_intensity_is_no_noise(found: list[Look]) -> None:
    for look in found:
        if look.intensity == 0:
            assert look.n_kept == look.n_facts
            assert not look.is_prompt_changed
            assert not look.is_flipped


def test_critical_facts_are_never_touched(found: list[Look]) -> None:
    assert all(look.n_critical_kept == look.n_critical for look in found)
    assert any(look.n_critical for look in found)


def test_more_intensity_never_keeps_more(found: list[Look]) -> None:
    curves: dict[tuple[str, str, int], list[int]] = {}
    for look in found:
        curves.setdefault((look.case_id, look.kind, look.seed), []).append(look.n_kept)
    for curve in curves.values():
        assert all(later <= earlier for earlier, later in pairwise(curve))


def test_one_kind_of_noise_does_no_more_than_its_own(found: list[Look]) -> None:
    kept = {
        row.kind: row.facts_kept.numerator / row.facts_kept.denominator
        for row in robustness(found)
        if row.intensity == 0.4
    }
    assert kept[ALL_KINDS] < 1
    assert kept[NoiseKind.JITTER_NUM] < 1
    assert kept[NoiseKind.TRUNCATE] == 1
    assert all(kept[kind] >= kept[ALL_KINDS] for kind in NoiseKind)


def test_looking_twice_gives_the_same(found: list[Look]) -> None:
    assert looks(CASES, SETUP, n_workers=1) == found


def test_a_profile_disturbs_in_one_way_only() -> None:
    assert profile_of(ALL_KINDS).name == "seed-v1"
    assert profile_of(NoiseKind.DROP).drop_below == 0.7
    assert profile_of(NoiseKind.DROP).jitter_days == 0
    assert profile_of(NoiseKind.LABEL_UNKNOWN).labels_unknown
    with pytest.raises(ValueError, match="expected all or one of DROP"):
        profile_of("sand")


def test_shares_count_looks_and_cases(found: list[Look]) -> None:
    rows = robustness(found)
    assert [row.kind for row in rows[:5]] == [ALL_KINDS] * 5
    first = rows[0]
    assert (first.n_seeds, first.facts_kept.n_cases) == (5, 3)
    assert first.prompts_changed.denominator == 2 * 5
    assert first.flipped.denominator == 5
    assert all(row.is_critical_untouched for row in rows)
    assert robustness([]) == []


def _look(case_id: str, seed: int, clean: bool, noisy: bool | None) -> Look:
    return Look(case_id, "all", 0.3, seed, 4, 3, 1, 1, None, noisy is not clean, clean, noisy)


def test_a_case_is_right_with_noise_when_it_is_with_most_seeds() -> None:
    [row] = robustness(
        [
            *(_look("a", seed, clean=True, noisy=seed < 3) for seed in range(5)),
            *(_look("b", seed, clean=True, noisy=seed < 2) for seed in range(5)),
            *(_look("c", seed, clean=False, noisy=True) for seed in range(5)),
            *(_look("d", seed, clean=False, noisy=None) for seed in range(5)),
        ]
    )
    assert (row.right.n_same_right, row.right.n_broken, row.right.n_fixed) == (1, 1, 1)
    assert row.retention == 1.0
    assert row.facts_kept.value == 0.75
