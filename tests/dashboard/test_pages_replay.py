"""The Replay page: runs with counts and verdict, each case's diff, cases as files, noise on demand."""

import dataclasses
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
import pytest

from dashboard import background
from dashboard.views.replay import queries as replay_queries
from pipeline.replay import CaseKind, case_from_json
from pipeline.replay.choosers import LexicalChooser, RecordedChooser
from pipeline.replay.playing import compare
from pipeline.replay.setup import Setup
from replay_store import Database
from replay_store.replay import (
    PlayedRun,
    RunTold,
    keep_cases,
    keep_run,
    played_run,
    runs,
    stored_cases,
)
from tests.dashboard.shown import component_texts
from tests.observed import Recorder, order

if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest

    from tests.dashboard.conftest import OpenPage

HOSTILE = "![x](http://evil.test/x.png) <script>alert(1)</script>"
TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
ORDER = {"order_id": "7", "status": "shipped", "estimated_delivery": "2026-11-28"}
OFFERED = [
    {"name": "query_order", "description": "查询订单状态"},
    {"name": "search", "description": "按商品名搜索"},
]


def _decision(case_id: str, asked: str, tool: str) -> dict[str, Any]:
    return {
        "case_id": case_id,
        "kind": "decision",
        "title": HOSTILE,
        "origin": {"trace_id": TRACE, "turn_index": 0},
        "input": [{"role": "user", "text": asked}],
        "offered": OFFERED,
        "chosen": {"tool": tool},
        "gold": {"need": "CALL", "best": ["query_order"]},
    }


ROWS: list[dict[str, Any]] = [
    _decision("same", "订单状态", "query_order"),
    _decision("breaks", "谢谢", "query_order"),
    _decision("mends", "订单状态", "search"),
    {
        "case_id": "seen",
        "kind": "observation",
        "context": {"query_time": "2026-11-20T00:00:12+00:00", "intent": "track_delivery"},
        "recorded": [{"tool": "order_api", "body": ORDER}],
        "expected": {"prompt": {"text": "【订单状态】已发货\n【预计送达】2026-11-28"}},
    },
]
CASES = [case_from_json(row) for row in ROWS]


def _played(started: int, chooser: Any) -> PlayedRun:
    told = RunTold("chooser", "recorded", f"chooser {HOSTILE}", "x", "lin", "1", started, started)
    before, after = Setup("a", RecordedChooser()), Setup("b", chooser)
    return played_run(told, compare(CASES[:3], before, after))


@pytest.fixture
def store(empty_store: Database) -> Database:
    """Four cases, an older run in which nothing changed, and a newer one by another chooser."""
    keep_cases(empty_store, CASES, lambda: 5)
    keep_run(empty_store, _played(1_600_000_000_000_000_000, RecordedChooser()))
    keep_run(empty_store, _played(1_700_000_000_000_000_000, LexicalChooser()))
    return empty_store


def _texts(page: "AppTest") -> list[str]:
    return [str(text.value) for text in page.text] + component_texts(page)


def _figures(page: "AppTest") -> list[str]:
    return [str(metric.value) for metric in page.metric]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_without_cases_it_says_how_to_make_one(
    open_page: "OpenPage", empty_store: Database, lang: str
) -> None:
    page = open_page(empty_store, "replay", lang=lang)
    assert len(page.info) == 1
    assert "toolsight replay case TRACE_ID" in page.code[0].value


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("view", ["runs", "cases", "noise", "nonsense"])
def test_every_view_draws_in_both_languages(
    open_page: "OpenPage", store: Database, view: str, lang: str
) -> None:
    page = open_page(store, "replay", view=view, lang=lang)
    assert not page.exception


def test_the_newest_run_is_told_with_counts_and_verdict(
    open_page: "OpenPage", store: Database
) -> None:
    page = open_page(store, "replay")
    assert _figures(page) == ["1", "1", "1", "0", "66.7% → 66.7%"]
    verdict = "Could be chance: McNemar's exact p = 1 over 2 changed cases"
    assert [text.value for text in page.caption if text.value.startswith(verdict)]


