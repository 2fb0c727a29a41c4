"""The parts of the server that need no running one."""

import os
import signal
import socket
import sys
import threading
from pathlib import Path

import pytest

from dashboard.errors import HostRefusedError, PortInUseError
from dashboard.runtime import Loading, LoadingState
from dashboard.serving import server
from dashboard.settings import Settings
from pipeline.errors import ToolsightError
from replay_store.database import Database
from tests.stores import memory_store


@pytest.mark.parametrize(
    ("host", "port", "expected"),
    [
        ("127.0.0.1", 8501, "http://127.0.0.1:8501"),
        ("localhost", 1, "http://localhost:1"),
        ("::1", 8501, "http://[::1]:8501"),
        ("[::1]", 8501, "http://[::1]:8501"),
    ],
)
def test_the_address_is_one_a_browser_takes(host: str, port: int, expected: str) -> None:
    assert server.url(host, port) == expected


def test_a_server_that_others_reach_never_opens_the_store(tmp_path: Path) -> None:
    with pytest.raises(HostRefusedError, match=r"192\.168\.1\.5"):
        server.serve(Settings(db=tmp_path / "x.duckdb", host="192.168.1.5"))

    assert list(tmp_path.iterdir()) == []


def test_a_free_port_is_listened_on_and_given_back() -> None:
    with server._listen("127.0.0.1", 0, "--port") as listener:
        address = listener.getsockname()
        with socket.create_connection(address, timeout=5):
            pass

    with pytest.raises(ConnectionRefusedError), socket.create_connection(address, timeout=5):
        pass


def test_a_taken_port_is_named_with_what_to_do() -> None:
    with server._listen("127.0.0.1", 0, "--port") as listener:
        port = listener.getsockname()[1]

        with (
            pytest.raises(PortInUseError, match=rf"^--port {port}: .*--port \(0"),
            server._listen("127.0.0.1", port, "--port"),
        ):
            pass


def test_neither_the_current_folder_nor_the_scripts_may_shadow(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    script = tmp_path / "toolsight"
    script.touch()
    monkeypatch.setattr(sys, "argv", [str(script)])
    monkeypatch.setattr(sys, "path", ["", str(tmp_path), "/lib"])

    server._clean_sys_path()

    assert sys.path == ["/lib"]


def test_without_a_script_the_folder_of_the_packages_stays(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["-c"])
    monkeypatch.setattr(sys, "path", ["", str(tmp_path)])

    server._clean_sys_path()

    assert sys.path == [str(tmp_path)]


def test_sigterm_leaves_through_every_finally() -> None:
    before = signal.getsignal(signal.SIGTERM)

    with pytest.raises(SystemExit) as raised, server._exit_on_sigterm():
        os.kill(os.getpid(), signal.SIGTERM)

    assert raised.value.code == 0
    assert signal.getsignal(signal.SIGTERM) is before


def test_ctrl_c_is_a_way_to_stop_and_no_failure() -> None:
    with server._exit_on_sigterm():
        raise KeyboardInterrupt


def test_a_server_in_a_thread_leaves_signals_alone() -> None:
    before = signal.getsignal(signal.SIGTERM)
    seen: list[object] = []

    def run() -> None:
        with server._exit_on_sigterm():
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()

    assert seen == [before]


def _fails(_database: Database, _loading: Loading) -> None:
    raise ToolsightError("the disk is full")


def _reports(_database: Database, loading: Loading) -> None:
    loading.report(0.5, "a.jsonl")


@pytest.mark.parametrize(
    ("loader", "is_cancelled", "expected"),
    [
        (_reports, False, LoadingState(1.0, "a.jsonl", is_finished=True)),
        (_reports, True, LoadingState()),
        (_fails, False, LoadingState(is_finished=True, error="the disk is full")),
    ],
)
def test_a_load_ends_in_a_state_that_pages_can_show(
    loader: server.Loader, is_cancelled: bool, expected: LoadingState
) -> None:
    loading = Loading()
    if is_cancelled:
        loading.cancel()

    with memory_store() as database:
        server._load(loader, database, loading)

    assert loading.state == expected


def test_a_defect_ends_the_load_too_and_is_not_hidden() -> None:
    def breaks(_database: Database, _loading: Loading) -> None:
        raise ZeroDivisionError

    loading = Loading()
    with memory_store() as database, pytest.raises(ZeroDivisionError):
        server._load(breaks, database, loading)

    assert loading.state.is_finished
    assert loading.state.error is not None
