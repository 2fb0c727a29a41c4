"""The Dictionaries page: found, mapped, tried, published, taken back, without writing code."""

import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dashboard import background
from dashboard.background import Report
from dashboard.views.dictionaries import trying
from pipeline.observation import package_rule_texts
from pipeline.replay import Case, CaseKind, Gold, Offered, Passage
from replay_store import Database
from replay_store.replay import keep_cases
from replay_store.rule_drafts import kept_draft, save_draft
from replay_store.rule_store import V0, history, publish, rules_in_force, short
from replay_store.rule_workers import WorkerLog
from tests.dashboard.shown import component_texts
from tests.observed import Recorder, answer, emit, order_status
from tests.stores import memory_store

if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest

    from tests.dashboard.conftest import OpenPage

ORDER = "order_status.yaml"
HOSTILE = '[x](javascript:alert(1)) **b** <img src=x> :red[r] "q": {a}'
ADDRESS = {
    "range": "all",
    "tool": "query_order_status",
    "fact": "STATUS",
    "value": "refunding",
}


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Database]:
    """Three orders that are refunding; one shipped, one shouting so; one hostile."""
    with memory_store() as database:
        emit(
            database,
            tmp_path,
            [
                [order_status("refunding")],
                [order_status("refunding")],
                [order_status("shipped")],
                [order_status("refunding")],
                [order_status(HOSTILE)],
                [order_status("SHIPPED")],
            ],
        )
        yield database


def others_word(word: str = "已寄出") -> dict[str, str]:
    texts = package_rule_texts()
    return {**texts, ORDER: texts[ORDER].replace("已发货", word)}


def button(page: "AppTest", key: str) -> None:
    next(item for item in page.button if item.key == key).click()
    page.run()
    assert [error.message for error in page.exception] == []


def name(page: "AppTest", who: str) -> None:
    field = next(item for item in page.text_input if item.key == "dictionaries_author_field")
    field.set_value(who).run()


def has_button(page: "AppTest", key: str) -> bool:
    return any(item.key == key for item in page.button)


def meet_gates(page: "AppTest", who: str = "Ann", second: str = "Bob") -> None:
    """Everything that publishing asks for: cases, the changes meant, another owner's approval."""
    name(page, who)
    for key in ("dictionaries_guard", "dictionaries_acknowledge_all"):
        if has_button(page, key):
            button(page, key)
    name(page, second)
    button(page, "dictionaries_approve")
    name(page, who)


def publish_draft(page: "AppTest", why: str, who: str = "Ann") -> None:
    meet_gates(page, who)
    send(page, why)


def send(page: "AppTest", why: str) -> None:
    next(x for x in page.text_area if x.key == "dictionaries_publish_reason").set_value(why)
    next(item for item in page.button if item.label == "Publish").click()
    page.run()
    assert [error.message for error in page.exception] == []


def roll_back(page: "AppTest", who: str, why: str) -> None:
    for area in page.text_input:
        if area.key == "dictionaries_back_author":
            area.set_value(who)
        if area.key == "dictionaries_back_reason":
            area.set_value(why)
    next(item for item in page.button if item.label == "Roll back").click()
    page.run()
    assert [error.message for error in page.exception] == []


def fill_words(page: "AppTest", zh: str, en: str) -> None:
    by_label = {item.label: item for item in page.text_input}
    by_label["In Chinese prompts"].set_value(zh)
    by_label["In English prompts"].set_value(en)
    page.run()


def unmapped(page: "AppTest") -> list[str]:
    return next((list(frame.value["raw"]) for frame in page.dataframe if "raw" in frame.value), [])


def codes(page: "AppTest") -> list[str]:
    return [item.value for item in page.code]


def draft_refunding(page: "AppTest") -> None:
    fill_words(page, "退款中", "Refunding")
    button(page, "dictionaries_add")


