"""The Trace page shows a trace whole, and its text as text."""

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from dashboard.incident_text import step_text
from dashboard.views.trace import queries as trace_queries
from dashboard.views.trace.story import observed_at
from ingest import import_paths
from replay_store import Batch, Database, Writer, reader
from replay_store.reader import TraceFilter
from replay_store.records import Span, Trace
from replay_store.retention import remove_expired
from replay_store.story import Act, Step, fault_signs, trace_steps
from tests.dashboard.shown import component_texts

if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest

    from tests.dashboard.conftest import MakeSpan, OpenPage, WriteSpans

TRACE = "0af7651916cd43dd8448eb211c80319c"
HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "![](http://evil.test/beacon.png)",
    "[click](javascript:alert(1))",
    ":material/delete: **bold** $x^2$",
)
MARKUP_ELEMENTS = (
    "markdown",
    "caption",
    "header",
    "subheader",
    "title",
    "info",
    "warning",
    "error",
)


def texts(page: "AppTest") -> list[str]:
    return [element.value for element in (*page.text, *page.code)] + component_texts(page)


def markup(page: "AppTest") -> str:
    """Everything on the page that Streamlit reads as markdown or shows as a label."""
    found = [element.value for kind in MARKUP_ELEMENTS for element in getattr(page, kind)]
    found += [f"{metric.label} {metric.value}" for metric in page.metric]
    found += [tab.label for tab in page.tabs]
    found += [widget.label for widget in (*page.button, *page.toggle, *page.selectbox)]
    return "\n".join(found)


def trace_with(database: Database, **least: int) -> Trace:
    return next(
        trace
        for trace in reader.find_traces(database, TraceFilter(), limit=1000)
        if all(getattr(trace, name) >= n for name, n in least.items())
    )


def test_the_head_shows_the_counts_of_the_trace(
    open_page: "OpenPage", sample_store: Database
) -> None:
    trace = trace_with(sample_store, n_retries=1, n_tool_errors=1)
    page = open_page(sample_store, "trace", trace_id=trace.trace_id)

    shown = texts(page)
    assert trace.trace_id in shown
    assert f"{trace.n_tool_calls} ({trace.n_tool_errors} failed)" in shown
    assert f"{trace.input_tokens:,} in, {trace.output_tokens:,} out" in shown


def test_the_table_of_calls_is_the_store_s(open_page: "OpenPage", sample_store: Database) -> None:
    trace = trace_with(sample_store, n_retries=2)
    page = open_page(sample_store, "trace", trace_id=trace.trace_id)
    calls = reader.trace_tool_calls(sample_store, trace.trace_id)

    table = next(frame.value for frame in page.dataframe if "tool" in frame.value)
    assert list(table["tool"]) == [call.tool_name for call in calls]
    assert list(table["attempts"]) == [call.n_attempts for call in calls]


