"""How values read on a page, in a file and in an address."""

import csv
import io
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard import formats
from dashboard.charts import drawn_limit, trend_figure
from dashboard.filters import instant_text, parse_instant
from dashboard.views.trace.span_sections import sections
from dashboard.views.traces.export import traces_csv
from dashboard.views.traces.search import page_of
from metrics import Point, Unit
from replay_store import reader
from replay_store.reader import TraceFilter
from replay_store.records import JsonValue

if TYPE_CHECKING:
    from tests.dashboard.conftest import MakeSpan, WriteSpans

UTC = ZoneInfo("UTC")
SHANGHAI = ZoneInfo("Asia/Shanghai")
T0 = 1_764_547_200_000_000_000
HOUR = 3_600_000_000_000


@pytest.mark.parametrize(
    ("duration_ns", "text"),
    [
        (None, "–"),
        (0, "0 µs"),
        (999_000, "999 µs"),
        (1_500_000, "1.50 ms"),
        (15_200_000, "15.2 ms"),
        (412_000_000, "412 ms"),
        (3_204_000_000, "3.20 s"),
        (125_000_000_000, "2 min 5 s"),
        (3_840_000_000_000, "1 h 4 min"),
    ],
)
def test_durations_carry_their_unit(duration_ns: int | None, text: str) -> None:
    assert formats.duration_text(duration_ns) == text


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (formats.rate_text(None), "–"),
        (formats.rate_text(0.0), "0.0%"),
        (formats.rate_text(0.8543), "85.4%"),
        (formats.count_text(None), "–"),
        (formats.count_text(12_345), "12,345"),
        (formats.count_text(10.52), "10.5"),
        (formats.number_text(None), "–"),
        (formats.number_text(1.7), "1.70"),
        (formats.number_text(-0.001), "0.00"),
        (formats.size_text(17), "17 B"),
        (formats.size_text(2048), "2.0 KiB"),
        (formats.size_text(10_485_760), "10.0 MiB"),
        (formats.time_text(None, UTC), "–"),
        (formats.time_text(T0 + 5_000_000, UTC), "2025-12-01 00:00:00.005"),
        (formats.time_text(T0, SHANGHAI), "2025-12-01 08:00:00.000"),
        (formats.zone_text(UTC, T0), "UTC"),
        (formats.zone_text(SHANGHAI, T0), "Asia/Shanghai (UTC+08:00)"),
    ],
)
def test_no_value_is_a_dash_and_never_a_zero(made: str, text: str) -> None:
    assert made == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ('{"a":1,"b":"订单"}', '{\n  "a": 1,\n  "b": "订单"\n}'),
        ({"a": 1}, '{\n  "a": 1\n}'),
        ("plain", "plain"),
        ("{broken", "{broken"),
        ('{"amount": 1.10}', '{"amount": 1.10}'),
        ('{"a": 1, "a": 2}', '{"a": 1, "a": 2}'),
        ("[" * 5000, "[" * 5000),
        ('{"n": 123456789012345678901}', '{\n  "n": 123456789012345678901\n}'),
    ],
)
def test_json_is_indented_only_where_nothing_changes(value: JsonValue, text: str) -> None:
    assert formats.json_text(value) == text


@given(st.integers(0, 4_000_000_000))
def test_an_instant_survives_its_address(seconds: int) -> None:
    assert parse_instant(instant_text(seconds * 10**9)) == seconds * 10**9


@pytest.mark.parametrize("text", ["", "now", "2026-01-01", "2026-01-01T00:00:00", "2026-99-01T0Z"])
def test_a_time_without_an_offset_is_none(text: str) -> None:
    assert parse_instant(text) is None


@pytest.mark.parametrize(
    ("asked", "n", "page"),
    [
        (None, 1, (1, 1, 1)),
        ("2", 120, (2, 51, 100)),
        ("9", 120, (3, 101, 120)),
        ("x", 7, (1, 1, 7)),
    ],
)
def test_a_page_stays_within_what_there_is(
    asked: str | None, n: int, page: tuple[int, int, int]
) -> None:
    found = page_of(asked, n, 50)

    assert (found.number, found.first, found.last) == page


def test_a_csv_opens_in_a_spreadsheet_and_runs_no_formula(
    write_spans: "WriteSpans", make_span: "MakeSpan"
) -> None:
    database = write_spans([make_span(name='=HYPERLINK("http://evil")'), make_span(name="订单")])
    traces = reader.find_traces(database, TraceFilter(), limit=10)

    data = traces_csv(traces, SHANGHAI)

    assert data.startswith(b"\xef\xbb\xbf")
    lines = list(csv.DictReader(io.StringIO(data.decode("utf-8-sig"))))
    assert [line["trace_id"] for line in lines] == [trace.trace_id for trace in traces]
    assert not any(cell.startswith("=") for line in lines for cell in line.values())
    assert lines[0]["start_time"].endswith("+08:00")
    assert lines[0]["input_tokens"] == ""


def test_a_limit_far_above_every_value_is_not_drawn() -> None:
    points = [Point(T0, 10.0, 3), Point(T0 + HOUR, None, 0)]

    assert drawn_limit(points, 40.0) == 40.0
    assert drawn_limit(points, 41.0) is None
    assert drawn_limit(points, None) is None


def test_a_chart_leaves_a_gap_where_there_is_no_data() -> None:
    points = [Point(T0, 0.5, 3), Point(T0 + HOUR, None, 0), Point(T0 + 2 * HOUR, 0.7, 4)]

    figure = trend_figure(points, Unit.RATE, 0.85, UTC, "light")

    assert list(figure.data[0].y) == [50.0, None, 70.0]
    assert figure.data[0].connectgaps is False
    assert figure.layout.shapes[0].y0 == 85.0


def test_long_durations_are_drawn_in_seconds() -> None:
    figure = trend_figure([Point(T0, 2500.0, 80)], Unit.MS, None, SHANGHAI, "dark")

    assert list(figure.data[0].y) == [2.5]
    assert figure.layout.yaxis.ticksuffix == " s"
    assert figure.data[0].x[0].hour == 8


def test_every_attribute_of_a_span_is_in_exactly_one_section(make_span: "MakeSpan") -> None:
    attributes = {
        "gen_ai.tool.call.arguments": '{"a": 1}',
        "output.value": "done",
        "gen_ai.input.messages": "[]",
        "llm.input_messages.10.message.content": "later",
        "llm.input_messages.2.message.content": "earlier",
        "note": "x" * 500,
        "plain": 3,
    }
    found = sections(make_span(attributes=attributes))

    placed = [
        passage.name
        for passages in (found.arguments, found.result, found.messages, found.long)
        for passage in passages
    ] + list(found.attributes)
    assert sorted(placed) == sorted(attributes)
    names = [passage.name for passage in found.messages]
    assert names.index("llm.input_messages.2.message.content") < names.index(
        "llm.input_messages.10.message.content"
    )