def test_what_no_dictionary_knows_is_listed_with_its_counts(
    open_page: "OpenPage", shop: Database
) -> None:
    page = open_page(shop, "dictionaries", range="all")

    table = next(frame.value for frame in page.dataframe if "raw" in frame.value)
    assert list(table["raw"]) == ["refunding", "SHIPPED", HOSTILE]
    assert list(table["traces"]) == [3, 1, 1]
    assert list(table["field"]) == ["Order status"] * 3


def test_an_incident_is_fixed_and_taken_back_in_the_page(
    open_page: "OpenPage", shop: Database
) -> None:
    page = open_page(shop, "dictionaries", **ADDRESS)
    draft_refunding(page)
    assert any("+      refunding: {zh: 退款中, en: Refunding}" in code for code in codes(page))

    button(page, "dictionaries_effect")
    [sentence] = [m.value for m in page.markdown if m.value.startswith("This changes")]
    assert "**3 facts**" in sentence
    assert "**3 traces**" in sentence
    assert "**3 UNKNOWN**" in sentence
    assert "**0 CONFLICT**" in sentence
    assert any("退款中" in code and "【订单状态】" in code for code in codes(page))
    classes = next(frame.value for frame in page.dataframe if "before" in frame.value)
    assert list(classes["before"]) == ['UNKNOWN: "refunding" (0.30)']
    assert list(classes["after"]) == ["FACT: refunding Refunding (0.98)"]

    publish_draft(page, "refunds started")
    version = rules_in_force(shop).version
    assert version != V0
    assert unmapped(page) == ["SHIPPED", HOSTILE]
    [done] = [item.value for item in page.success if short(version) in item.value]
    assert "6 recorded observations were read again" in done
    [move] = history(shop)
    assert (move.moved_by, move.reason) == ("Ann", "refunds started")
    assert shop.row("select sum(n_unknown) as n from reread") == {"n": 2}

    button(page, "dictionaries_undo")
    assert rules_in_force(shop).version == V0
    assert unmapped(page) == ["refunding", "SHIPPED", HOSTILE]
    table = next(frame.value for frame in page.dataframe if "why" in frame.value)
    assert list(table["version"]) == ["built in (v0)", short(version)]
    assert table[["state", "who", "approved", "facts"]].to_numpy().tolist() == [
        ["In force", "Ann", "–", "–"],
        ["", "Ann", "Bob", "3"],
    ]


def test_a_draft_that_makes_sources_contradict_each_other_cannot_be_published(
    open_page: "OpenPage", tmp_path: Path, empty_store: Database
) -> None:
    both = [order_status("refunding"), order_status("shipped", tool="order_api")]
    emit(empty_store, tmp_path, [both])
    page = open_page(empty_store, "dictionaries", **ADDRESS)
    draft_refunding(page)
    button(page, "dictionaries_effect")
    meet_gates(page)

    closed = [item.value for item in page.markdown if ":material/block:" in item.value]
    assert closed == [":material/block: **Sources do not contradict each other more**"]
    assert any("after (n = 1" in text.value for text in page.caption)
    assert next(item for item in page.button if item.label == "Publish").disabled
    assert rules_in_force(empty_store).version == V0


def test_nobody_approves_their_own_change(open_page: "OpenPage", shop: Database) -> None:
    page = open_page(shop, "dictionaries", **ADDRESS)
    draft_refunding(page)
    button(page, "dictionaries_effect")
    name(page, "Ann")

    button(page, "dictionaries_approve")

    assert any("approval by Ann: they changed this draft" in code for code in codes(page))
    button_of = {item.label: item for item in page.button}
    assert button_of["Publish"].disabled


def test_a_draft_is_found_again_by_its_address_and_by_others(
    open_page: "OpenPage", shop: Database
) -> None:
    page = open_page(shop, "dictionaries", **ADDRESS)
    draft_refunding(page)
    name(page, "Ann")
    draft_id = page.query_params["draft"]

    other = open_page(shop, "dictionaries", range="all")
    assert any(draft_id[:8] in text.value and "Ann" in text.value for text in other.text)
    button(other, f"dictionaries_open_{draft_id}")

    assert any("+      refunding: {zh: 退款中" in code for code in codes(other))
    assert "Ann" in component_texts(other)


