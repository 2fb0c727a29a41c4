"""The file has one owner, opens after a crash, and says in a sentence what is wrong."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from replay_store import Database, MigrationError, StoreBusyError, StoreUnreadableError
from replay_store.migrate import migrations


def test_a_store_is_created_with_its_folder_and_opens_again(tmp_path: Path) -> None:
    path = tmp_path / "a" / "store.duckdb"
    with Database.open(path) as database:
        assert database.row("select count(*) as n from span") == {"n": 0}
    with Database.open(path) as database:
        assert database.row("select count(*) as n from migration") == {"n": len(migrations())}


def test_a_file_in_use_names_the_owner(tmp_path: Path) -> None:
    path = tmp_path / "store.duckdb"
    hold = (
        "import sys; from pathlib import Path; from replay_store import Database; "
        "held = Database.open(Path(sys.argv[1])); print('open', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", hold, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == b"open\n"
        with pytest.raises(StoreBusyError, match=f"process {owner.pid} .*--db"):
            Database.open(path)
        owner.communicate()


def test_a_file_that_is_no_store_is_refused_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("not a database, but long enough to look like one. " * 200)
    with pytest.raises(StoreUnreadableError, match=r"notes\.txt: not a Toolsight store"):
        Database.open(path)


def test_a_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StoreUnreadableError, match=r"its folder cannot be made .*--db"):
        Database.open(tmp_path / "file" / "store.duckdb")


def test_a_changed_migration_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "store.duckdb"
    with Database.open(path) as database, database.transaction() as cursor:
        cursor.execute("update migration set sha256 = 'x' where name like '0002%'")
    with pytest.raises(MigrationError, match=r"0002_mapped\.sql: changed"):
        Database.open(path)


def test_a_store_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "store.duckdb"
    with Database.open(path) as database, database.transaction() as cursor:
        cursor.execute("insert into migration values ('9999_future.sql', 'x', 0)")
    with pytest.raises(MigrationError, match=r"9999_future\.sql.*newer"):
        Database.open(path)


def test_a_failed_transaction_leaves_nothing(tmp_path: Path) -> None:
    def fail(database: Database) -> None:
        with database.transaction() as cursor:
            cursor.execute("insert into dirty_trace values (uuid(), 0, 0)")
            raise RuntimeError

    with Database.open() as database:
        with pytest.raises(RuntimeError):
            fail(database)
        assert database.rows("from dirty_trace") == []


def test_readers_on_many_threads_each_get_their_own_answer() -> None:
    wrong: list[int] = []
    with Database.open() as database:

        def read(number: int) -> None:
            for _ in range(50):
                row = database.row("select $n::integer as n", {"n": number})
                if row != {"n": number}:
                    wrong.append(number)

        threads = [threading.Thread(target=read, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []


def test_closing_twice_does_nothing() -> None:
    database = Database.open()
    database.close()
    database.close()


def test_a_known_row_is_asked_anew_after_a_commit_only() -> None:
    with Database.open() as database:
        question = "select count(*) as n, uuid() as asked from dirty_trace"
        first = database.known_row(question)
        assert database.known_row(question) == first
        with database.transaction() as cursor:
            cursor.execute("insert into dirty_trace values (uuid(), 0, 0)")
        later = database.known_row(question)
        assert later is not None
        assert later["n"] == 1
