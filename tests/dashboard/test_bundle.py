"""A bundle holds a trace whole, needs nothing else, and gives away nothing."""

import json
import re
import time
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

import pytest

from dashboard.bundle import bundle_html, bundle_json, bundle_of
from dashboard.bundle.contents import Bundle
from replay_store import Database, TraceFilter, reader
from replay_store.kept_by_people import keep_note

if TYPE_CHECKING:
    from tests.dashboard.conftest import MakeSpan, WriteSpans

TRACE = "0af7651916cd43dd8448eb211c80319c"
UTC = ZoneInfo("UTC")
HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>"


def made(database: Database, trace_id: str = TRACE, **values: Any) -> Bundle:
    bundle = bundle_of(database, trace_id, UTC, now_ns=time.time_ns(), **values)
    assert bundle is not None
    return bundle


@pytest.fixture
def hostile(write_spans: "WriteSpans", make_span: "MakeSpan") -> Database:
    attributes = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": HOSTILE,
        "gen_ai.tool.call.result": "call 13812345678 or mail li.lei@example.com",
        HOSTILE: HOSTILE,
        "long": "订单" * 30_000,
    }
    return write_spans([make_span(name=HOSTILE, status_message=HOSTILE, attributes=attributes)])


def test_a_bundle_of_a_failed_run_has_its_story_its_noise_and_its_spans(
    sample_store: Database,
) -> None:
    trace = next(
        trace
        for trace in reader.find_traces(sample_store, TraceFilter(status="error"), limit=1000)
        if trace.n_noise
    )
    bundle = made(sample_store, trace.trace_id)
    values = json.loads(bundle_json(bundle))
    html = bundle_html(bundle).decode()

    assert len(values["spans"]) == trace.n_spans
    assert len(values["noise"]) == trace.n_noise
    assert values["verdict"] in html
    assert all(f"<td>{n + 1}</td>" in html for n in range(len(values["steps"])))
    assert html.count("<details>") == trace.n_spans


def test_the_page_has_no_script_no_address_and_shows_text_as_text(hostile: Database) -> None:
    html = bundle_html(made(hostile)).decode()

    assert HOSTILE not in html
    assert "&lt;script&gt;" in html
    assert re.findall(r"<(?:script|link|img|iframe|object|base)\b", html) == []
    assert re.findall(r"(?:src|href|url)\s*[=(]", html.replace("img src=x", "")) == []
    assert "default-src 'none'" in html


def test_what_is_personal_is_taken_out_and_counted(hostile: Database) -> None:
    bundle = made(hostile)
    text = bundle_json(bundle).decode() + bundle_html(bundle).decode()

    assert "13812345678" not in text
    assert "li.lei@example.com" not in text
    assert bundle.n_redacted >= 2


def test_long_values_are_whole_in_json_and_cut_with_their_size_in_html(hostile: Database) -> None:
    bundle = made(hostile)

    assert "订单" * 30_000 in bundle_json(bundle).decode()
    assert "175.8 KiB" in bundle_html(bundle).decode()


def test_notes_go_with_it_and_it_speaks_chinese(hostile: Database) -> None:
    keep_note(
        hostile, TRACE, author="李雷", note="<b>下游</b>", state="explained", clock=time.time_ns
    )
    html = bundle_html(made(hostile, lang="zh")).decode()

    assert "&lt;b&gt;下游&lt;/b&gt;" in html
    assert "经过" in html


def test_an_unknown_trace_has_none(sample_store: Database) -> None:
    assert bundle_of(sample_store, "9" * 32, UTC, now_ns=0) is None
