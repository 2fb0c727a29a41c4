"""The Audit page: draw, label, and read the accuracy that the metrics give."""

import csv
import io
import itertools
import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from scipy import stats

import metrics
from dashboard.auditing.label_files import labels_csv, labels_jsonl
from dashboard.metric_text import headline, interval_text, note_text
from dashboard.views.audit.payload import (
    Desk,
    Mode,
    queue_data,
    read_work,
    stored_data,
    window,
)
from dashboard.views.audit.sample_size import ALPHA, POWER, n_to_tell
from dashboard.views.audit.words import LABEL_KEYS
from ingest import import_paths
from metrics import Scope
from pipeline.vocabulary import SelectionLabel
from replay_store import Database
from replay_store.audit import batches, draw_batch, items
from replay_store.audit_adjudication import adjudication_progress, contested
from replay_store.audit_allocation import Stratum
from replay_store.audit_context import item_contexts
from replay_store.audit_labels import (
    ADJUDICATION_SOURCE,
    LabelDraft,
    applies,
    batch_labels,
    record_labels,
)
from replay_store.audit_progress import SkipDraft, SkipReason
from replay_store.records import AuditBatch

if TYPE_CHECKING:
    from streamlit.testing.v1 import AppTest

    from tests.dashboard.conftest import MakeSpan, OpenPage, WriteSpans

N = 6


@pytest.fixture(scope="module")
def store(
    sample_copy: Callable[[Path], Path], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Database]:
    """The sample traces with one draw, labelled by Lin but for one item."""
    with Database.open(sample_copy(tmp_path_factory.mktemp("audit") / "store.duckdb")) as database:
        batch = draw(database)
        drafts = [
            LabelDraft(item.position, sure_label(item.call_index))
            for item in items(database, batch.batch_id)[: N - 1]
        ]
        record_labels(database, batch.batch_id, drafts, "Lin", itertools.count(1).__next__)
        yield database


def whole(database: Database) -> Scope:
    held = metrics.data_range(database)
    assert held is not None
    return metrics.default_scope("all", held)


def draw(database: Database, name: str = "*Draw* <b>1</b>") -> AuditBatch:
    scope = whole(database)
    return draw_batch(
        database,
        name=name,
        start_time_ns=scope.start_time_ns,
        end_time_ns=scope.end_time_ns,
        n=N,
        seed=3,
        created_by="Lin",
        clock=time.time_ns,
    )


def sure_label(call_index: int | None) -> SelectionLabel:
    return SelectionLabel.CORRECT_NO_CALL if call_index is None else SelectionLabel.RIGHT


def texts(page: "AppTest") -> str:
    return "\n".join(item.value for item in (*page.caption, *page.markdown, *page.subheader))


def test_an_empty_store_says_what_to_load(open_page: "OpenPage", empty_store: Database) -> None:
    page = open_page(empty_store, "audit")

    assert any(code.value.startswith("toolsight ingest") for code in page.code)


def test_traces_without_decisions_say_what_a_decision_needs(
    open_page: "OpenPage", write_spans: "WriteSpans", make_span: "MakeSpan"
) -> None:
    page = open_page(write_spans([make_span()]), "audit", range="all")

    assert page.info[0].value == "There is no decision to judge yet."
    assert "gen_ai.output.messages" in texts(page)


def test_the_first_draw_is_made_on_the_page_and_opens_its_queue(
    open_page: "OpenPage", sample_copy: Callable[[Path], Path], tmp_path: Path
) -> None:
    with Database.open(sample_copy(tmp_path / "own.duckdb")) as database:
        page = open_page(database, "audit", range="all", rater="Lin")
        page.number_input(key="audit_draw_n").set_value(7)
        page.button[0].click().run()

        (batch,) = batches(database)
        assert (batch.n_drawn, batch.created_by, batch.name) == (7, "Lin", "Draw 1")
        assert str(page.query_params["batch"]) == str(batch.batch_id)
        assert "Stored: 0 of 7" in texts(page)


