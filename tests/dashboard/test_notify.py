"""Messages about incidents: told once, tried again, and nothing of an address is ever shown."""

import json
import logging
import warnings
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from click.testing import CliRunner, Result

from dashboard.alerting import Look, Told
from dashboard.cli import main
from dashboard.cli.stores import served_store
from dashboard.errors import SettingsError
from dashboard.notify import Channel, Message, announce, channels
from dashboard.settings import Settings
from metrics import Unit
from metrics.alerts import Alert, AlertKey, Cause, Evaluation, Incident, Severity
from metrics.standouts import Subject, SubjectKind
from replay_store import Database
from replay_store.alerts import alert_notices
from replay_store.records import AlertAck

with warnings.catch_warnings():
    # A library that Apprise imports announces its own deprecations.
    warnings.simplefilter("ignore", DeprecationWarning)
    import apprise

    apprise.Apprise.instantiate("json://localhost")  # its plugins are imported only now

UTC = ZoneInfo("UTC")
SECRET = "T0KENS3CRET"  # noqa: S105 - stands for one
HOUR = 3_600 * 10**9


class Phone:
    """A target that takes what it is given, or refuses the first so many."""

    def __init__(self, n_refused: int = 0) -> None:
        self.n_refused = n_refused
        self.taken: list[dict[str, Any]] = []

    def notify(self, body: str, **given: Any) -> bool:
        if self.n_refused:
            self.n_refused -= 1
            return False
        self.taken.append({"body": body, **given})
        return True


def told(*, cleared: bool = False, acknowledged: bool = False, name: str = "search") -> Told:
    alert = Alert(
        key=AlertKey("retry_rate", Subject(SubjectKind.TOOL, name, name)),
        cause=Cause.ROSE,
        severity=Severity.PAGE,
        since_ns=10 * HOUR,
        fired_ns=12 * HOUR,
        last_ns=12 * HOUR,
        cleared_ns=20 * HOUR if cleared else None,
        n=80,
        value=0.3,
        unit=Unit.RATE,
        baseline=0.1,
        n_baseline=700,
        limit=0.15,
        p_value=1e-6,
    )
    ack = AlertAck("i1", "acknowledge", "Ann", None, 1) if acknowledged else None
    return Told("i1", Incident((alert,)), ("a1",), ack)


def tell(database: Database, item: Told, phone: Phone) -> list[str]:
    pauses: list[float] = []
    notices = announce(
        database,
        Look(Evaluation(None, 0, (), ()), (item,)),
        [Channel("phone:1", phone)],
        clock=lambda: 5,
        sleep=pauses.append,
        zone=UTC,
    )
    return [f"{notice.state} {notice.outcome} {notice.n_tries} {pauses}" for notice in notices]


def test_an_incident_is_told_once_and_its_end_once(empty_store: Database) -> None:
    phone = Phone()
    assert tell(empty_store, told(), phone) == ["firing sent 1 []"]
    assert tell(empty_store, told(), phone) == []
    assert tell(empty_store, told(cleared=True), phone) == ["cleared sent 1 []"]
    assert tell(empty_store, told(cleared=True), phone) == []
    first, second = phone.taken
    assert first["title"] == ("[page] Retry rate of search is 30.0% where 10.0% is usual (n = 80).")
    assert "1970-01-01 10:00" in first["body"]
    assert second["title"].startswith("Over: ")
    assert (first["notify_type"], second["notify_type"]) == ("warning", "success")


def test_nobody_is_told_what_somebody_has_taken_over_or_what_was_over_before(
    empty_store: Database,
) -> None:
    assert tell(empty_store, told(acknowledged=True), Phone()) == []
    assert tell(empty_store, told(cleared=True), Phone()) == []


def test_a_message_is_tried_again_with_growing_pauses(empty_store: Database) -> None:
    assert tell(empty_store, told(), Phone(n_refused=2)) == ["firing sent 3 [1.0, 4.0]"]