def test_two_people_who_change_one_draft_are_asked_and_lose_nothing(
    open_page: "OpenPage", shop: Database
) -> None:
    page = open_page(shop, "dictionaries", **ADDRESS)
    draft_refunding(page)
    draft_id = page.query_params["draft"]
    kept = kept_draft(shop, draft_id)
    assert kept is not None
    theirs = {**kept.texts, ORDER: kept.texts[ORDER].replace("已发货", "已寄出")}
    save_draft(shop, V0, theirs, kept.edits, "Bob", lambda: 1, draft_id=draft_id)

    next(x for x in page.text_input if x.label.startswith("Value")).set_value("lost").run()
    fill_words(page, "已丢失", "Lost")
    button(page, "dictionaries_add")
    assert any("Somebody else changed this draft" in item.value for item in page.warning)
    joined = "\n".join(codes(page))
    assert "已寄出" in joined
    assert "已丢失" in joined

    button(page, "dictionaries_clash_join")
    found = kept_draft(shop, draft_id)
    assert found is not None
    assert all(word in found.texts[ORDER] for word in ("已寄出", "已丢失", "退款中"))


def test_what_was_just_added_is_said_to_be_in_the_draft(
    open_page: "OpenPage", shop: Database
) -> None:
    page = open_page(shop, "dictionaries", **ADDRESS)

    draft_refunding(page)

    assert any("It is in your draft" in item.value for item in page.success)
    assert not any("has an entry already" in item.value for item in page.caption)


def test_another_spelling_of_a_known_code_is_offered_as_the_same(
    open_page: "OpenPage", shop: Database
) -> None:
    page = open_page(shop, "dictionaries", **(ADDRESS | {"value": "SHIPPED"}))

    code = next(item for item in page.selectbox if item.label == "Code")
    assert code.value == "shipped"
    button(page, "dictionaries_add")
    assert any("+    synonyms: {SHIPPED: shipped}" in text for text in codes(page))


def test_rolling_back_asks_who_and_why(open_page: "OpenPage", shop: Database) -> None:
    version = publish(shop, V0, others_word(), "ann", "clearer", lambda: 1)
    page = open_page(shop, "dictionaries", range="all")

    roll_back(page, "", "")
    assert rules_in_force(shop).version == version
    assert any("Say who you are" in item.value for item in page.error)

    roll_back(page, "Bob", "not clearer")
    assert rules_in_force(shop).version == V0
    assert history(shop)[0].moved_by == "Bob"


def test_text_that_cannot_be_used_is_said_with_its_place_and_stays(
    open_page: "OpenPage", shop: Database
) -> None:
    page = open_page(shop, "dictionaries", range="all")
    assert next(item.value for item in page.selectbox if item.label == "File") == ORDER
    area = next(item for item in page.text_area if item.label == "Text of the file")
    broken = str(area.value).replace("type: enum", "type: enmu")

    area.set_value(broken).run()

    shown = [item.value for item in page.text] + component_texts(page)
    assert ORDER in shown
    assert "output_schema[0].type" in shown
    assert any("enum, string, number" in text for text in shown)
    assert next(x for x in page.text_area if x.label == "Text of the file").value == broken
    assert not any(item.key == "dictionaries_add_text" for item in page.button)


def test_a_file_can_be_changed_as_text(open_page: "OpenPage", shop: Database) -> None:
    page = open_page(shop, "dictionaries", range="all")
    area = next(item for item in page.text_area if item.label == "Text of the file")
    area.set_value(str(area.value).replace("已发货", "已寄出")).run()
    button(page, "dictionaries_add_text")
    button(page, "dictionaries_effect")
    publish_draft(page, "clearer")

    assert rules_in_force(shop).texts == others_word()