def test_a_draw_without_a_name_says_who_is_missing(
    open_page: "OpenPage", sample_copy: Callable[[Path], Path], tmp_path: Path
) -> None:
    with Database.open(sample_copy(tmp_path / "own.duckdb")) as database:
        page = open_page(database, "audit", range="all")
        page.button[0].click().run()

        assert batches(database) == []
        assert "annotator: expected" in page.code[0].value


def test_a_queue_without_a_name_asks_for_one(open_page: "OpenPage", store: Database) -> None:
    page = open_page(store, "audit", range="all")

    assert page.info[0].value.startswith("Write your name first")


def test_progress_and_counts_come_from_the_store(open_page: "OpenPage", store: Database) -> None:
    page = open_page(store, "audit", range="all", rater="Lin")

    assert f"Stored: {N - 1} of {N}" in texts(page)


@pytest.mark.parametrize("key", ["7d", "all"])
def test_the_accuracy_shown_is_that_of_the_metrics(
    open_page: "OpenPage", store: Database, key: str
) -> None:
    page = open_page(store, "audit", range=key, view="results", rater="Lin")
    held = metrics.data_range(store)
    assert held is not None
    found = metrics.selection_accuracy(store, metrics.default_scope(key, held))

    assert page.metric[-2].value == headline(found.selection)
    assert page.metric[-1].value == headline(found.call)
    shown = texts(page)
    assert str(interval_text(found.selection)) in shown
    assert note_text(found.selection) in shown


def test_each_tool_and_each_pair_of_tools_has_its_labels(
    open_page: "OpenPage", store: Database
) -> None:
    page = open_page(store, "audit", range="all", view="results")
    by_draw, counts, by_tool, _, confusion = (frame.value for frame in page.dataframe)

    assert counts.to_numpy().sum() == N - 1
    found = metrics.selection_accuracy(store, whole(store)).selection
    assert by_tool["n"].sum() == found.n
    assert confusion.fillna(0).to_numpy().sum() == found.n
    drawn = metrics.batch_accuracy(store, batches(store)[0].batch_id)
    in_all = by_draw["audit_column_version"] == "all"
    assert by_draw[in_all]["n"].sum() == drawn.selection.n


@pytest.fixture
def disputed(sample_copy: Callable[[Path], Path], tmp_path: Path) -> Iterator[Database]:
    """A draw in two parts for two raters, who differ on the first decision."""
    with Database.open(sample_copy(tmp_path / "own.duckdb")) as database:
        scope = whole(database)
        batch = draw_batch(
            database,
            name="Two",
            start_time_ns=scope.start_time_ns,
            end_time_ns=scope.end_time_ns,
            n=4,
            seed=1,
            created_by="Lin",
            clock=time.time_ns,
            strata=[Stratum.SUSPICION],
            n_double=4,
        )
        drawn = items(database, batch.batch_id)
        agreed = [LabelDraft(item.position, sure_label(item.call_index)) for item in drawn]
        record_labels(database, batch.batch_id, agreed, "Lin", itertools.count(1).__next__)
        is_call = drawn[0].call_index is not None
        wrong = SelectionLabel.WRONG_TOOL if is_call else SelectionLabel.SHOULD_HAVE_CALLED
        others = [LabelDraft(0, wrong, "search_orders"), *agreed[1:]]
        record_labels(database, batch.batch_id, others, "Mei", itertools.count(9).__next__)
        yield database


