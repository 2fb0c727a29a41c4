"""The Intake page shows what came in, that the sum holds, and what was refused with its bytes."""

import json
from dataclasses import replace
from typing import TYPE_CHECKING
from uuid import UUID

import pytest

from dashboard.views.intake import queries as intake_queries
from replay_store import Batch, Database, Writer, intake
from replay_store.records import IngestFile, IntakeMinute, Reject

if TYPE_CHECKING:
    from tests.dashboard.conftest import OpenPage

MINUTE = 29_900_000


def _row(minute: int = MINUTE, source: str = "shop", **counts: int) -> IntakeMinute:
    plain = dict.fromkeys(
        ("n_requests", "n_bytes", "n_stored", "n_merged", "n_rejected", "n_repaired"), 0
    ) | {"n_redacted": 0, "n_ignored": 0}
    values = plain | counts
    n_received = values["n_stored"] + values["n_merged"] + values["n_rejected"]
    return IntakeMinute(
        minute=minute,
        door="otlp-http",
        source=source,
        signal="traces",
        n_received=n_received,
        max_age_ms=None,
        max_wait_ms=12,
        **values,
    )


def _store(database: Database, *rows: IntakeMinute, rejects: tuple[Reject, ...] = ()) -> Database:
    Writer(database).write_accounted(Batch(rejects=list(rejects)), lambda _: rows)
    return database


REJECT = Reject(
    file_id=UUID(int=1),
    path="otlp-http",
    place="resource 0, scope 0, span 3",
    reason="trace_id",
    detail="trace_id: missing: expected 32 hex digits",
    raw="![x](http://evil.test/x.png)",
    n_raw_bytes=28,
    received_time_ns=MINUTE * 60_000_000_000,
)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_an_empty_store_says_what_to_do(
    open_page: "OpenPage", empty_store: Database, lang: str
) -> None:
    page = open_page(empty_store, "intake", lang=lang)

    assert "toolsight serve" in page.info[0].value
    assert len(page.dataframe) == 0


def test_rows_of_one_minute_and_sender_are_one(
    open_page: "OpenPage", empty_store: Database
) -> None:
    _store(
        empty_store,
        _row(n_stored=5, n_requests=1),
        _row(n_stored=2, n_merged=3, n_rejected=1, n_requests=1),
        _row(MINUTE - 1, "other", n_stored=7, n_requests=1),
        _row(MINUTE - 90, n_stored=100),
    )

    page = open_page(empty_store, "intake")
    table = page.dataframe[1].value

    assert table[
        ["source", "requests", "received", "stored", "merged", "rejected"]
    ].values.tolist() == [
        ["shop", 2, 11, 7, 3, 1],
        ["other", 1, 7, 7, 0, 0],
    ]
    assert [metric.value for metric in page.metric][:4] == ["11", "7", "3", "1"]


def test_refused_records_come_with_reason_and_bytes(
    open_page: "OpenPage", empty_store: Database
) -> None:
    _store(empty_store, _row(n_rejected=1), rejects=(REJECT,))

    page = open_page(empty_store, "intake")

    shown = [table.value for table in page.dataframe]
    assert any("reason" in table and table["reason"].tolist() == ["trace_id"] for table in shown)
    line = json.loads(intake_queries.rejects_jsonl([REJECT]))
    assert line["bytes"] == REJECT.raw
    assert line["place"] == REJECT.place
    assert not any("evil.test" in str(text.value) for text in page.markdown)


def test_each_sender_is_summed_and_the_sum_holds(
    open_page: "OpenPage", empty_store: Database
) -> None:
    _store(
        empty_store,
        _row(n_stored=5, n_rejected=2, n_requests=1),
        _row(MINUTE - 3, n_stored=1_000, n_merged=234, n_redacted=4, n_requests=1),
        _row(MINUTE - 90, n_stored=100),
    )

    table = open_page(empty_store, "intake").dataframe[0].value

    assert table["source"].tolist() == ["shop"]
    assert table["received"].tolist() == [1_241]
    assert (table["received"] == table["stored"] + table["merged"] + table["rejected"]).all()


def test_refusals_are_told_by_minute_sender_and_reason(
    open_page: "OpenPage", empty_store: Database
) -> None:
    named = [replace(REJECT, source=source) for source in ("shop", "shop", "other")]
    _store(empty_store, _row(n_rejected=3), rejects=(*named, replace(REJECT, reason="json")))

    page = open_page(empty_store, "intake")

    table = next(t.value for t in page.dataframe if "n" in t.value)
    told = table[["source", "reason", "n"]].values.tolist()
    assert told[0] == ["shop", "trace_id", 2]
    assert sorted(told[1:]) == [["other", "trace_id", 1], ["–", "json", 1]]


def test_files_are_told_by_name_with_the_whole_path_beside(
    open_page: "OpenPage", empty_store: Database
) -> None:
    path = "/some/where/deep/shop.otlp.jsonl.gz"
    line = IngestFile(UUID(int=4), path, None, 5, "otlp", 1, 2, 3_000, 3_000, 0, 0, 0, None)
    Writer(empty_store).record_files([line])

    page = open_page(empty_store, "intake")

    table = page.dataframe[0].value
    assert table[["file", "path"]].values.tolist() == [["shop.otlp.jsonl.gz", path]]
    assert page.dataframe[0].value["redacted"].isna().all()
    assert "localized" in page.dataframe[0].proto.columns
    assert not [text.value for text in page.info]


def test_it_refreshes_only_when_asked(open_page: "OpenPage", empty_store: Database) -> None:
    _store(empty_store, _row(n_stored=1))

    assert open_page(empty_store, "intake").selectbox(key="live_choice").value == 0
    assert open_page(empty_store, "intake", live="5").selectbox(key="live_choice").value == 5


def test_a_page_that_watches_sees_refusals_too(empty_store: Database) -> None:
    """Nothing is derived from them, so the store's version does not move."""
    states = [intake.state(empty_store)]
    _store(empty_store, _row(n_rejected=1), rejects=(REJECT,))
    states.append(intake.state(empty_store))
    _store(empty_store, _row(n_merged=1))
    states.append(intake.state(empty_store))

    assert len(set(states)) == len(states)
    assert states[-1] == intake.state(empty_store)
