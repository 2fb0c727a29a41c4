"""One field over recorded answers by two sets of rules; keys of an entry set in a file's text."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.errors import DictionaryEditError
from dashboard.tuning.readings import Became, answer_paths, readings, rules_of
from dashboard.views.dictionaries.draft import Draft, moved_to
from dashboard.views.dictionaries.edit import Edit, Place, edited
from dashboard.views.dictionaries.edit_json import edits_from_json, edits_to_json
from dashboard.views.dictionaries.keys_text import Block, Keys, Setting
from pipeline.observation import RuleFileError, load_rules, package_rule_texts
from pipeline.observation.rules.yaml_text import read_yaml
from replay_store.rules_inference import RecordedAnswer

ORDER, COUPON, DOMAIN = "order_status.yaml", "coupon_validity.yaml", "domain.yaml"
TEXTS = package_rule_texts()
DELIVERY = Place(ORDER, "estimated_delivery")
LOGISTICS = Place(ORDER, "logistics_info")
LAYOUTS = {
    "flow": "name: t\noutput_schema:\n  - {name: due, type: date, formats: ['%Y/%m/%d']}  # one\n",
    "block": (
        "name: t\noutput_schema:\n  - name: due\n    type: date  # a day\n    formats:\n"
        "      - '%Y/%m/%d'\n    # about what follows\n    optional: true\n"
    ),
    "without": "name: t\noutput_schema:\n  - name: due\n    type: date\n",
    "windows": "name: t\r\noutput_schema:\r\n  - name: due\r\n    type: date\r\n",
}


def answer(body: dict[str, Any], n: int = 1, contract: str | None = None) -> RecordedAnswer:
    return RecordedAnswer(json.dumps(body), contract, n, 1)


def orders(*bodies: dict[str, Any]) -> list[tuple[str, RecordedAnswer]]:
    return [("order_api", answer({"order_id": "1", **body})) for body in bodies]


def became(
    answers: list[tuple[str, RecordedAnswer]], place: Place, edit: Edit
) -> list[tuple[str, Became]]:
    after = load_rules(edited(TEXTS, place, edit))
    found = readings(answers, load_rules(TEXTS), after, place.file, place.field)
    return [(item.raw, item.became) for item in found]


def test_another_format_of_a_date_says_what_is_read_now_and_what_no_longer() -> None:
    answers = orders(
        {"estimated_delivery": "2026/12/01"},
        {"estimated_delivery": "01.12.2026"},
        {"estimated_delivery": "2026-12-01"},
        {"estimated_delivery": "soon"},
    )

    assert became(answers, DELIVERY, Keys({"formats": ["%d.%m.%Y"]})) == [
        ('"2026/12/01"', Became.LOST),
        ('"01.12.2026"', Became.READ),
        ('"soon"', Became.UNREAD),
        ('"2026-12-01"', Became.SAME),
    ]


def test_a_zone_moves_the_moment() -> None:
    place = Place(ORDER, "cancellation_deadline")
    answers = orders(
        {"cancellation_deadline": "2026-12-01 10:00"},
        {"cancellation_deadline": "2026-12-01T10:00Z"},
    )

    assert became(answers, place, Keys({"zone": "Asia/Shanghai"})) == [
        ('"2026-12-01 10:00"', Became.READ),
        ('"2026-12-01T10:00Z"', Became.SAME),
    ]


def test_a_scale_reads_every_number_otherwise() -> None:
    place = Place("inventory_check.yaml", "current_stock")
    answers = [
        ("query_inventory", answer({"data": [{"province": p, "current_stock": 5}]}, n=2))
        for p in ("a", "b")
    ]

    after = load_rules(edited(TEXTS, place, Keys({"scale": 0.001})))
    [found] = readings(answers, load_rules(TEXTS), after, place.file, place.field)

    assert (found.became, found.n) == (Became.OTHER, 4)
    assert found.after is not None
    assert found.after.value == 0.005


def test_another_item_of_a_list_counts() -> None:
    events = [
        {"time": "2026-12-01T00:00Z", "event": "a"},
        {"time": "2026-12-02T00:00Z", "event": "b"},
    ]
    answers = orders({"logistics_info": events})
    edit = Keys({"extract_strategy": "first", "take": "event"})

    after = load_rules(edited(TEXTS, LOGISTICS, edit))
    [found] = readings(answers, load_rules(TEXTS), after, ORDER, LOGISTICS.field)

    assert (found.before and found.before.value, found.after and found.after.value) == ("b", "a")


def test_the_time_of_a_list_s_items_has_formats_of_its_own() -> None:
    answers = orders({"logistics_info": [{"time": "1.12.2026", "event": "a"}]})
    edit = Keys({"formats": ["%d.%m.%Y"], "zone": "UTC"}, item="time")

    assert [kind for _, kind in became(answers, LOGISTICS, edit)] == [Became.READ]


def test_a_field_can_be_read_at_another_place() -> None:
    answers = orders({"delivery": {"date": "2026-12-01"}})
    rules = rules_of(load_rules(TEXTS), ORDER)
    assert rules is not None

    assert answer_paths(answers, rules) == ("delivery", "delivery.date", "order_id")
    edit = Keys({"path": ["estimated_delivery", "delivery.date"]})
    assert became(answers, DELIVERY, edit) == [('"2026-12-01"', Became.READ)]


def test_answers_of_other_tools_and_of_contracts_that_another_file_reads_are_left_out() -> None:
    other = {"name": "order_status_api", "contracts": ["2"], "tools": ["order_api"]}
    texts = {
        **TEXTS,
        "v2.yaml": json.dumps(other | {"output_schema": [{"name": "x", "type": "date"}]}),
    }
    rules = load_rules(texts)
    answers = [
        ("order_api", answer({"order_id": "1", "estimated_delivery": "2026-12-01"}, contract="2")),
        ("coupon_api", answer({"order_id": "1", "estimated_delivery": "2026-12-01"})),
    ]

    assert readings(answers, rules, rules, ORDER, DELIVERY.field) == []
    assert readings(answers, rules, rules, "none.yaml", "x") == []


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    "settings",
    [
        {"formats": ["%d.%m.%Y", "%Y年%m月%d日"]},
        {"formats": []},
        {"zone": "Asia/Shanghai", "path": ["a", "b.c"], "confidence": 0.5},
        {"zone": None, "optional": False},
        {"scale": 0.000001},
        {"scale": 100.0},
    ],
    ids=str,
)
def test_every_layout_takes_every_key_and_keeps_its_comments(
    layout: str, settings: dict[str, Setting]
) -> None:
    texts = {"t.yaml": LAYOUTS[layout]}

    after = edited(texts, Place("t.yaml", "due"), Keys(settings))["t.yaml"]

    [field] = read_yaml("t.yaml", after)["output_schema"]
    assert {key: field.get(key) for key in settings if settings[key]} == {
        key: value for key, value in settings.items() if value
    }
    assert [line for line in after.splitlines() if "#" in line] or "#" not in LAYOUTS[layout]


@given(st.dictionaries(st.sampled_from(["zh", "en"]), st.text(min_size=1, max_size=9), min_size=1))
def test_any_name_of_a_fact_reads_back_as_itself(words: dict[str, str]) -> None:
    texts = {"t.yaml": "name: t\nfact_types: {DUE: {label: Due}}\n" + LAYOUTS["flow"][8:]}

    after = edited(texts, Place("t.yaml", "DUE", Block.FACT_TYPE), Keys({"unit": dict(words)}))

    assert dict(load_rules(after).fact_types["DUE"].unit) == words


@pytest.mark.parametrize(
    ("place", "edit", "error", "says"),
    [
        (DELIVERY, Keys({"formats": ["%Q"]}), RuleFileError, "no directive"),
        (DELIVERY, Keys({"zone": "Mars"}), RuleFileError, "no time zone"),
        (LOGISTICS, Keys({"by": "nothing"}), RuleFileError, "not in item_schema"),
        (LOGISTICS, Keys({"zone": "UTC"}, item="nothing"), DictionaryEditError, "no such entry"),
        (Place("x.yaml", "a"), Keys({"zone": "UTC"}), DictionaryEditError, "no such entry"),
        (Place(DOMAIN, "NO", Block.FACT_TYPE), Keys({"unit": "x"}), DictionaryEditError, "no such"),
    ],
)
def test_what_cannot_be_is_refused_with_what_to_do(
    place: Place, edit: Keys, error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        edited(TEXTS, place, edit)


def test_keys_are_kept_with_a_draft_and_made_again_on_another_base() -> None:
    edit = Keys({"formats": ["%d.%m.%Y"]}, item="time")
    draft = Draft("v0", TEXTS, TEXTS).with_edit(LOGISTICS, edit)
    assert edits_from_json(json.loads(json.dumps(edits_to_json(draft.edits)))) == draft.edits

    theirs = {**TEXTS, ORDER: TEXTS[ORDER].replace("已发货", "已寄出")}
    moved = moved_to(draft, "v1", theirs)

    assert moved.overwriting == ()
    assert "已寄出" in moved.draft.texts[ORDER]
    assert '"%d.%m.%Y"' in moved.draft.texts[ORDER]