def test_a_dispute_waits_to_be_settled_and_the_results_tell_agreement_and_parts(
    open_page: "OpenPage", disputed: Database
) -> None:
    page = open_page(disputed, "audit", range="all", rater="Ada", view="adjudicate")
    assert "Stored: 0 of 1" in texts(page)

    page = open_page(disputed, "audit", range="all", rater="Ada", view="results")
    shown = texts(page)
    assert "drawn apart by suspicious or clean" in shown
    table = next(frame.value for frame in page.dataframe if "Good for" in frame.value)
    assert list(table["Judged by two"]) == [4, 4]
    assert list(table["Agree"]) == ["75.0%", "75.0%"]
    parts = next(frame.value for frame in page.dataframe if "In the frame" in frame.value)
    assert parts["Drawn"].sum() == 4
    assert page.expander[-1].label == "Disagreements: 1, of which open 1"

    batch_id = batches(disputed)[0].batch_id
    sure = [LabelDraft(0, SelectionLabel.CANT_TELL, note="<b>x</b>")]
    record_labels(disputed, batch_id, sure, "Ada", time.time_ns, ADJUDICATION_SOURCE)
    page = open_page(disputed, "audit", range="all", rater="Ada", view="results")
    assert page.expander[-1].label == "Disagreements: 1, of which open 0"
    assert "Settled · Ada: Cannot tell · <b>x</b>" in [item.value for item in page.text]


def test_a_queue_tells_who_said_what_only_where_raters_differ(disputed: Database) -> None:
    batch_id = batches(disputed)[0].batch_id
    found = contested(disputed, batch_id)
    own = adjudication_progress(disputed, batch_id, "Ada", found)
    data = stored_data(Desk(str(batch_id), "Ada", Mode.ADJUDICATE), own, ("c", 0), None, found)
    raters: Any = data["raters"]

    assert [(said["position"], [line["name"] for line in said["lines"]]) for said in raters] == [
        (0, ["Lin", "Mei"])
    ]
    assert "search_orders" in raters[0]["lines"][1]["text"]
    assert data["settled"] == [1, 2, 3]


def test_nothing_in_dispute_says_so(open_page: "OpenPage", store: Database) -> None:
    page = open_page(store, "audit", range="all", rater="Ada", view="adjudicate")

    assert page.info[0].value.startswith("Nobody disagrees in this draw.")


def test_a_name_of_a_draw_is_never_markup(open_page: "OpenPage", store: Database) -> None:
    page = open_page(store, "audit", range="24h", view="results")
    heading = next(item.value for item in page.subheader if "by the draw" in item.value)

    assert "\\*Draw\\* \\<b\\>1" in heading


def test_an_unknown_draw_in_the_address_means_the_newest(
    open_page: "OpenPage", store: Database
) -> None:
    page = open_page(store, "audit", range="all", rater="Lin", batch="'; drop table label")

    assert page.selectbox(key="audit_batch_box").value == str(batches(store)[0].batch_id)


def test_the_page_speaks_chinese(open_page: "OpenPage", store: Database) -> None:
    page = open_page(store, "audit", range="all", lang="zh", rater="Lin")

    assert page.header[0].value == "抽检"
    assert f"已保存：{N - 1} / {N}" in texts(page)


# --- between page and browser -------------------------------------------------------------------


DESK = Desk("b", "Lin")


def sent(**changes: Any) -> dict[str, Any]:
    draft = {"position": 1, "seq": 4, "label": "RIGHT", "expected": None, "note": "so"}
    plain = {
        "batch": "b",
        "annotator": "Lin",
        "mode": "label",
        "client": "c",
        "at": 2,
        "pending": [draft],
        "reveal": None,
    }
    return plain | changes


def test_labels_that_a_browser_sends_are_read_in_their_order() -> None:
    first = {"position": 0, "seq": 3, "label": "WRONG_TOOL", "expected": "f", "note": None}
    value = sent(pending=[*sent()["pending"], first], reveal=0)
    work = read_work(value, DESK, 5)

    assert work is not None
    assert work.drafts == (
        LabelDraft(0, SelectionLabel.WRONG_TOOL, "f"),
        LabelDraft(1, SelectionLabel.RIGHT, None, "so"),
    )
    assert (work.client, work.at, work.last_seq, work.reveal) == ("c", 2, 4, 0)


@pytest.mark.parametrize(
    "value",
    [
        None,
        "text",
        sent(batch="other"),
        sent(annotator="Mei"),
        sent(mode="adjudicate"),
        sent(client=7),
        sent(at=6),
        sent(at=-1),
        sent(at=True),
    ],
)
def test_what_is_not_about_this_queue_is_passed_over(value: object) -> None:
    assert read_work(value, DESK, 5) is None