def test_a_second_owner_loses_nothing_and_joins_the_two_changes(
    open_page: "OpenPage", shop: Database
) -> None:
    page = open_page(shop, "dictionaries", **ADDRESS)
    draft_refunding(page)
    button(page, "dictionaries_effect")
    meet_gates(page)
    other = publish(shop, V0, others_word(), "bob", "clearer", lambda: 1)

    send(page, "refunds started")

    assert rules_in_force(shop).version == other
    assert any("was put in force by bob" in code for code in codes(page))
    assert any("refunding: {zh: 退款中" in code for code in codes(page))

    button(page, "dictionaries_move")
    button(page, "dictionaries_effect")
    publish_draft(page, "refunds started")
    text = rules_in_force(shop).texts[ORDER]
    assert "已寄出" in text
    assert "退款中" in text


def test_what_the_version_in_force_has_not_read_can_be_read_now(
    open_page: "OpenPage", shop: Database
) -> None:
    publish(shop, V0, others_word(), "ann", "clearer", lambda: 1)
    page = open_page(shop, "dictionaries", range="all")
    assert any(text.value.startswith("6 recorded observations") for text in page.caption)

    button(page, "dictionaries_read_now")

    assert shop.row("select count(*) as n from reread") == {"n": 6}
    assert not any(item.key == "dictionaries_read_now" for item in page.button)


def test_nothing_to_change_is_said_and_another_dictionary_can_be_chosen(
    open_page: "OpenPage", shop: Database
) -> None:
    more = "name: refund\noutput_schema:\n  - {name: state, type: enum, mapping: {open: Open}}\n"
    publish(shop, V0, {**others_word(), "refund.yaml": more}, "ann", "more", lambda: 1)
    page = open_page(shop, "dictionaries", range="all", value="closed")
    field = next(item for item in page.selectbox if item.key == "dictionaries_field")

    field.set_value("refund.yaml:state").run()
    next(item for item in page.text_input if item.label.startswith("Value")).set_value("closed")
    page.run()
    fill_words(page, "关闭", "Closed")
    button(page, "dictionaries_add")
    button(page, "dictionaries_effect")

    assert any("Nothing recorded" in item.value for item in page.info)


def test_a_version_that_this_release_cannot_use_can_be_left(
    open_page: "OpenPage", shop: Database
) -> None:
    with shop.transaction() as cursor:
        cursor.execute(
            """insert into rule_version values
            ('abc', 'default', 'v0', '{"a.yaml": "name: ["}', 'ann', 'newer', 1)"""
        )
        cursor.execute("insert into rule_pointer values ('default', 'abc', 'ann', 'newer', 1)")

    page = open_page(shop, "dictionaries", range="all")

    assert any("cannot be used by this release" in item.value for item in page.error)
    roll_back(page, "Bob", "unusable")
    assert rules_in_force(shop).version == V0
    assert page.subheader[0].value == "Values that no dictionary knows"


def test_a_draft_comes_back_after_it_was_discarded(open_page: "OpenPage", shop: Database) -> None:
    page = open_page(shop, "dictionaries", **ADDRESS)
    draft_refunding(page)

    button(page, "dictionaries_discard")
    assert not any("+      refunding" in code for code in codes(page))

    button(page, "dictionaries_restore")
    assert any("+      refunding" in code for code in codes(page))


def test_text_of_a_tool_is_never_markup(open_page: "OpenPage", shop: Database) -> None:
    page = open_page(shop, "dictionaries", **(ADDRESS | {"value": HOSTILE}))
    draft_refunding(page)
    button(page, "dictionaries_effect")
    publish_draft(page, HOSTILE, who=HOSTILE)

    kinds = ("markdown", "caption", "header", "subheader", "info", "warning", "error", "success")
    marked = [item.value for kind in kinds for item in getattr(page, kind)]
    assert not any("javascript" in text for text in marked)
    assert HOSTILE in [item.value for item in page.text] + component_texts(page)
    assert rules_in_force(shop).version != V0