def test_a_long_table_of_calls_is_cut_and_says_of_how_many(
    open_page: "OpenPage", sample_store: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = trace_with(sample_store, n_tool_calls=3)
    monkeypatch.setattr(trace_queries, "MAX_CALLS", 2)
    page = open_page(sample_store, "trace", trace_id=trace.trace_id)

    table = next(frame.value for frame in page.dataframe if "tool" in frame.value)
    assert len(table) == 2
    n = reader.count_tool_calls(sample_store, trace.trace_id)
    assert any(f"first 2 of {n} calls" in caption.value for caption in page.caption)


def test_noise_rows_of_the_trace_are_on_the_page(
    open_page: "OpenPage", sample_store: Database
) -> None:
    trace = trace_with(sample_store, n_noise=1)
    page = open_page(sample_store, "trace", trace_id=trace.trace_id)
    noise = reader.trace_noise(sample_store, trace.trace_id)

    table = next(frame.value for frame in page.dataframe if "injected" in frame.value)
    assert list(table["kind"]) == [row.kind for row in noise]


def test_a_span_in_the_address_is_the_one_in_the_panel(
    open_page: "OpenPage", sample_store: Database
) -> None:
    trace = trace_with(sample_store, n_tool_calls=1)
    span = next(s for s in reader.trace_spans(sample_store, trace.trace_id) if s.role == "tool")
    page = open_page(sample_store, "trace", trace_id=trace.trace_id, span=span.span_id)

    assert span.span_id in texts(page)
    assert "**Arguments**" in [m.value for m in page.markdown]


@pytest.mark.parametrize("span", ["0000000000000000", "f" * 16, "not a span", "<b>"])
def test_a_span_that_is_not_there_does_no_harm(
    open_page: "OpenPage", sample_store: Database, span: str
) -> None:
    trace = trace_with(sample_store)

    page = open_page(sample_store, "trace", trace_id=trace.trace_id, span=span)

    assert trace.trace_id in texts(page)


@pytest.mark.parametrize("wanted", ["f" * 32, "<img src=x>", "../../etc", "%", "0" * 5000])
def test_an_unknown_id_is_said_to_be_unknown_with_what_to_check(
    open_page: "OpenPage", sample_store: Database, wanted: str
) -> None:
    page = open_page(sample_store, "trace", trace_id=wanted)

    assert page.header[0].value == "No such trace in this store"
    assert any("What to check" in m.value for m in page.markdown)


def test_a_prefix_of_several_ids_offers_them(
    open_page: "OpenPage", write_spans: "WriteSpans", make_span: "MakeSpan"
) -> None:
    ids = ["abcdef" + digit * 26 for digit in "12"]
    database = write_spans([make_span(trace_id=trace_id) for trace_id in ids])

    page = open_page(database, "trace", trace_id="abcdef")

    assert page.header[0].value == "2 traces, found by the start of its id:"
    links = [link.proto.label for link in page.get("page_link")]
    assert [label for label in links if label in ids] == sorted(ids)


def test_a_call_s_id_opens_its_trace_at_its_span_and_says_so(
    open_page: "OpenPage", sample_store: Database
) -> None:
    trace = trace_with(sample_store, n_tool_calls=1)
    [call, *_] = reader.trace_tool_calls(sample_store, trace.trace_id)
    page = open_page(sample_store, "trace", trace_id=f"tool_call_id={call.tool_call_id} failed")

    assert "found by its call:" in [caption.value for caption in page.caption]
    assert {trace.trace_id, call.span_id} <= set(texts(page))


def test_a_refused_trace_says_why(
    open_page: "OpenPage", write_spans: "WriteSpans", make_span: "MakeSpan", tmp_path: Path
) -> None:
    database = write_spans([make_span()])
    file = tmp_path / "spans.json"
    span = {"traceId": "d" * 32, "name": "without a span id"}
    file.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}))
    [line] = import_paths([file], database)
    assert line.n_rejected == 1

    page = open_page(database, "trace", trace_id="D" * 32)

    assert page.header[0].value == "This trace was refused"
    assert any("spanId" in code.value for code in page.code)


def test_a_trace_that_is_not_derived_yet_is_said_to_be_arriving(
    open_page: "OpenPage", write_spans: "WriteSpans", make_span: "MakeSpan"
) -> None:
    database = write_spans([make_span()])
    Writer(database).write(Batch(spans=[make_span(trace_id="e" * 32)]))

    page = open_page(database, "trace", trace_id="e" * 32)

    assert page.header[0].value == "This trace is still arriving"


def test_what_is_pasted_into_the_box_of_any_page_opens_its_trace(
    open_page: "OpenPage", sample_store: Database
) -> None:
    trace = trace_with(sample_store, n_tool_calls=1)
    page = open_page(sample_store, "intake")

    page.text_input(key="find_box").set_value(f'level=error trace_id="{trace.trace_id}"').run()

    assert trace.trace_id in texts(page)


def test_no_id_asks_for_one(open_page: "OpenPage", sample_store: Database) -> None:
    assert open_page(sample_store, "trace").header[0].value == "No trace chosen"


