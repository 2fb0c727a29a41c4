"""Dictionaries over HTTP: an agent in another process follows what is published here."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware

from dashboard.serving.login import Login
from dashboard.serving.rules_route import RulesRoute
from pipeline.observation import RuleSourceError, map_value, package_rule_texts, package_rules
from pipeline.observation.published import HttpSource, Told
from pipeline.observation.watch import RuleWatcher
from replay_store import Database
from replay_store.rule_shadows import start_shadow, stop_shadow
from replay_store.rule_store import V0, publish, roll_back
from replay_store.rule_workers import rule_workers
from tests.serving import ROOT, ask
from tests.stores import memory_store

TOKEN = "a token of some length"  # noqa: S105
TEXTS = package_rule_texts()
FOLLOWER = """
import sys, threading
from pipeline.observation import Context, ToolOutput, parse
from pipeline.observation.published import HttpSource, Told
from pipeline.observation.watch import RuleWatcher
from pipeline.observation.watch import RuleWatcher

def told(state):
    print(state.version, words(), state.problem, flush=True)

def words():
    order = ToolOutput("order_api", None, None, {"order_id": "1", "status": "refunding"})
    return parse(order, watcher.rules, Context())[0].text

watcher = RuleWatcher(HttpSource(sys.argv[1], token=sys.argv[2]))
told(watcher.state)
while sys.stdin.readline():
    watcher.look()
    told(watcher.state)
"""


def _texts(words: str) -> dict[str, str]:
    file = "order_status.yaml"
    return TEXTS | {file: map_value(file, TEXTS[file], "status", "refunding", {"zh": words})}


def _publish(database: Database, base: str, words: str) -> str:
    return publish(database, base, _texts(words), "ann", "a new value", time.time_ns)


@pytest.fixture
def database() -> Iterator[Database]:
    with memory_store() as opened:
        yield opened


@contextmanager
def _serving(database: Database, token: str | None = None) -> Iterator[str]:
    """The routes on a real port, behind the login of a server that others can reach."""
    guards = [Middleware(Login, token=token, own_paths=frozenset())] if token else []
    app = Starlette(routes=RulesRoute(database).routes(), middleware=guards)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/rules/default"
    finally:
        server.should_exit = True
        thread.join(30)


def test_a_source_reads_what_is_published_here(database: Database) -> None:
    with _serving(database) as url:
        source = HttpSource(url)
        assert source.pointer() == V0
        assert source.rules(V0) is package_rules()

        version = _publish(database, V0, "退款中")

        assert source.pointer() == version
        assert source.rules(version).version == version[:12]
        roll_back(database, V0, "ann", "too early", time.time_ns)
        assert source.pointer() == V0
        assert source.rules(version).version == version[:12]


def test_an_agent_in_another_process_swaps_when_a_version_is_published(database: Database) -> None:
    first = _publish(database, V0, "退款中")
    with _serving(database, TOKEN) as url:
        agent = subprocess.Popen(
            [sys.executable, "-P", "-c", FOLLOWER, url, TOKEN],
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        assert agent.stdin is not None
        assert agent.stdout is not None
        try:
            said = [agent.stdout.readline()]
            second = _publish(database, first, "退款处理中")
            agent.stdin.write("look\n")
            agent.stdin.flush()
            said.append(agent.stdout.readline())
        finally:
            agent.kill()
            agent.communicate()

    assert said == [f"{first[:12]} 退款中 None\n", f"{second[:12]} 退款处理中 None\n"]


@pytest.mark.parametrize("token", [None, "another token than that one"])
def test_without_the_token_nothing_is_told(database: Database, token: str | None) -> None:
    with _serving(database, TOKEN) as url, pytest.raises(RuleSourceError, match="give its token"):
        HttpSource(url, token=token).pointer()


@pytest.mark.parametrize(
    "path",
    [
        "/rules/other/pointer.json",
        "/rules/default/versions/v0.json",
        f"/rules/default/versions/{'0' * 64}.json",
        "/rules/default/versions/..%2f..%2fetc%2fpasswd.json",
        "/rules/default/",
    ],
)
def test_what_is_not_published_is_not_found(database: Database, path: str) -> None:
    with _serving(database) as url:
        answer = ask(int(url.split(":")[2].split("/")[0]), "GET", path)

    assert answer.status == 404
    assert b"Traceback" not in answer.body


def test_versions_may_be_kept_and_the_pointer_may_not(database: Database) -> None:
    version = _publish(database, V0, "退款中")
    with _serving(database) as url:
        port = int(url.split(":")[2].split("/")[0])
        pointer = ask(port, "GET", "/rules/default/pointer.json")
        whole = ask(port, "GET", f"/rules/default/versions/{version}.json")

    assert pointer.headers["cache-control"] == "no-store"
    assert "immutable" in whole.headers["cache-control"]
    assert whole.headers["content-type"] == "application/json"


def test_an_agent_tells_what_it_reads_with_and_what_it_refused(database: Database) -> None:
    with _serving(database) as url:
        watcher = RuleWatcher(HttpSource(url, worker="agent-1"))
        watcher.look()
        assert [(w.worker, w.version) for w in rule_workers(database, 0)] == [("agent-1", V0)]

        version = _publish(database, V0, "退款中")
        watcher.look()
        watcher.look()
        assert [w.version for w in rule_workers(database, 0)] == [version]

        broken = "parser: {version: order_status_api@1, sha256: '" + "0" * 64 + "'}\n"
        texts = TEXTS | {"order_status.yaml": TEXTS["order_status.yaml"] + broken}
        refused = publish(database, version, texts, "ann", "needs code", time.time_ns)
        watcher.look()
        watcher.look()

    [told] = rule_workers(database, 0)
    assert (told.version, told.refused_version) == (version, refused)
    assert told.problem is not None
    assert "no code for it is here" in told.problem


@pytest.mark.parametrize(
    ("worker", "expected"),
    [("", []), ("a b/智能体", ["a b/智能体"]), ("x" * 1_000, ["x" * 300])],
)
def test_a_name_is_what_the_agent_chose_and_no_longer(
    database: Database, worker: str, expected: list[str]
) -> None:
    with _serving(database) as url:
        HttpSource(url, worker=worker).pointer(Told(V0))

    assert [told.worker for told in rule_workers(database, 0)] == expected


def test_an_agent_reads_a_draft_in_the_shadow_of_what_is_in_force(database: Database) -> None:
    version = _publish(database, V0, "退款中")
    with _serving(database) as url:
        watcher = RuleWatcher(HttpSource(url, worker=""))
        seen = [_in_shadow(watcher)]

        draft = start_shadow(database, version, _texts("正在退款"), "ann", time.time_ns)
        watcher.look()
        seen.append(_in_shadow(watcher))
        assert watcher.state.pointer == version

        stop_shadow(database, "ann", time.time_ns)
        watcher.look()
        seen.append(_in_shadow(watcher))

    assert seen == [None, draft.version[:12], None]


def _in_shadow(watcher: RuleWatcher) -> str | None:
    return None if watcher.shadow is None else watcher.shadow.version