def test_an_empty_store_can_be_given_a_dictionary(
    open_page: "OpenPage", empty_store: Database
) -> None:
    page = open_page(empty_store, "dictionaries", lang="zh", value="refunding")

    assert page.header[0].value == "词典"
    assert any("还没有带时间的数据" in item.value for item in page.info)


@pytest.mark.parametrize("value", ["<b>", "\x00", "x" * 5_000, "…", "]["])
def test_any_address_draws_a_page(open_page: "OpenPage", shop: Database, value: str) -> None:
    page = open_page(shop, "dictionaries", field=value, tool=value, fact=value, value=value)

    assert page.header[0].value == "Dictionaries"


def test_a_threshold_is_moved_with_its_flips_at_once(
    open_page: "OpenPage", tmp_path: Path, empty_store: Database
) -> None:
    bodies = [
        {"province": "A", "current_stock": n, "min_safe_level": 100} for n in (50, 90, 90, 150)
    ]
    emit(empty_store, tmp_path, [[answer("query_inventory", body)] for body in bodies])
    page = open_page(empty_store, "dictionaries", range="all", look="thresholds")
    assert any("All 4 recorded facts would be said as" in m.value for m in page.markdown)

    page.slider[0].set_value(0.95).run()

    assert any(m.value.startswith("**2** of 4 recorded facts") for m in page.markdown)
    moved = next(frame.value for frame in page.dataframe if "after" in frame.value)
    assert list(moved["after"]) == ["critical"]
    button(page, "dictionaries_add_threshold")
    shown = "\n".join(codes(page))
    assert "+      - {below: 0.95, code: critical" in shown
    assert "+      - {from: 0.95, below: 1.2, code: warning" in shown


def test_thresholds_without_numbers_say_what_is_missing(
    open_page: "OpenPage", shop: Database
) -> None:
    page = open_page(shop, "dictionaries", range="all", look="thresholds")

    assert any("No number that these thresholds" in item.value for item in page.info)


def test_a_shape_that_changed_is_listed_with_whether_rules_read_it(
    open_page: "OpenPage", tmp_path: Path, empty_store: Database
) -> None:
    before = [order_status("shipped", order_id=f"{n}") for n in range(8)]
    after = [order_status(None, order_id=f"{n}", state="shipped") for n in range(8)]
    emit(empty_store, tmp_path, [[output] for output in (*before, *after)])

    page = open_page(empty_store, "dictionaries", range="all", look="schema")

    table = next(frame.value for frame in page.dataframe if "path" in frame.value)
    found = list(zip(table["path"], table["what"], table["read"], strict=True))
    assert sorted(found) == [("state", "new", ""), ("status", "gone", "read")]


def test_a_shape_that_stays_says_so(open_page: "OpenPage", shop: Database) -> None:
    page = open_page(shop, "dictionaries", range="all", look="schema")

    assert any("No path is new, gone" in item.value for item in page.success)


def test_agents_that_read_by_another_version_are_named(
    open_page: "OpenPage", shop: Database
) -> None:
    version = publish(shop, V0, others_word(), "ann", "clearer", time.time_ns)
    log = WorkerLog(shop, time.time_ns)
    log.note("agent-1", version, None, None)
    log.note("agent-2", V0, version, HOSTILE)

    page = open_page(shop, "dictionaries", range="all")

    assert any("1 of 2 agents not by the one in force" in item.label for item in page.expander)
    told = next(frame.value for frame in page.dataframe if "worker" in frame.value)
    assert list(told["state"]) == ["In force", "refused the one in force"]
    assert list(told["problem"]) == ["", HOSTILE]
    traced = next(frame.value for frame in page.dataframe if "service" in frame.value)
    assert (list(traced["version"]), list(traced["n"])) == (["built in (v0)"], [6])