def test_what_could_not_be_sent_is_kept_and_tried_at_the_next_look(empty_store: Database) -> None:
    phone = Phone(n_refused=3)
    assert tell(empty_store, told(), phone) == ["firing failed 3 [1.0, 4.0]"]
    assert tell(empty_store, told(), phone) == ["firing sent 1 []"]
    assert [notice.outcome for notice in alert_notices(empty_store)] == ["failed", "sent"]


def test_a_target_that_raises_is_a_failure_and_no_crash() -> None:
    class Broken:
        def notify(self, body: str, **given: Any) -> bool:
            raise ConnectionError(body)

    outcome = Channel("x:1", Broken()).send(Message("t", "b"), lambda _: None)
    assert (outcome.is_sent, outcome.n_tries) == (False, 3)


def test_no_addresses_need_no_library() -> None:
    assert channels([]) == []


def test_a_bad_address_is_named_by_its_place(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(SettingsError, match="address 2 of 2") as error:
        channels(["json://localhost/", f"nonsense-{SECRET}"])
    assert SECRET not in str(error.value) + caplog.text


@pytest.mark.parametrize(
    "address",
    [
        "slack://T1JJ3T3L2/A1BRTD4JD/TIiajkdnlazkcOXrIdevi7FQ/#general",
        "mailto://user:password@example.com",
        "dingtalk://12345678/13800000000",
        "feishu://0123456789abcdef",
        "wecombot://0123456789abcdef",
        "jsons://example.com/hook",
    ],
)
def test_the_channels_that_people_use_are_known_by_kind_and_fingerprint(address: str) -> None:
    (channel,) = channels([address])
    kind, fingerprint = channel.name.split(":")
    assert kind == address.split(":")[0]
    assert len(fingerprint) == 6
    assert channel.name == channels([address])[0].name


class _Hook(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.taken.append(json.loads(body))  # type: ignore[attr-defined]
        self.send_response(500 if "refuse" in self.path else 200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Quiet."""


@pytest.fixture
def hook() -> Iterator[HTTPServer]:
    """A webhook on this machine."""
    server = HTTPServer(("127.0.0.1", 0), _Hook)
    server.taken = []  # type: ignore[attr-defined]
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def notify(
    empty_store: Database, hook: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Result]:
    """Runs `toolsight notify` with one webhook, whose path holds a secret."""
    monkeypatch.setattr("dashboard.cli.notify.time.sleep", lambda _: None)

    def run(*arguments: str, path: str = "hook") -> Result:
        address = f"json://127.0.0.1:{hook.server_port}/{path}/{SECRET}"
        settings = Settings.model_validate({"notify": [address]})
        assert SECRET not in repr(settings) + settings.model_dump_json()
        with served_store(empty_store, settings):
            return CliRunner().invoke(main, ["notify", *arguments])

    return run


def test_a_test_message_arrives(notify: Callable[..., Result], hook: HTTPServer) -> None:
    result = notify("test")
    assert result.exit_code == 0
    assert "sent" in result.output
    (body,) = hook.taken  # type: ignore[attr-defined]
    assert body["title"] == "Toolsight: a test"


def test_a_refused_message_fails_without_a_word_of_the_address(
    notify: Callable[..., Result], hook: HTTPServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    result = notify("test", path="refuse")
    assert result.exit_code == 1
    assert len(hook.taken) == 3  # type: ignore[attr-defined]
    assert "failed" in result.output
    assert SECRET not in result.output + caplog.text


def test_nothing_new_is_told_of_an_empty_store(notify: Callable[..., Result]) -> None:
    result = notify("send")
    assert (result.exit_code, result.output) == (0, "Nothing new to tell.\n")


def test_without_channels_it_says_how_to_set_them(empty_store: Database) -> None:
    with served_store(empty_store, Settings()):
        result = CliRunner().invoke(main, ["notify", "test"])
    assert result.exit_code == 1
    assert "TOOLSIGHT_NOTIFY" in result.output
