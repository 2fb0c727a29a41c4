"""`toolsight rules draft|backtest|cases|publish|rollback|history|diff|export`."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dashboard.cli import main
from pipeline.observation import package_rule_texts
from pipeline.observation.published import FolderSource
from pipeline.replay import Case, CaseKind, Gold, Offered, Passage, read_case_dir
from replay_store import Database
from replay_store.replay import keep_cases
from replay_store.rule_drafts import kept_draft, save_draft
from replay_store.rule_store import V0, version_of
from tests.observed import Recorder, emit, order_status

TEXTS = package_rule_texts()
ORDER = "order_status.yaml"
MAPPED = TEXTS | {
    ORDER: TEXTS[ORDER]
    .replace("delivered, cancelled]", "delivered, cancelled, refunding]")
    .replace("    mapping:\n", "    mapping:\n      refunding: {zh: 退款中, en: Refunding}\n")
}
VERSION = version_of(MAPPED)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with two orders that are refunding and one that is shipped."""
    folder = tmp_path_factory.mktemp("shop")
    with Database.open(folder / "shop.duckdb") as database:
        emit(database, folder, [[order_status(s)] for s in ("refunding", "refunding", "shipped")])
    return folder / "shop.duckdb"


@pytest.fixture
def run(shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> "Run":
    """Runs `toolsight rules ...` in a folder with a copy of the store and changed rule files."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TOOLSIGHT_DB", "shop.duckdb")
    shutil.copy(shop, "shop.duckdb")
    write(Path("rules"), MAPPED)
    return Run()


class Run:
    """One command line after the other over one store."""

    def __call__(self, *arguments: str) -> Result:
        return CliRunner().invoke(main, ["rules", *arguments])

    def json(self, *arguments: str) -> object:
        found = self(*arguments, "--json")
        return json.loads(found.stdout)


def write(folder: Path, texts: dict[str, str]) -> None:
    folder.mkdir(exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")


def publish(run: Run, *more: str) -> Result:
    run("cases", "rules", "--note", "refunds started")
    return run(
        *("publish", "rules", "--reason", "refunds", "--by", "Ann"),
        *("--acknowledge", "all", "--approved-by", "Bob", *more),
    )


def test_a_back_test_tells_what_changes_and_fails_on_a_closed_gate(run: Run) -> None:
    found = run("backtest", "rules")

    assert found.exit_code == 1
    assert "changes 2 facts in 2 traces, removes 2 and adds 0 UNKNOWN" in found.stdout
    assert "FAILED   covered" in found.stdout
    assert "waiting  approved" in found.stdout
    assert "Not to be published yet: covered, explained, approved." in found.stdout


def test_what_waits_for_a_person_does_not_fail_a_back_test(run: Run) -> None:
    run("cases", "rules", "--note", "refunds started")

    assert run("backtest", "rules").exit_code == 0


def test_cases_live_beside_the_rules_in_git(run: Run, tmp_path: Path) -> None:
    Path("cases").mkdir()

    made = run.json("cases", "rules", "--note", "why", "--case-dir", "cases")

    [case] = read_case_dir(tmp_path / "cases")
    assert made == {"new": [case.case_id], "updated": []}
    assert case.note == "why"
    assert run("backtest", "rules", "--case-dir", "cases").exit_code == 0


def test_cases_whose_choice_rests_on_a_change_are_named(run: Run) -> None:
    given = (
        Passage("assistant", "{}", "call", "query_order_status"),
        Passage("tool", '{"order_id": "1", "status": "refunding"}', "answer"),
    )
    offered = (Offered("query_order_status"),)
    case = Case("decide", CaseKind.DECISION, input=given, offered=offered, gold=Gold("NO_CALL"))
    with Database.open(Path("shop.duckdb")) as database:
        keep_cases(database, [case])

    told = run("backtest", "rules").stdout
    assert "1 case rests on a changed fact" in told
    assert "  decide  STATUS" in told
    found = run.json("backtest", "rules")
    assert isinstance(found, dict)
    assert found["citing"] == [{"case_id": "decide", "fact_types": ["STATUS"]}]


def test_nothing_is_published_while_a_gate_is_closed(run: Run) -> None:
    found = run("publish", "rules", "--reason", "refunds", "--by", "Ann")

    assert found.exit_code == 1
    assert "Not to be published yet" in found.stdout
    assert run.json("history") == []


def test_a_folder_is_published_with_its_approver_and_taken_back(run: Run) -> None:
    found = publish(run, "--to", "agents")
    assert found.exit_code == 0, found.output
    assert "3 recorded observations were read again" in found.stdout
    assert FolderSource(Path("agents")).pointer() == VERSION

    moves = run.json("history")
    assert isinstance(moves, list)
    move = moves[0]
    assert (move["version"], move["moved_by"], move["reason"]) == (VERSION, "Ann", "refunds")
    assert move["backtests"][0]["n_unknown_removed"] == 2
    assert "Bob" in run("history").stdout

    assert run("rollback", "--reason", "not yet", "--by", "Ann").exit_code == 0
    assert run.json("rollback", VERSION[:6], "--reason", "now") == {
        "version": VERSION,
        "n_read": 0,
    }


def test_a_team_of_one_is_said_so_in_the_history(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLSIGHT_TEAM_OF_ONE", "true")
    run("cases", "rules", "--note", "x")

    assert run("publish", "rules", "--reason", "x", "--acknowledge", "all").exit_code == 0
    assert "team of one" in run("history").stdout


def test_a_draft_of_the_page_is_published_from_the_command_line(run: Run) -> None:
    kept = run.json("draft", "rules", "--by", "Cyd")
    assert isinstance(kept, dict)
    draft_id = kept["draft_id"]

    refused = run(
        *("publish", draft_id[:8], "--reason", "x", "--by", "Ann"),
        *("--acknowledge", "all", "--approved-by", "cyd"),
    )
    assert "approval by cyd: they changed this draft" in refused.output
    run("cases", draft_id, "--note", "x")
    done = run(
        *("publish", draft_id[:8], "--reason", "x", "--by", "Cyd"),
        *("--acknowledge", "all", "--approved-by", "Ann"),
    )

    assert done.exit_code == 0, done.output
    with Database.open(Path("shop.duckdb")) as database:
        found = kept_draft(database, draft_id)
    assert found is not None
    assert found.state == "published"


def test_a_change_that_the_draft_does_not_make_cannot_be_meant(run: Run) -> None:
    found = run("backtest", "rules", "--acknowledge", "000000000000")

    assert found.exit_code == 1
    assert "this draft makes no such change: expected all, or one of" in found.output


def test_the_json_of_a_back_test_names_gates_classes_and_cases(run: Run) -> None:
    found = run.json("backtest", "rules", "--acknowledge", "all")

    assert isinstance(found, dict)
    assert found["is_publishable"] is False
    states = {gate["gate"]: gate["state"] for gate in found["gates"]}
    assert (states["explained"], states["covered"]) == ("met", "failed")
    [change] = found["impact"]["classes"]
    assert (change["n_facts"], change["is_acknowledged"]) == (2, True)


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("rules", "in-force", "-      refunding: {zh: 退款中, en: Refunding}"),
        ("v0", "in-force", "v0 and v0 are equal."),
    ],
)
def test_any_two_are_compared(run: Run, old: str, new: str, line: str) -> None:
    assert line in run("diff", old, new).stdout.splitlines()


@pytest.mark.parametrize("named", ["zzzz", "v"])
def test_what_is_not_there_is_said_with_what_is(run: Run, named: str) -> None:
    found = run("diff", named)

    assert found.exit_code == 1
    assert "expected a folder, in-force, an open draft, or one of v0" in found.output


def test_two_drafts_that_begin_alike_are_told_apart(run: Run) -> None:
    ids = ["aaaa0000-0000-0000-0000-000000000000", "aaaa0000-0000-0000-0000-000000000001"]
    with Database.open(Path("shop.duckdb")) as database:
        for draft_id in ids:
            save_draft(database, V0, MAPPED, [], "ann", lambda: 1, draft_id=draft_id)

    assert run("diff", "aaaa").exit_code == 1
    assert run("diff", ids[0]).exit_code == 0


def test_a_version_is_written_as_files(run: Run) -> None:
    assert run("export", "--out", "there").exit_code == 0

    assert {p.name: p.read_text(encoding="utf-8") for p in Path("there").iterdir()} == TEXTS


def test_there_is_no_way_back_from_the_beginning(run: Run) -> None:
    found = run("rollback", "--reason", "x")

    assert found.exit_code == 1
    assert "nothing was published yet" in found.output


DOMAIN = "domain.yaml"


@pytest.mark.parametrize(
    ("file", "text", "problem"),
    [
        (ORDER, "name: [", "line 1, column 8"),
        (ORDER, "name: x\noutput_schema: []\n", "output_schema"),
        (DOMAIN, TEXTS[DOMAIN].replace("from: 0.8", "from: 0.7"), "overlap"),
        (DOMAIN, TEXTS[DOMAIN].replace("/ SAFE_LEVEL", "/ SAFETY"), "SAFETY is no fact type"),
    ],
)
def test_files_that_cannot_be_used_are_refused_by_place(
    run: Run, file: str, text: str, problem: str
) -> None:
    Path("rules", file).write_text(text, encoding="utf-8")

    found = run("publish", "rules", "--reason", "x")

    assert found.exit_code == 1
    assert f"{file}: " in found.output
    assert problem in found.output
    assert run.json("history") == []


def test_a_shadow_run_reads_what_arrives_after_it_began(run: Run, tmp_path: Path) -> None:
    with (
        Database.open(Path("shop.duckdb")) as database,
        database.transaction() as cursor,
    ):
        cursor.execute("update span set received_time_ns = 1")  # they came long ago
    begun = run.json("shadow", "rules", "--by", "Ann")
    assert isinstance(begun, dict)
    assert (begun["version"], begun["author"]) == (VERSION, "Ann")
    assert begun["impact"]["n_observations"] == 0

    with Database.open(Path("shop.duckdb")) as database:
        recorder = Recorder()
        recorder.observe([order_status("refunding", order_id="777")])
        recorder.store(database, tmp_path)

    seen = run.json("shadow")
    assert isinstance(seen, dict)
    assert (seen["impact"]["n_observations"], seen["impact"]["n_facts_changed"]) == (1, 1)
    assert "begun by Ann" in run("shadow").stdout
    assert run("shadow", "--stop").stdout == "No shadow run is under way.\n"
    assert "it is the version in force itself" in run("shadow", "in-force").output
