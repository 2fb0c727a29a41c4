"""`toolsight audit`: a draw, its labels from a file, and what they say."""

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path

import orjson
import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from dashboard.auditing.label_files import as_jsonl, labels_csv, labels_jsonl
from dashboard.cli import main
from dashboard.errors import DashboardError
from pipeline.vocabulary import AnnotatorKind, SelectionLabel
from replay_store import Database
from replay_store.audit import batches, items
from replay_store.audit_labels import LabelDraft, batch_labels, record_labels
from replay_store.records import Label


def run(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["audit", *map(str, arguments)])


@pytest.fixture(scope="module")
def db(sample_copy: Callable[[Path], Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample traces."""
    return sample_copy(tmp_path_factory.mktemp("audit") / "store.duckdb")


def test_a_draw_is_made_labelled_from_a_file_and_read(db: Path, tmp_path: Path) -> None:
    made = run(
        "draw", "--db", db, "--name", "N", "--by", "Lin", "--n", "60", "--range", "all",
        "--stratum", "tool", "--allocation", "equal", "--double", "5", "--json",
    )  # fmt: skip
    assert made.exit_code == 0, made.output
    (batch,) = json.loads(made.stdout)
    assert (batch["n_drawn"], batch["strata"], batch["n_double"]) == (60, ["tool"], 5)

    unlabelled = run("results", "--db", db)
    assert "selection accuracy:" in unlabelled.stdout
    assert "not labelled" in unlabelled.stdout

    with Database.open(db) as database:
        drawn = batches(database)[0]
        drafts = [
            LabelDraft(item.position, SelectionLabel.CANT_TELL, note="=1+1")
            if item.position
            else LabelDraft(
                0,
                SelectionLabel.CORRECT_NO_CALL if item.call_index is None else SelectionLabel.RIGHT,
            )
            for item in items(database, drawn.batch_id)
        ]
        record_labels(database, drawn.batch_id, drafts, "Lin", lambda: 7)
        labels = batch_labels(database, drawn.batch_id)
    path = tmp_path / "labels.csv"
    path.write_bytes(labels_csv(labels))
    again = run("import", "--db", db, path)
    assert again.exit_code == 0, again.output
    assert again.stdout.strip() == "0 labels stored, 60 known before, 0 refused"

    path.write_bytes(labels_csv(labels).replace(b",Lin,", b",Mei,"))
    assert "60 labels stored" in run("import", "--db", db, path).stdout
    found = json.loads(run("results", "--db", db, drawn.batch_id, "--json").stdout)
    assert found["accuracy"]["n_items"] == 60
    assert found["agreement"]["selection"]["n_units"] >= 1


def test_draws_are_listed_and_none_is_no_error(db: Path, tmp_path: Path) -> None:
    assert "no draw yet" in run("list", "--db", tmp_path / "new.duckdb").stdout
    assert run("results", "--db", tmp_path / "new.duckdb").exit_code == 1
    assert run("draw", "--db", tmp_path / "new.duckdb", "--name", "N", "--by", "L").exit_code == 1


def test_what_is_no_file_of_labels_says_which_column_is_missing(db: Path, tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("a,b,c\n1,2,3\n", encoding="utf-8")
    found = run("import", "--db", db, path)

    assert found.exit_code == 1
    assert "no column annotator, annotator_kind" in found.output


def test_a_cell_that_is_no_number_names_its_line() -> None:
    text = "trace_id,turn_index,label,annotator,annotator_kind\nx,one,RIGHT,L,HUMAN\n"
    with pytest.raises(DashboardError, match="line 2: turn_index: 'one'"):
        as_jsonl(text.encode())


_TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\x00\r"), min_size=1, max_size=20)


@given(
    note=st.none() | _TEXT | st.sampled_from(["=1+1", "'=1", "''-x", "'", "@a", "+", 'a,"b"\nc']),
    annotator=_TEXT,
    call_index=st.none() | st.integers(0, 9),
    probability=st.floats(1e-9, 1),
)
def test_a_csv_says_the_same_as_json_lines(
    note: str | None, annotator: str, call_index: int | None, probability: float
) -> None:
    label = Label(
        label_id="00000000000000ff",
        record_hash=255,
        trace_id="0" * 32,
        turn_index=3,
        call_index=call_index,
        label=SelectionLabel.RIGHT,
        sub=None,
        expected_tool=None,
        annotator=annotator,
        annotator_kind=AnnotatorKind.HUMAN,
        source="audit",
        batch_id=None,
        inclusion_probability=probability,
        time_ns=5,
        note=note,
        file_id=None,  # type: ignore[arg-type]
        record_index=0,
        received_time_ns=0,
    )
    back = orjson.loads(as_jsonl(labels_csv([label])))
    whole = orjson.loads(labels_jsonl([label]))

    assert back == {name: value for name, value in whole.items() if value is not None}
    assert as_jsonl(labels_jsonl([label])) == labels_jsonl([label])
    rows = list(csv.reader(io.StringIO(labels_csv([label]).decode("utf-8-sig"), newline="")))
    assert all(not cell.startswith(("=", "+", "-", "@")) for cell in rows[1])