def test_what_broke_comes_first_with_its_diff_and_a_link_to_its_trace(
    open_page: "OpenPage", store: Database
) -> None:
    page = open_page(store, "replay")
    table = page.dataframe[0].value
    assert table["case"].tolist() == ["breaks", "mends", "same"]
    assert table["change"].tolist() == ["Broken", "Fixed", "Same, right"]
    assert table[["before", "after"]].values.tolist()[0] == ["right", "wrong"]
    assert "- tool: query_order\n+ tool: NO_CALL" in page.code[0].value
    assert "chose NO_CALL: query_order was right" in _texts(page)
    assert any(TRACE in str(link.proto) for link in page.get("page_link"))


def test_the_address_chooses_run_case_and_change(open_page: "OpenPage", store: Database) -> None:
    older = runs(store)[1]
    page = open_page(store, "replay", run=str(older.run_id))
    assert _figures(page)[:3] == ["0", "0", "3"]
    told = [
        c.value for c in page.caption if "No case changed: there is nothing to test." in c.value
    ]
    assert "A change that broke 10% of the cases and mended 1% would show in 3 cases" in told[0]
    page = open_page(store, "replay", change="fixed")
    assert page.dataframe[0].value["case"].tolist() == ["mends"]
    page = open_page(store, "replay", case="mends")
    assert "+ tool: query_order" in page.code[0].value
    page = open_page(store, "replay", run="nonsense", case="nonsense", change="nonsense")
    assert _figures(page)[0] == "1"


def test_another_run_can_be_laid_beside(open_page: "OpenPage", store: Database) -> None:
    older = runs(store)[1]
    page = open_page(store, "replay", **{"with": str(older.run_id)})
    table = page.dataframe[0].value
    assert table["other"].tolist() == ["right", "wrong", "right"]
    page.toggle(key="replay_only_different").set_value(True).run()
    assert page.dataframe[0].value["case"].tolist() == ["breaks", "mends"]


def test_a_case_tells_how_it_went_in_the_latest_runs(
    open_page: "OpenPage", store: Database
) -> None:
    page = open_page(store, "replay")
    past = page.dataframe[1].value
    assert past["change"].tolist() == ["Broken", "Same, right"]


@pytest.mark.parametrize(("tried", "n_cases"), [("code", 4), ("rules", 1), ("lexical", 3)])
def test_a_run_is_started_kept_and_shown(
    open_page: "OpenPage", store: Database, tried: str, n_cases: int
) -> None:
    page = open_page(store, "replay")
    page.radio(key="replay_tried").set_value(tried)
    page.text_input(key="replay_by").set_value("chen")
    page.button(key="replay_play").click().run()
    assert not page.exception
    newest = runs(store)[0]
    assert (newest.n_cases, newest.created_by) == (n_cases, "chen")
    assert str(newest.run_id) in page.query_params["run"]