def hostile_span(make_span: "MakeSpan", text: str) -> Span:
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": text,
        "gen_ai.agent.name": text,
        "gen_ai.conversation.id": text,
        "gen_ai.tool.call.arguments": text,
        "gen_ai.tool.call.result": text,
        "error.type": text,
        text: text,
        "long": text * 40,
    }
    events = [
        {
            "time_ns": 1_764_547_200_000_000_001,
            "name": "exception",
            "attributes": {"exception.type": text, "exception.message": text},
        },
        {"time_ns": None, "name": text, "attributes": {text: text}},
    ]
    return make_span(
        span_id="00000000000000aa",
        name=text,
        status_code=2,
        status_message=text,
        service_name=text,
        attributes=attributes,
        events=events,
        resource={text: text},
    )


@pytest.mark.parametrize("text", HOSTILE)
def test_text_of_a_trace_is_shown_literally_and_never_as_markup(
    open_page: "OpenPage", write_spans: "WriteSpans", make_span: "MakeSpan", text: str
) -> None:
    database = write_spans([hostile_span(make_span, text)])

    page = open_page(database, "trace", trace_id=TRACE)

    assert text in texts(page)
    assert text not in markup(page)


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("name", ["overview", "traces"])
def test_lists_show_hostile_names_literally(
    open_page: "OpenPage", write_spans: "WriteSpans", make_span: "MakeSpan", name: str, text: str
) -> None:
    database = write_spans([hostile_span(make_span, text)])

    page = open_page(database, name, range="all", tool=text)

    assert any(text in frame.value.to_string() for frame in page.dataframe)
    assert text not in markup(page)


def test_an_incomplete_trace_says_what_is_missing(
    open_page: "OpenPage", write_spans: "WriteSpans", make_span: "MakeSpan"
) -> None:
    orphan = make_span(parent_span_id="00000000000000ff", end_time_ns=None)
    page = open_page(write_spans([orphan]), "trace", trace_id=TRACE)

    badges = " ".join(m.value for m in page.markdown)
    assert "1 span without its parent" in badges
    assert "unknown end: nothing came for" in badges
    assert "not visible" in texts(page)


def test_one_tab_of_a_span_is_drawn_and_stays_open_from_span_to_span(
    open_page: "OpenPage", write_spans: "WriteSpans", make_span: "MakeSpan"
) -> None:
    first = make_span(span_id="0" * 15 + "1", attributes={"colour": "red"})
    second = make_span(span_id="0" * 15 + "2", attributes={"colour": "blue", "size": "tall"})
    page = open_page(write_spans([first, second]), "trace", trace_id=TRACE, span=first.span_id)
    assert not any("red" in frame.value.to_string() for frame in page.dataframe)

    page.session_state["span_tab"] = "attributes"
    page.run()
    assert any("red" in frame.value.to_string() for frame in page.dataframe)
    page.query_params["span"] = second.span_id
    page.run()

    assert any("blue" in frame.value.to_string() for frame in page.dataframe)
    assert page.session_state["span_tabs"] == "Attributes (2)"


def test_a_long_value_is_cut_until_the_whole_is_asked_for(
    open_page: "OpenPage", write_spans: "WriteSpans", make_span: "MakeSpan"
) -> None:
    result = "订单" * 5000
    span = make_span(
        attributes={
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": "search_orders",
            "gen_ai.tool.call.result": result,
        }
    )
    page = open_page(write_spans([span]), "trace", trace_id=TRACE)

    assert result not in texts(page)
    assert "29.3 KiB" in [caption.value for caption in page.caption]
    next(toggle for toggle in page.toggle if str(toggle.key).startswith("whole_result")).set_value(
        True
    ).run()
    assert result in texts(page)