def test_a_draft_runs_in_the_shadow_and_says_what_it_saw(
    open_page: "OpenPage", shop: Database, tmp_path: Path
) -> None:
    with shop.transaction() as cursor:
        cursor.execute("update span set received_time_ns = 1")  # they came long ago
    page = open_page(shop, "dictionaries", **ADDRESS)
    draft_refunding(page)
    button(page, "dictionaries_effect")
    name(page, "Ann")
    button(page, "dictionaries_shadow_start")
    button(page, "dictionaries_shadow_look")
    assert any("No observation has arrived" in item.value for item in page.info)

    recorder = Recorder()
    recorder.observe([order_status("refunding", order_id="777")])
    recorder.store(shop, tmp_path)
    other = open_page(shop, "dictionaries", range="all")
    button(other, "dictionaries_shadow_look")
    assert any(m.value.startswith("This changes **1 fact**") for m in other.markdown)

    name(page, "Ann")
    button(page, "dictionaries_shadow_stop")
    assert not has_button(page, "dictionaries_shadow_look")


def test_a_trial_is_told_as_it_goes_and_stopped_at_once(
    open_page: "OpenPage", shop: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported, go_on = threading.Event(), threading.Event()

    def endless(*_wanted: object, on_progress: Report) -> None:
        on_progress(3, 10)
        reported.set()
        go_on.wait(60)
        on_progress(4, 10)

    monkeypatch.setattr(trying, "run_trial", endless)
    monkeypatch.setattr(background, "PATIENCE_SECONDS", 0.0)
    page = open_page(shop, "dictionaries", **ADDRESS)
    draft_refunding(page)
    button(page, "dictionaries_effect")
    assert reported.wait(60)
    page.run()

    assert [item.proto.text for item in page.get("progress")] == [
        "Reading recorded outputs by both versions: 3 of 10"
    ]
    button(page, "dictionaries_trying_stop")
    assert any("Stopped; nothing was kept" in item.value for item in page.caption)
    assert not has_button(page, "dictionaries_trying_stop")
    assert not any(item.label == "Publish" for item in page.button)
    assert any("退款中" in code for code in codes(page)), "the draft stays"
    go_on.set()


def test_cases_that_decide_on_a_changed_fact_are_listed_with_links(
    open_page: "OpenPage", shop: Database
) -> None:
    shown = "【订单状态】未知状态（取值未收录）"
    given = (
        Passage("assistant", "{}", "call", "query_order_status"),
        Passage("tool", shown, "answer"),
    )
    offered, gold = (Offered("query_order_status"),), Gold("NO_CALL")
    case = Case("decide", CaseKind.DECISION, input=given, offered=offered, gold=gold)
    keep_cases(shop, [replace(case, title=HOSTILE), replace(case, case_id="x", input=given[:1])])
    page = open_page(shop, "dictionaries", **ADDRESS)
    draft_refunding(page)

    button(page, "dictionaries_effect")

    assert any("1 case decides on a fact" in item.label for item in page.expander)
    links = [item.proto for item in page.get("page_link")]
    [link] = [proto for proto in links if "case=decide" in proto.query_string]
    assert "view=cases" in link.query_string
    assert f"Order status · {HOSTILE}" in [item.value for item in page.text]
    assert any(page.query_params["draft"] in code for code in codes(page))


def test_the_prompts_of_an_example_are_shown_in_any_template(
    open_page: "OpenPage", shop: Database
) -> None:
    page = open_page(shop, "dictionaries", **ADDRESS)
    draft_refunding(page)
    button(page, "dictionaries_effect")
    choices = {item.key: item for item in page.button_group}

    assert any(code.startswith("【订单状态】退款中") for code in codes(page))
    choices["dictionaries_prompt_language"].set_value("en").run()

    assert [error.message for error in page.exception] == []
    shown = [code for code in codes(page) if "+++" not in code]
    assert any("Order status" in code and "Refunding" in code for code in shown), shown