def test_a_run_is_told_as_it_goes_and_keeps_nothing_when_it_is_stopped(
    open_page: "OpenPage", store: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported, go_on = threading.Event(), threading.Event()

    def endless(*given: Any) -> None:
        given[-1](1, 3)
        reported.set()
        go_on.wait(60)
        given[-1](2, 3)

    monkeypatch.setattr(replay_queries, "play_plan", endless)
    monkeypatch.setattr(background, "PATIENCE_SECONDS", 0.0)
    before = len(runs(store))
    page = open_page(store, "replay")
    page.button(key="replay_play").click().run()
    assert reported.wait(60)
    page.run()
    assert [bar.proto.text for bar in page.get("progress")] == ["Playing cases: 1 of 3"]

    page.button(key="replay_playing_stop").click().run()

    assert not page.exception
    assert any("Nothing was played" in item.value for item in page.error)
    go_on.set()
    assert len(runs(store)) == before


def test_a_run_that_fits_no_case_says_so(open_page: "OpenPage", empty_store: Database) -> None:
    keep_cases(empty_store, CASES[:1], lambda: 5)
    page = open_page(empty_store, "replay")
    page.radio(key="replay_tried").set_value("rules")
    page.button(key="replay_play").click().run()
    assert "no case to play against rules" in page.code[0].value
    assert runs(empty_store) == []


def test_cases_are_listed_filtered_and_shown_as_their_files(
    open_page: "OpenPage", store: Database
) -> None:
    page = open_page(store, "replay", view="cases")
    assert page.dataframe[0].value["case"].tolist() == ["breaks", "mends", "same", "seen"]
    page = open_page(store, "replay", view="cases", kind="observation")
    assert page.dataframe[0].value["case"].tolist() == ["seen"]
    assert orjson.loads(page.code[0].value)["case_id"] == "seen"
    page = open_page(store, "replay", view="cases", tool="search")
    assert page.dataframe[0].value["case"].tolist() == ["mends"]
    page = open_page(store, "replay", view="cases", tool="search", kind="observation")
    assert len(page.dataframe) == 0


def test_cases_are_made_from_a_pasted_trace_id(
    open_page: "OpenPage", empty_store: Database, tmp_path: Path
) -> None:
    recorder = Recorder()
    recorder.observe([order(status="shipped")])
    recorder.store(empty_store, tmp_path)
    row = empty_store.row("select hex_trace(trace_id) as trace_id from observation")
    assert row is not None
    page = open_page(empty_store, "replay")
    page.text_input(key="replay_make_trace").set_value(row["trace_id"].upper())
    page.button(key="replay_make_go").click().run()
    assert not page.exception
    assert [item.case.kind for item in stored_cases(empty_store)] == [CaseKind.OBSERVATION]


def test_a_trace_leads_to_where_cases_are_made_of_it(
    open_page: "OpenPage", sample_store: Database
) -> None:
    trace_id = "9684617fa20504855662b2bffe233849"
    page = open_page(sample_store, "trace", trace_id=trace_id)
    assert any("Make a replay case" in str(link.proto) for link in page.get("page_link"))
    page = open_page(sample_store, "replay", view="cases", trace_id=trace_id)
    assert page.text_input(key="replay_make_trace").value == trace_id
    assert is_form_open(page)
    page.button(key="replay_make_go").click().run()
    assert not is_form_open(page)
    page.run()
    assert not is_form_open(page)


def is_form_open(page: "AppTest") -> bool:
    return bool(page.session_state["replay_make"])


def test_a_trace_that_makes_no_case_says_why(open_page: "OpenPage", store: Database) -> None:
    page = open_page(store, "replay", view="cases")
    page.text_input(key="replay_make_trace").set_value("0" * 31 + "1")
    page.button(key="replay_make_go").click().run()
    assert "The store knows 0 traces by this id" in page.info[0].value


def test_noise_is_played_when_asked_and_critical_facts_stay(
    open_page: "OpenPage", store: Database
) -> None:
    page = open_page(store, "replay", view="noise")
    assert not page.dataframe
    page.button(key="replay_noise_start").click().run()
    assert not page.exception
    assert len(page.success) == 1
    table = page.dataframe[0].value
    assert table["intensity"].tolist()[:5] == ["0", "0.1", "0.2", "0.3", "0.4"]
    assert set(table["critical"]) == {"100.0%"}


def test_nothing_from_a_case_becomes_markup(open_page: "OpenPage", store: Database) -> None:
    for view in ("runs", "cases"):
        page = open_page(store, "replay", view=view)
        drawn = [*page.markdown, *page.caption, *page.info, *page.error, *page.subheader]
        assert not [item.value for item in drawn if "evil.test" in str(item.value)]


def test_a_run_tells_over_how_many_cases_and_within_which_bounds(
    open_page: "OpenPage", store: Database
) -> None:
    page = open_page(store, "replay")

    told = next(item.value for item in page.caption if "95% intervals" in item.value)
    assert told.startswith("Over 3 cases")
    assert "points" in told


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("as recorded", "当时的记录"),
        ("chooser lexical", "选择者：词面匹配"),
        ("chooser openai:x@http://h", "选择者：openai:x@http://h"),
        ("this installation, rules 3", "当前安装的版本，规则 3"),
        ("of my own", "of my own"),
    ],
)
def test_what_was_tried_is_told_in_chinese(
    open_page: "OpenPage", store: Database, name: str, text: str
) -> None:
    played = _played(1_800_000_000_000_000_000, RecordedChooser())
    keep_run(
        store, dataclasses.replace(played, run=dataclasses.replace(played.run, candidate=name))
    )
    page = open_page(store, "replay", lang="zh")

    assert text in str(page.selectbox(key="replay_run").options[0])