def test_a_trace_that_retention_removed_says_so(
    open_page: "OpenPage", write_spans: "WriteSpans", make_span: "MakeSpan"
) -> None:
    database = write_spans([make_span(trace_id="c" * 32)])
    remove_expired(database, before_ns=time.time_ns() * 2, now_ns=time.time_ns())

    page = open_page(database, "trace", trace_id=f"0x{'C' * 32}")

    assert page.header[0].value == "This trace was removed"
    assert "toolsight retain" in page.info[0].value
    searched = open_page(write_spans([make_span()]), "traces", q="c" * 32)
    assert "toolsight retain" in searched.info[0].value


def test_the_page_tells_the_story_and_what_went_wrong_first(
    open_page: "OpenPage", sample_store: Database
) -> None:
    failed = next(
        trace
        for trace in reader.find_traces(sample_store, TraceFilter(error="any"), limit=1000)
        if trace.is_run_failed and trace.n_tool_errors and trace.n_tool_errors > 2
    )
    page = open_page(sample_store, "trace", trace_id=failed.trace_id)

    story = next(frame.value for frame in page.dataframe if "act" in frame.value)
    steps = trace_steps(sample_store, failed.trace_id)
    assert list(story["subject"]) == [step.subject or "" for step in steps]
    assert {"planned", "called", "observed"} <= set(story["act"])
    assert "**First fault**" in markup(page)
    hint = next(button for button in page.button if str(button.key) == "hint_open_0")
    step = int(hint.label.removeprefix("step ")) - 1
    assert story["number"][step].endswith("◀")
    assert steps[step].span_id in texts(page)
    hint.click().run()
    assert steps[step].span_id in page.query_params["span"]


def test_times_that_contradict_each_other_are_shown_as_they_came_and_said_to(
    open_page: "OpenPage", write_spans: "WriteSpans", make_span: "MakeSpan"
) -> None:
    whole = make_span(trace_id=TRACE, span_id="1" * 16, parent_span_id=None)
    assert whole.start_time_ns is not None
    early = make_span(
        trace_id=TRACE,
        span_id="2" * 16,
        parent_span_id="1" * 16,
        start_time_ns=whole.start_time_ns - 250_000_000,
        end_time_ns=whole.end_time_ns,
    )
    page = open_page(write_spans([whole, early]), "trace", trace_id=TRACE)

    said = "1 span begins before the span above, by up to 250 ms"
    assert any(caption.value.startswith(said) for caption in page.caption)


@pytest.mark.parametrize(
    ("attempt", "wait_ns", "says"),
    [
        (None, -2_000_000_000, "began 2.00 s before the turn that asked for it had ended"),
        (None, -1_000, ""),
        (None, 5_000_000_000, ""),
        (1, -2_000_000_000, "began 2.00 s before the one before had ended"),
        (1, 2_000_000_000, "2.00 s after the one before"),
    ],
)
def test_a_step_says_what_its_start_contradicts(
    attempt: int | None, wait_ns: int, says: str
) -> None:
    act = Act.CALLED if attempt is None else Act.RETRIED
    values: dict[str, Any] = dict.fromkeys(Step._fields)
    values |= {"act": act, "status": "ok", "call_index": 0}
    values |= {"attempt_index": attempt, "wait_ns": wait_ns}
    step = Step(**values)

    assert says in step_text(step)
    assert bool(step_text(step)) is (attempt is not None or bool(says))


def test_a_run_that_ended_well_is_said_to(open_page: "OpenPage", sample_store: Database) -> None:
    calm = next(
        trace
        for trace in reader.find_traces(sample_store, TraceFilter(status="ok"), limit=1000)
        if not fault_signs(sample_store, trace.trace_id)
    )
    page = open_page(sample_store, "trace", trace_id=calm.trace_id, lang="zh")

    assert "**运行正常结束，没有故障迹象**" in markup(page)


@pytest.mark.parametrize(
    ("span_id", "observation"), [("p1", None), ("c1", "o1"), ("p2", "o1"), ("c2", None)]
)
def test_a_call_leads_to_what_was_made_of_it_and_a_turn_to_what_it_was_given(
    span_id: str, observation: str | None
) -> None:
    acts = {"p": Act.PLANNED, "c": Act.CALLED, "o": Act.OBSERVED}
    plain: dict[str, Any] = dict.fromkeys(Step._fields)
    steps = [
        Step(**(plain | {"act": acts[name[0]], "span_id": name}))
        for name in ["p1", "c1", "o1", "p2", "c2"]
    ]

    assert observed_at(steps, span_id) == observation


