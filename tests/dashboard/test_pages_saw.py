"""What the model saw: as recorded, said so; numbers as the pipeline counts them; text as text."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from dashboard.views.saw.reading import Rules, read
from pipeline.observation import ToolOutput, load_rules, map_value, package_rule_texts
from pipeline.observation.preview import MASK
from pipeline.vocabulary import ErrorClass
from replay_store import Database
from replay_store.rule_store import V0, publish
from replay_store.saw import get_observation
from tests.dashboard.shown import component_texts
from tests.observed import Recorder, Seen, answer, order, points

if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest

    from tests.dashboard.conftest import MakeSpan, OpenPage, WriteSpans

ALL = ("concise", "verbose", "debug")
HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "![](http://evil.test/beacon.png)",
    "[click](javascript:alert(1))",
    ":material/delete: **bold** $x^2$",
    "</script><script>alert(1)</script>",
)
MARKUP = ("markdown", "caption", "header", "subheader", "info", "warning", "error", "success")


class Store:
    """Observations recorded into one store."""

    def __init__(self, database: Database, folder: Path) -> None:
        self.database = database
        self._folder = folder

    def saw(self, outputs: list[ToolOutput], **more: Any) -> Seen:
        recorder = Recorder()
        seen = recorder.observe(outputs, **more)
        recorder.store(self.database, self._folder)
        return seen


@pytest.fixture
def store(empty_store: Database, tmp_path: Path) -> Store:
    return Store(empty_store, tmp_path)


def grid(page: "AppTest") -> dict[str, Any]:
    found = [
        element.proto
        for element in page.get("bidi_component")
        if element.proto.component_name == "toolsight_prompt_diff"
    ]
    assert len(found) == 1
    data: dict[str, Any] = json.loads(found[0].json)
    return data


def column(data: dict[str, Any], title: str) -> dict[str, Any]:
    return next(c for c in data["columns"] if c["title"] == title)


def text_of(data: dict[str, Any], title: str, *, without: str = "gone") -> str:
    """All that one column says, top to bottom."""
    at = [c["title"] for c in data["columns"]].index(title)
    cells = [row["cells"][at]["parts"] for row in data["rows"]]
    return "\n".join("".join(t for t, mark in parts if mark != without) for parts in cells if parts)


def table(page: "AppTest", column_name: str) -> Any:
    """The table that has a column of this name."""
    return next(frame.value for frame in page.dataframe if column_name in frame.value)


def texts(page: "AppTest") -> list[str]:
    return [element.value for element in (*page.text, *page.code)] + component_texts(page)


def markup(page: "AppTest") -> str:
    found = [element.value for kind in MARKUP for element in getattr(page, kind)]
    found += [tab.label for tab in page.tabs]
    found += [w.label for w in (*page.button, *page.toggle, *page.selectbox)]
    found += [option for g in page.button_group for option in map(str, g.options)]
    return "\n".join(found)


def opened(open_page: "OpenPage", store: Store, seen: Seen, **query: str) -> "AppTest":
    return open_page(store.database, "saw", trace_id=seen.trace_id, span=seen.span_id, **query)


def test_every_template_is_shown_with_the_tokens_that_the_pipeline_counts(
    open_page: "OpenPage", store: Store
) -> None:
    seen = store.saw([order(), points()], templates=ALL)
    data = grid(opened(open_page, store, seen))

    recorded = get_observation(store.database, seen.trace_id, seen.span_id)
    assert recorded is not None
    for key, prompt in seen.observation.prompts.items():
        shown = column(data, key.template)
        assert shown["figure"] == f"≈ {prompt.n_tokens:,} tokens"
        assert shown["origin"] == "as recorded, rules 0"
        lines = sorted(line for line in prompt.text.splitlines() if line)
        assert sorted(line for line in text_of(data, key.template).splitlines() if line) == lines
    raw = sum(len(r.output.body.encode()) for r in recorded.raw) + len(recorded.raw) - 1
    assert column(data, "raw JSON")["figure"] == f"≈ {-(-raw * 2 // 7):,} tokens"
    concise = seen.observation.to_prompt("concise").n_tokens
    saved = -(-raw * 2 // 7) - concise
    assert column(data, "concise")["saving"].startswith(f"saves {saved} (")


def test_facts_are_rows_with_what_each_template_shows(open_page: "OpenPage", store: Store) -> None:
    seen = store.saw([order(), points(points_expire="2024-12-31")], templates=ALL)
    page = opened(open_page, store, seen)

    frame = table(page, "alternatives")
    cells = seen.observation.clean.resolved.cells
    assert list(frame["type"]) == [cell.type for cell in cells]
    assert list(frame["confidence"]) == [cell.confidence for cell in cells]
    for name in ALL:
        covered = [c.coverage.value for c in seen.observation.to_prompt(name).cells]
        assert [text.split()[1] for text in frame[name]] == covered


def test_a_conflict_names_every_value_and_who_says_so(open_page: "OpenPage", store: Store) -> None:
    seen = store.saw([order(), order(5, "order_status_api", status="delivered")])
    page = opened(open_page, store, seen)

    status = table(page, "alternatives").iloc[0]
    assert status["kind"] == "conflict"
    for words in ("已发货", "已签收", "order_api.status", "order_status_api.status"):
        assert words in status["alternatives"]
    row = next(row for row in grid(page)["rows"] if row["title"] == "订单状态")
    assert row["tone"] == "conflict"


def test_what_was_not_recorded_is_rendered_now_and_says_so(
    open_page: "OpenPage", store: Store
) -> None:
    seen = store.saw([order()], templates=("concise",), languages=("zh",))

    zh = grid(opened(open_page, store, seen))
    en = grid(opened(open_page, store, seen, prompt="en"))

    assert [column(zh, name)["tone"] for name in ALL] == ["recorded", "rendered", "rendered"]
    assert column(zh, "verbose")["origin"] == "re-rendered now by version 0"
    assert {column(en, name)["tone"] for name in ALL} == {"rendered"}
    assert text_of(en, "concise") == seen.observation.to_prompt("concise", "en").text


def test_a_recorded_prompt_that_renders_differently_is_shown_as_recorded_and_said_to(
    open_page: "OpenPage", store: Store
) -> None:
    seen = store.saw([order(), points()])
    store.database.rows("update prompt set text = '【订单状态】已发货' returning 1")
    page = opened(open_page, store, seen)
    data = grid(page)

    assert column(data, "concise")["tone"] == "differs"
    assert "renders differently now" in column(data, "concise")["origin"]
    assert text_of(data, "concise") == "【订单状态】已发货"
    told = dict(
        zip(
            table(page, "alternatives")["type"], table(page, "alternatives")["concise"], strict=True
        )
    )
    assert told["STATUS"].startswith("● shown · ")
    assert told["EST_DELIVERY"] == "○ omitted"
    row = next(row for row in data["rows"] if row["title"] == "预计送达")
    assert row["cells"][1]["broken"]


def test_an_owners_template_is_shown_as_recorded(open_page: "OpenPage", store: Store) -> None:
    seen = store.saw([order()])
    store.database.rows("update prompt set template = '<b>mine</b>' returning 1")
    page = opened(open_page, store, seen)

    assert column(grid(page), "<b>mine</b>")["tone"] == "recorded"
    assert "<b>mine</b>" not in markup(page)


def test_clean_and_noisy_are_told_apart_and_compared(open_page: "OpenPage", store: Store) -> None:
    seen = store.saw([order(), points()], cni_enabled=True, cni_intensity=1.0, templates=ALL)
    noisy_points = next(
        c.value for c in seen.observation.shown.resolved.cells if c.type == "USER_POINTS"
    )
    assert noisy_points != 1250

    noisy = text_of(grid(opened(open_page, store, seen)), "concise")
    clean = text_of(grid(opened(open_page, store, seen, variant="clean")), "concise")
    both = grid(opened(open_page, store, seen, variant="both"))

    assert f"【用户积分】{noisy_points}" in noisy
    assert "【用户积分】1250" in clean
    row = next(row for row in both["rows"] if row["title"] == "用户积分")
    assert ["1250", "gone"] in row["cells"][0]["parts"]
    assert [str(noisy_points), "extra"] in row["cells"][0]["parts"]
    assert "raw JSON" not in [c["title"] for c in both["columns"]]


def test_noise_rows_say_what_was_changed_into_what_and_why(
    open_page: "OpenPage", store: Store
) -> None:
    seen = store.saw([order(), points()], cni_enabled=True, cni_intensity=1.0)
    frame = table(opened(open_page, store, seen, tab="noise"), "injected")

    records = seen.observation.noise
    assert records
    assert list(frame["type"]) == [record.fact_type for record in records]
    assert list(frame["original"]) == [record.original_value for record in records]
    assert list(frame["injected"]) == [record.injected_value or "" for record in records]
    assert list(frame["reason"]) == [record.reason for record in records]


def test_noise_that_changed_nothing_says_so(open_page: "OpenPage", store: Store) -> None:
    seen = store.saw([order()], cni_enabled=True, cni_intensity=0.0)

    page = opened(open_page, store, seen, tab="noise")

    assert "Noise was on and changed nothing here." in markup(page)


def test_the_plain_view_shows_the_texts_whole(open_page: "OpenPage", store: Store) -> None:
    seen = store.saw([order(), points()], templates=ALL)
    page = opened(open_page, store, seen, view="plain")

    for prompt in seen.observation.prompts.values():
        assert prompt.text in texts(page)
    assert texts(page).count("as recorded, rules 0") == len(ALL)


def test_raw_outputs_are_shown_whole_with_their_bytes(open_page: "OpenPage", store: Store) -> None:
    seen = store.saw([order(), answer("order_api", None, error=ErrorClass.TIMEOUT)])
    recorded = get_observation(store.database, seen.trace_id, seen.span_id)
    assert recorded is not None
    page = opened(open_page, store, seen)

    shown = texts(page)
    assert f"{recorded.raw[0].output.n_bytes} B" in shown
    assert "SF123456789CN" in "".join(shown)
    assert "TIMEOUT" in shown
    assert "Raw outputs (2)" in markup(page)


def test_an_output_recorded_in_part_gives_no_saving(open_page: "OpenPage", store: Store) -> None:
    long = [{"time": "2024-06-10T08:23:11Z", "event": "x" * 100}] * 1000
    seen = store.saw([order(logistics_info=long)])
    page = opened(open_page, store, seen)

    data = grid(page)
    assert column(data, "raw JSON")["figure"] == "–"
    assert column(data, "raw JSON")["origin"] == "not recorded whole"
    assert column(data, "concise")["saving"] == ""
    assert any("Only the beginning was recorded" in c.value for c in page.caption)
    again = opened(open_page, store, seen, tab="reread")
    assert any("left out" in w.value for w in again.warning)


def test_the_dictionary_in_force_reads_it_again(open_page: "OpenPage", store: Store) -> None:
    seen = store.saw([order(status="refunding"), points()])
    before = opened(open_page, store, seen, tab="reread")
    assert "Every statement reads as it was recorded." in markup(before)

    file = "order_status.yaml"
    texts_now = package_rule_texts()
    words = {"zh": "退款中", "en": "refunding"}
    texts_now[file] = map_value(file, texts_now[file], "status", "refunding", words)
    publish(store.database, V0, texts_now, "owner", "a new status", lambda: 1)
    page = opened(open_page, store, seen, tab="reread")

    assert "1 statement reads differently now." in markup(page)
    frame = table(page, "recorded")
    assert list(frame["fact"]) == ["STATUS"]
    assert frame["recorded"][0] == 'UNKNOWN "refunding"'
    assert "退款中" in frame["now"][0]
    assert column(grid(page), "concise")["tone"] == "recorded"


def test_rules_that_are_lost_are_named(open_page: "OpenPage", store: Store) -> None:
    other = load_rules(package_rule_texts(), "**9**")
    seen = store.saw([order()], rules=other)
    store.database.rows("update observation set rule_sha256 = 'gone' returning 1")
    page = opened(open_page, store, seen)

    assert any("are not in this store" in w.value for w in page.warning)
    assert "**9**" in texts(page)
    assert "**9**" not in markup(page)


def test_without_recorded_evidence_recorded_prompts_are_shown_all_the_same(
    open_page: "OpenPage", store: Store
) -> None:
    seen = store.saw([order()])
    store.database.rows("delete from snapshot returning 1")
    page = opened(open_page, store, seen, view="plain")

    assert any("was not recorded" in w.value for w in page.warning)
    assert seen.observation.to_prompt("concise").text in texts(page)


@pytest.mark.parametrize("text", HOSTILE)
def test_text_of_tools_is_shown_literally_and_never_as_markup(
    open_page: "OpenPage", store: Store, text: str
) -> None:
    outputs = [
        order(order_id=text, logistics_info=[{"time": "2024-06-11T14:05:44Z", "event": text}]),
        answer(text, {text: text}),
    ]
    context = {"user_intent": text, "target_order_id": text}
    seen = store.saw(outputs, context=context, cni_enabled=True, cni_intensity=1.0)

    for view in ("diff", "plain"):
        page = opened(open_page, store, seen, view=view)
        assert text in "\n".join(texts(page))
        assert text not in markup(page)
    listed = open_page(store.database, "saw", range="all", tool=text, intent=text)
    assert text in table(listed, "tools").to_string()
    assert text not in markup(listed)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("prompt", "fr"),
        ("variant", "noisier"),
        ("variant", "both"),
        ("view", "<b>"),
        ("base", "mine"),
        ("span", "f" * 16),
        ("span", "<script>"),
        ("span", ""),
    ],
)
def test_bad_parts_of_an_address_do_no_harm(
    open_page: "OpenPage", store: Store, name: str, value: str
) -> None:
    seen = store.saw([order()])
    query = {"trace_id": seen.trace_id, "span": seen.span_id} | {name: value}
    page = open_page(store.database, "saw", **query)

    assert text_of(grid(page), "concise") == seen.observation.to_prompt("concise").text


@pytest.mark.parametrize("wanted", ["f" * 32, "<img src=x>", "%", "0" * 5000])
def test_an_unknown_trace_is_said_to_be_unknown(
    open_page: "OpenPage", store: Store, wanted: str
) -> None:
    store.saw([order()])
    page = open_page(store.database, "saw", trace_id=wanted)

    assert page.warning[0].value == "No such trace in this store"
    assert wanted[:200] in texts(page)


@pytest.mark.parametrize(
    ("query", "n"),
    [
        ({}, 4),
        ({"has": "unknown"}, 1),
        ({"has": "conflict"}, 1),
        ({"has": "nonsense"}, 4),
        ({"tool": "points_api"}, 2),
        ({"tool": "nobody"}, 0),
        ({"intent": "cancel_order"}, 1),
        ({"fact_type": "STATUS", "raw": '"refunding"'}, 1),
        ({"page": "99"}, 4),
    ],
)
def test_the_list_holds_what_passes_its_filters(
    open_page: "OpenPage", store: Store, query: dict[str, str], n: int
) -> None:
    store.saw([order(), points()])
    store.saw([order(status="refunding")])
    store.saw([order(), order(5, "order_status_api", status="delivered")])
    store.saw([points()], context={"user_intent": "cancel_order"})
    page = open_page(store.database, "saw", range="all", **query)

    if n == 0:
        assert any("No observation passes" in i.value for i in page.info)
    else:
        assert len(table(page, "tools")) == n


def test_a_trace_without_a_span_opens_its_first_observation(
    open_page: "OpenPage", store: Store
) -> None:
    seen = store.saw([order()])
    page = open_page(store.database, "saw", trace_id=seen.trace_id.upper())

    assert text_of(grid(page), "concise") == seen.observation.to_prompt("concise").text


def test_a_trace_without_observations_says_so(
    open_page: "OpenPage", write_spans: "WriteSpans", make_span: "MakeSpan"
) -> None:
    span = make_span()
    page = open_page(write_spans([span]), "saw", trace_id=span.trace_id)

    assert page.info[0].value == "This trace holds no observation."
    assert span.trace_id in texts(page)


def test_a_store_without_observations_says_what_makes_them(
    open_page: "OpenPage", write_spans: "WriteSpans", make_span: "MakeSpan"
) -> None:
    run = make_span(
        attributes={
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "order_api",
            "gen_ai.tool.call.result": "{}",
        }
    )
    page = open_page(write_spans([run]), "saw")

    assert page.info[0].value == "No observation is recorded in this store yet."
    assert any("pipeline.observation import" in code.value for code in page.code)
    links = page.get("page_link")
    assert any(run.trace_id in link.proto.query_string for link in links)


def test_an_empty_store_says_how_to_fill_it(open_page: "OpenPage", empty_store: Database) -> None:
    assert "toolsight demo" in texts(open_page(empty_store, "saw"))


def test_the_trace_page_leads_here(open_page: "OpenPage", store: Store) -> None:
    seen = store.saw([order()])
    page = open_page(store.database, "trace", trace_id=seen.trace_id, span=seen.span_id)

    queries = [
        link.proto.query_string for link in page.get("page_link") if link.proto.page == "saw"
    ]
    assert any(f"span={seen.span_id}" in query for query in queries)
    assert "What the model saw (1)" in [link.proto.label for link in page.get("page_link")]


def test_a_masked_answer_stays_masked(open_page: "OpenPage", store: Store) -> None:
    seen = store.saw([points()])
    page = opened(open_page, store, seen)

    shown = "\n".join(texts(page)) + json.dumps(grid(page), ensure_ascii=False)
    assert "U789" not in shown
    assert MASK in shown or "anon-" in shown


def test_reading_is_a_pure_function_of_what_was_recorded(store: Store) -> None:
    seen = store.saw([order(), points()], cni_enabled=True, cni_intensity=1.0, templates=ALL)
    recorded = get_observation(store.database, seen.trace_id, seen.span_id)
    assert recorded is not None
    rules = Rules(seen.observation.rules, is_own=True)

    for variant in ("clean", "noisy"):
        reading = read(recorded, rules, "zh", variant)
        for pane in reading.panes:
            made = seen.observation.to_prompt(pane.template, "zh", variant=variant)
            assert (pane.text, pane.n_tokens) == (made.text, made.n_tokens)
            assert not pane.is_different
            assert pane.coverage == {cell.key: cell.coverage for cell in made.cells}