def test_what_is_passed_over_comes_with_its_reason() -> None:
    value = sent(pending=[{"position": 2, "seq": 1, "skip": "needs_expert"}])
    work = read_work(value, DESK, 5)

    assert work is not None
    assert (work.drafts, work.skips) == ((), (SkipDraft(2, SkipReason.NEEDS_EXPERT),))


def test_what_is_taken_back_is_told_beside_what_holds_again() -> None:
    value = sent(
        pending=[
            {"position": 2, "seq": 1, "undo": True},
            {"position": 3, "seq": 2, "undo": True, "skip": "involved"},
            {"position": 4, "seq": 3, "undo": "yes"},
        ]
    )
    work = read_work(value, DESK, 5)

    assert work is not None
    assert (work.taken_back, work.drafts, work.last_seq) == ((2, 3), (), 2)
    assert work.skips == (SkipDraft(3, SkipReason.INVOLVED),)


@pytest.mark.parametrize(
    "draft",
    [
        None,
        [],
        {},
        {"position": 5, "seq": 1, "label": "RIGHT"},
        {"position": "1", "seq": 1, "label": "RIGHT"},
        {"position": 1, "seq": -1, "label": "RIGHT"},
        {"position": 1, "seq": 1, "label": "BEST"},
        {"position": 1, "seq": 1, "label": ["RIGHT"]},
        {"position": 1, "seq": 1, "skip": "because"},
    ],
)
def test_odd_labels_drop_out_and_the_others_stay(draft: object) -> None:
    value = sent(pending=[draft, *sent()["pending"]], reveal=99)
    work = read_work(value, DESK, 5)

    assert work is not None
    assert len(work.drafts) == 1
    assert work.reveal is None


@pytest.mark.parametrize("n", [1, 10, 60, 500])
def test_the_window_stays_for_a_block_and_holds_fifty_ahead(n: int) -> None:
    for at in range(n):
        loaded = window(at, n)
        assert loaded.first <= max(0, at - 25)
        assert loaded.end >= min(n, at + 50)
        assert window(at - at % 25, n) == loaded


def test_the_browser_is_given_no_outcome(store: Database) -> None:
    batch = batches(store)[0]
    contexts = item_contexts(store, batch.batch_id, 0, N)
    rows = store.rows(
        "select result_preview as text from tool_call where turn_index = 0 "
        "and result_preview is not null and length(result_preview) > 40"
    )
    first_turns = [
        context
        for context, item in zip(contexts, items(store, batch.batch_id), strict=True)
        if item.turn_index == 0 and item.call_index is not None
    ]

    assert first_turns
    shown = repr(first_turns)
    assert [row for row in rows if row["text"] in shown] == []


def test_the_queue_has_a_key_for_every_label_and_knows_what_it_applies_to(
    open_page: "OpenPage", store: Database
) -> None:
    open_page(store, "audit", range="all", rater="Lin")
    data = queue_data(DESK, N, 0, ())
    labels: Any = data["labels"]

    assert [label["key"] for label in labels] == list("12345678")
    assert {label["id"] for label in labels} == set(SelectionLabel)
    assert all(
        label["for_call"] == applies(SelectionLabel(label["id"]), is_call=True) for label in labels
    )
    assert set(LABEL_KEYS) == set(SelectionLabel)


# --- files and numbers --------------------------------------------------------------------------


def test_an_export_read_back_adds_nothing(store: Database, tmp_path: Path) -> None:
    batch = batches(store)[0]
    labels = batch_labels(store, batch.batch_id)
    path = tmp_path / "labels.jsonl"
    path.write_bytes(labels_jsonl(labels))

    import_paths([path], store, clock=time.time_ns)
    found = store.rows("select n_records, n_merged, n_rejected, path from ingest_file")
    (line,) = [row for row in found if row["path"].endswith("labels.jsonl")]

    assert (line["n_records"], line["n_merged"], line["n_rejected"]) == (N - 1, N - 1, 0)
    assert batch_labels(store, batch.batch_id) == labels