def test_two_traces_stand_side_by_side_with_what_differs(
    open_page: "OpenPage", sample_store: Database
) -> None:
    left, right = reader.find_traces(
        sample_store, TraceFilter(tool_name="query_order_status"), limit=2
    )
    page = open_page(sample_store, "trace", trace_id=left.trace_id, **{"with": right.trace_id})

    [table] = [frame.value for frame in page.dataframe]
    told = trace_steps(sample_store, left.trace_id), trace_steps(sample_store, right.trace_id)
    assert len(table) >= max(len(steps) for steps in told)
    assert (table["left"] != "").sum() == len(told[0])
    assert (table["right"] != "").sum() == len(told[1])
    unknown = open_page(sample_store, "trace", trace_id=left.trace_id, **{"with": "9" * 32})
    assert "9" * 32 in texts(unknown)


def test_a_note_is_kept_with_its_state_and_shown(
    open_page: "OpenPage", write_spans: "WriteSpans", make_span: "MakeSpan"
) -> None:
    database = write_spans([make_span()])
    page = open_page(database, "trace", trace_id=TRACE)

    page.text_area[0].set_value("下游超时 **bold**")
    next(box for box in page.selectbox if box.label == "What you make of it").set_value("explained")
    next(box for box in page.text_input if box.label == "Your name").set_value("李雷")
    next(button for button in page.button if button.label == "Keep").click().run()

    assert any("李雷" in text and "下游超时 **bold**" in text for text in texts(page))
    assert "explained" in markup(page)
    assert "下游超时" not in markup(page)


def test_the_menu_of_the_link_is_filled_once_it_is_open(
    open_page: "OpenPage", sample_store: Database
) -> None:
    trace = trace_with(sample_store, n_tool_calls=1)
    command = f"toolsight trace {trace.trace_id}"
    page = open_page(sample_store, "trace", trace_id=trace.trace_id)
    assert command not in texts(page)
    page.session_state["take_link"] = True
    shown = texts(page.run())
    assert command in shown
    assert any(text.endswith(f"?trace_id={trace.trace_id}") for text in shown)


def test_similar_traces_are_counted_and_the_last_good_one_is_offered(
    open_page: "OpenPage", sample_store: Database
) -> None:
    failed = next(
        trace
        for trace in reader.find_traces(sample_store, TraceFilter(status="error"), limit=1000)
        if trace.n_tool_errors
    )
    page = open_page(sample_store, "trace", trace_id=failed.trace_id)
    page.session_state["trace_tables"] = "Similar traces"
    page.run()

    days = next(frame.value for frame in page.dataframe if "failed" in frame.value)
    assert days["n"].sum() >= days["failed"].sum() > 0
    labels = [link.proto.label for link in page.get("page_link")]
    assert "Side by side" in labels


def test_the_other_traces_of_a_task_are_links(
    open_page: "OpenPage", write_spans: "WriteSpans", make_span: "MakeSpan"
) -> None:
    ids = ["1" * 32, "2" * 32]
    run = {"gen_ai.operation.name": "invoke_agent"}
    link: dict[str, Any] = {
        "trace_id": ids[0], "span_id": "1" * 16, "trace_state": None, "attributes": {}
    }  # fmt: skip
    database = write_spans(
        [
            make_span(trace_id=ids[0], span_id="1" * 16, attributes=run),
            make_span(trace_id=ids[1], attributes=run, links=[link]),
        ]
    )

    page = open_page(database, "trace", trace_id=ids[1])

    assert "1 other trace of this task:" in [caption.value for caption in page.caption]
    assert ids[0][:12] in [each.proto.label for each in page.get("page_link")]
