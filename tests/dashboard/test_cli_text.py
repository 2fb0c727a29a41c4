"""What the command line prints: tables, numbers with units, and no control character of a file."""

from dataclasses import replace
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dashboard.cli.promise_text import promises_text, quota_json
from dashboard.cli.report_text import amount, metrics_table, range_sentence
from dashboard.cli.tables import plain, table
from metrics import (
    Baseline,
    Counted,
    Exclusion,
    Interval,
    Metric,
    Note,
    OfTool,
    QuotaUse,
    Reason,
    Scope,
    State,
    Threshold,
    ThresholdKind,
    Unit,
)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("订单 12345", "订单 12345"),
        ("\x1b[2Jgone", "\\x1b[2Jgone"),
        ("two\nlines", "two\\x0alines"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
    ],
)
def test_text_of_a_file_cannot_steer_the_terminal(text: str, shown: str) -> None:
    assert plain(text) == shown


@given(st.text())
def test_plain_text_is_always_printable(text: str) -> None:
    assert plain(text).isprintable()


def test_numbers_stand_to_the_right_and_nothing_is_a_dash() -> None:
    assert table(("file", "records"), [("a.jsonl", 1234), ("b", None)]).splitlines() == [
        "file     records",
        "-------  -------",
        "a.jsonl    1,234",
        "b              -",
    ]


def test_wide_characters_take_two_columns() -> None:
    lines = table(("tool", "n"), [("查询", 1), ("abcd", 2)]).splitlines()

    assert lines[2:] == ["查询  1", "abcd  2"]


def test_a_table_without_rows_is_its_headers() -> None:
    assert table(("file", "n"), []) == "file  n\n----  -"


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (0.8412, Unit.RATE, "84.1 %"),
        (0.0, Unit.RATE, "0.0 %"),
        (850.4, Unit.MS, "850 ms"),
        (4200.0, Unit.MS, "4.20 s"),
        (3.14159, Unit.STEPS, "3.14 steps"),
        (12.0, Unit.HITS, "12 hits"),
    ],
)
def test_a_value_carries_its_unit(value: float, unit: Unit, shown: str) -> None:
    assert amount(value, unit) == shown


def _metric(value: float | None, threshold: Threshold | None) -> Metric:
    return Metric(
        key="selection_accuracy",
        value=value,
        unit=Unit.RATE,
        numerator=42,
        denominator=50,
        n=50,
        counted=Counted.DECISIONS,
        interval=None if value is None else Interval(0.7, 0.9, 0.95, "wilson"),
        exclusions=(Exclusion(Reason.CANT_TELL, 3),),
        threshold=threshold,
        baseline=None if value is None else Baseline(0.9, 40),
        state=State.NO_DATA if value is None else State.UNSURE,
        note=Note.NOTHING_TO_COUNT if value is None else Note.NOT_ENOUGH_EVIDENCE,
    )


def test_a_metric_says_everything_needed_to_trust_it() -> None:
    line = metrics_table([_metric(0.84, Threshold(0.85, ThresholdKind.AT_LEAST))])

    for part in ("84.0 %", "50 decisions", "70.0 % to 90.0 %", "at least 85.0 %"):
        assert part in line
    for part in ("90.0 % (n 40)", "unsure: not enough evidence", "3 cant tell"):
        assert part in line


def test_a_metric_without_data_says_so_and_shows_no_zero() -> None:
    line = metrics_table([_metric(None, None)]).splitlines()[-1]

    assert "no data" in line
    assert "0.0 %" not in line


@pytest.mark.parametrize(
    ("threshold", "shown"),
    [
        (Threshold(0.85, ThresholdKind.AT_MOST), "at most 85.0 %"),
        (Threshold(1.5, ThresholdKind.TIMES_BASELINE), "1.5 x before"),
        (Threshold(0.001, ThresholdKind.NOT_SUDDENLY_ZERO), "not suddenly 0"),
    ],
)
def test_a_limit_says_how_it_is_tested(threshold: Threshold, shown: str) -> None:
    assert shown in metrics_table([_metric(0.5, threshold)])


def test_the_range_is_named_in_the_persons_zone_and_ends_at_the_data() -> None:
    hour_ns = 3_600_000_000_000

    text = range_sentence(Scope(0, 24 * hour_ns, "a\x1btool"), ZoneInfo("Asia/Shanghai"))

    assert text.startswith(
        "1970-01-01 08:00 to 1970-01-02 08:00 (Asia/Shanghai) for tool a\\x1btool"
    )
    assert text.endswith("ends at the newest data, not now.")


HOUR_NS = 3_600 * 10**9


def _use(n_today: int, *, is_all: bool = False) -> QuotaUse:
    """Calls in the first twelve hours of a day with a quota of a hundred."""
    caller = None if is_all else "app"
    return QuotaUse("search", caller, is_all, 1, 0, n_today, 0, n_today, 12 * HOUR_NS, 100)


def test_slas_and_quotas_are_told_with_their_verdicts() -> None:
    limit = Threshold(1_200, ThresholdKind.AT_MOST, is_promised=True)
    metric = replace(_metric(800.0, limit), unit=Unit.MS, state=State.OK, interval=None)
    uses = (_use(100, is_all=True), _use(80), _use(20))
    slas, quotas = promises_text([OfTool("search", metric)], uses, ZoneInfo("Asia/Shanghai"))

    assert slas.splitlines()[-1].split() == ["search", "1.20", "s", "800", "ms", str(metric.n), "-", "kept"]  # fmt: skip
    assert [line.split(maxsplit=6) for line in quotas.splitlines()[2:]] == [
        ["search", "(all)", "100", "100", "100.0", "%", "200  used up"],
        ["search", "app", "100", "80", "80.0", "%", "160  used up at 23:00"],
        ["search", "app", "100", "20", "20.0", "%", "40  lasts the day"],
    ]
    assert list(promises_text([], (), ZoneInfo("UTC"))) == []
    assert quota_json(uses[1])["used_up_ns"] == 15 * HOUR_NS