def test_csv_opens_in_a_spreadsheet_and_runs_no_formula(store: Database) -> None:
    batch = batches(store)[0]
    draft = LabelDraft(0, SelectionLabel.CANT_TELL, note="=1+1,\n“x”")
    record_labels(store, batch.batch_id, [draft], "Mei", lambda: 5)
    labels = batch_labels(store, batch.batch_id, "Mei")
    data = labels_csv(labels)

    assert data.startswith(b"\xef\xbb\xbf")
    (row,) = csv.DictReader(io.StringIO(data.decode("utf-8-sig"), newline=""))
    assert (row["note"], row["label"], row["annotator"]) == ("'=1+1,\n“x”", "CANT_TELL", "Mei")
    assert row["time"] == "1970-01-01T00:00:00.000000005Z"


@pytest.mark.parametrize(
    ("truth", "n"), [(0.82, 988), (0.80, 381), (0.78, 208), (0.75, 110), (0.70, 55), (0.65, 31)]
)
def test_sample_sizes_are_the_published_ones(truth: float, n: int) -> None:
    assert n_to_tell(0.85, truth) == n


@pytest.mark.parametrize(("limit", "truth"), [(0.9, 0.8), (0.5, 0.3), (0.85, 0.84)])
def test_a_sample_size_has_the_power_it_promises(limit: float, truth: float) -> None:
    n = n_to_tell(limit, truth)
    assert n is not None

    def power(size: int) -> float:
        critical = stats.binom.ppf(ALPHA, size, limit)
        if stats.binom.cdf(critical, size, limit) > ALPHA:
            critical -= 1
        return float(stats.binom.cdf(critical, size, truth))

    assert all(power(size) >= POWER for size in range(n, n + 60))
    assert power(n - 1) < POWER


@pytest.mark.parametrize(("limit", "truth"), [(0.85, 0.85), (0.85, 0.9), (1.0, 0.5), (0.5, 0.0)])
def test_an_impossible_sample_size_is_an_error(limit: float, truth: float) -> None:
    with pytest.raises(ValueError, match="expected 0 < truth < limit < 1"):
        n_to_tell(limit, truth)


def test_what_takes_too_many_decisions_has_no_number() -> None:
    assert n_to_tell(0.85, 0.8499) is None


def test_a_draw_is_as_large_as_the_labels_of_an_earlier_one_say_it_must_be(
    open_page: "OpenPage", sample_copy: Callable[[Path], Path], tmp_path: Path
) -> None:
    """Decisions of one trace that are all right or all wrong: several of them tell little more."""
    with Database.open(sample_copy(tmp_path / "own.duckdb")) as database:
        assert "Counted for independent decisions" in texts(
            open_page(database, "audit", range="all")
        )
        scope = whole(database)
        batch = draw_batch(
            database,
            name="*Alike*",
            start_time_ns=scope.start_time_ns,
            end_time_ns=scope.end_time_ns,
            n=120,
            per_trace=None,
            seed=3,
            created_by="Lin",
            clock=time.time_ns,
        )
        drafts = [
            LabelDraft(item.position, SelectionLabel.WRONG_TOOL)
            if item.call_index is not None and int(item.trace_id[-1], 16) % 2
            else LabelDraft(item.position, sure_label(item.call_index))
            for item in items(database, batch.batch_id)
        ]
        record_labels(database, batch.batch_id, drafts, "Lin", itertools.count(1).__next__)
        found = metrics.batch_accuracy(database, batch.batch_id)
        effect = found.design_effect
        assert effect is not None
        assert effect > 1.01
        page = open_page(database, "audit", range="all")

    said = next(text for text in texts(page).split("\n") if "To tell" in text)
    assert f"times {effect:.1f}: the design effect of the draw of" in said
    assert f"of each trace as they fall; {found.selection.n} labelled" in said
    assert f"To tell 75% from 85% you need about {math.ceil(110 * effect):,} labelled" in said
    assert "Alike" not in said
