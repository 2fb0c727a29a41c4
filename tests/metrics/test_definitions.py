"""The one list of definitions is complete, in both languages."""

import pytest

from metrics import (
    COUNTED,
    DEFINITIONS,
    NOTES,
    REASONS,
    Counted,
    Definition,
    Note,
    Reason,
    Text,
    UnknownMetricError,
    definition,
)

KEYS = [
    "selection_accuracy",
    "call_accuracy",
    "latency_p95_attempt",
    "latency_p95_call",
    "latency_p95_model",
    "retry_rate",
    "retry_success_rate",
    "steps_per_task",
    "guard_hits",
    "guard_hit_rate",
    "conflict_share",
    "unknown_share",
    "mean_confidence",
    "parse_p95",
    "noise_exposure",
]


def test_every_metric_is_defined_once_and_in_order() -> None:
    assert [item.key for item in DEFINITIONS] == KEYS


@pytest.mark.parametrize("item", DEFINITIONS, ids=lambda item: item.key)
def test_a_definition_is_complete_in_both_languages(item: Definition) -> None:
    for text in (item.name, item.formula, item.denominator, item.empty):
        assert text.en.strip()
        assert any("一" <= letter <= "鿿" for letter in text.zh) or text.zh == "P95"
    assert (item.name_en, item.name_zh) == item.name
    assert item.source.startswith("S")
    assert item.exclusions
    assert item.prometheus_name.startswith("toolsight_")
    assert definition(item.key) is item


@pytest.mark.parametrize(
    ("words", "members"), [(REASONS, Reason), (NOTES, Note), (COUNTED, Counted)]
)
def test_every_key_has_words_in_both_languages(
    words: dict[str, Text], members: type[Reason] | type[Note] | type[Counted]
) -> None:
    assert set(words) == set(members)
    assert all(text.en and text.zh for text in words.values())


def test_a_definition_tells_its_default_threshold() -> None:
    threshold = definition("selection_accuracy").threshold
    assert threshold is not None
    assert threshold.limit == 0.85
    assert definition("call_accuracy").threshold is None


def test_names_of_exported_series_are_distinct() -> None:
    assert len({item.prometheus_name for item in DEFINITIONS}) == len(DEFINITIONS)


def test_an_unknown_key_is_refused() -> None:
    with pytest.raises(UnknownMetricError, match="'speed'"):
        definition("speed")
