"""Published rules: folders and servers, verified content, and a swap that is whole or not at all."""

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from pipeline.observation import (
    CodeParser,
    Context,
    Reading,
    RuleFileError,
    RuleSourceError,
    ToolOutput,
    load_rules,
    package_rule_texts,
    package_rules,
    parse,
)
from pipeline.observation.published import (
    MAX_BYTES,
    FolderSource,
    HttpSource,
    PackageSource,
    RuleSource,
)
from pipeline.observation.publishing import point_to, publish, put_in_shadow
from pipeline.observation.reading import unparsed
from pipeline.observation.rules.check import load_parser, pin_problems, source_sha256
from pipeline.observation.watch import Golden, RuleWatcher, WatchState

TEXTS = package_rule_texts()
ORDER = ToolOutput("order_api", None, None, {"order_id": "1", "status": "shipped"})
GOLDEN = [Golden(ORDER, frozenset({("STATUS", "FACT")}))]


def _texts(words: str) -> dict[str, str]:
    return TEXTS | {"order_status.yaml": TEXTS["order_status.yaml"].replace("已发货", words)}


def _words(watcher: RuleWatcher) -> str:
    return dict(parse(ORDER, watcher.rules, Context())[0].words)["zh"]


def _in_shadow(watcher: RuleWatcher) -> str | None:
    return None if watcher.shadow is None else watcher.shadow.version


class _Handler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "published"


@pytest.fixture
def url(folder: Path) -> Iterator[str]:
    """The folder behind a web server on this machine."""
    folder.mkdir()
    handler = partial(_Handler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def _source(kind: str, folder: Path, url: str) -> RuleSource:
    return FolderSource(folder) if kind == "folder" else HttpSource(url)


KINDS = pytest.mark.parametrize("kind", ["folder", "http"])


@KINDS
def test_a_published_version_is_read_as_it_was_written(kind: str, folder: Path, url: str) -> None:
    version = publish(folder, _texts("运输中"))
    source = _source(kind, folder, url)

    rules = source.rules(source.pointer())

    assert source.pointer() == version
    assert (len(version), rules.version) == (64, version[:12])
    assert rules.sha256 == load_rules(_texts("运输中")).sha256


@KINDS
def test_the_packages_own_texts_are_version_0(kind: str, folder: Path, url: str) -> None:
    assert publish(folder, TEXTS) == "v0"
    source = _source(kind, folder, url)

    assert source.rules(source.pointer()) is package_rules()
    assert PackageSource().rules(PackageSource().pointer()) is package_rules()
    with pytest.raises(RuleSourceError, match="expected v0"):
        PackageSource().rules("1")


def test_versions_stay_when_the_pointer_moves_on_and_back(folder: Path) -> None:
    first, second = publish(folder, _texts("一")), publish(folder, _texts("二"))
    source = FolderSource(folder)

    point_to(folder, first)

    assert source.pointer() == first
    assert source.rules(second).version == second[:12]
    assert publish(folder, _texts("二")) == second
    assert [path.name for path in folder.rglob(".*")] == []


def test_what_cannot_be_used_is_never_published(folder: Path) -> None:
    version = publish(folder, _texts("一"))

    with pytest.raises(RuleFileError):
        publish(folder, {"bad.yaml": "name: t"})
    with pytest.raises(RuleSourceError, match="expected a published version"):
        point_to(folder, "0" * 64)

    assert FolderSource(folder).pointer() == version


@KINDS
@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (b"{}", "its content is"),
        (b"[", "its content is"),
        (b" " * (MAX_BYTES + 1), "larger than"),
    ],
)
def test_content_that_is_not_what_its_name_says_is_refused(
    kind: str, folder: Path, url: str, body: bytes, problem: str
) -> None:
    version = publish(folder, _texts("一"))
    (folder / "versions" / f"{version}.json").write_bytes(body)

    with pytest.raises(RuleSourceError, match=problem):
        _source(kind, folder, url).rules(version)


@KINDS
@pytest.mark.parametrize(
    "pointer", ["", "[]", "{}", '{"version": 1}', '{"version": "../../etc/passwd"}', "[" * 100_000]
)
def test_a_pointer_that_means_nothing_is_refused(
    kind: str, folder: Path, url: str, pointer: str
) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "pointer.json").write_text(pointer)

    with pytest.raises(RuleSourceError, match="expected"):
        _source(kind, folder, url).pointer()


@KINDS
def test_a_source_that_is_not_there_says_what_to_do(
    kind: str, folder: Path, url: str, tmp_path: Path
) -> None:
    source = FolderSource(tmp_path / "none") if kind == "folder" else HttpSource(f"{url}/none", 1)

    with pytest.raises(RuleSourceError, match=r"pointer\.json: .*: expected a published version; "):
        source.pointer()


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://x/y", "x", "http://"])
def test_only_web_addresses_are_asked(url: str) -> None:
    with pytest.raises(RuleSourceError, match="http"):
        HttpSource(url)


def test_a_password_in_an_address_is_in_no_message() -> None:
    source = HttpSource("http://user:secret@127.0.0.1:1/rules", timeout_seconds=1)

    with pytest.raises(RuleSourceError) as caught:
        source.pointer()

    assert "secret" not in str(caught.value)


@KINDS
def test_a_watcher_follows_the_pointer_and_says_which_version_it_has(
    kind: str, folder: Path, url: str
) -> None:
    first = publish(folder, _texts("一"))
    watcher = RuleWatcher(_source(kind, folder, url), GOLDEN)
    assert (_words(watcher), watcher.state.version, watcher.look()) == ("一", first[:12], False)

    second = publish(folder, _texts("二"))

    assert watcher.look() is True
    assert (_words(watcher), watcher.state.pointer, watcher.state.n_swaps) == ("二", second, 1)
    assert watcher.state.problem is None


def _without_status() -> dict[str, str]:
    text = TEXTS["order_status.yaml"].replace("fact_type: LATEST_EVENT", "fact_type: STATUS")
    return TEXTS | {
        "order_status.yaml": text.replace("values: [pending, shipped,", "values: [pending,")
        .replace("      shipped: {zh: 已发货, en: Shipped}\n", "")
        .replace("delivered, cancelled]", "delivered, cancelled]")
    }


def test_a_version_that_fails_a_golden_answer_is_never_put_in_force(folder: Path) -> None:
    first = publish(folder, _texts("一"))
    watcher = RuleWatcher(FolderSource(folder), GOLDEN)
    bad = publish(folder, _without_status())

    assert watcher.look() is False

    state = watcher.state
    assert (state.pointer, state.refused, _words(watcher)) == (first, bad, "一")
    assert state.problem is not None
    assert "the golden answer of order_api gives no STATUS FACT" in state.problem
    point_to(folder, first)
    assert watcher.look() is False
    assert (watcher.state.problem, watcher.state.refused) == (None, None)


def _code_inside(raw: Any, reading: Reading, context: Context) -> Reading:
    return replace(reading, value=raw["x"])


def test_a_version_whose_hooks_fail_is_never_put_in_force(folder: Path) -> None:
    publish(folder, TEXTS)
    broken = CodeParser("order_status_api", "1", {"status": _code_inside})

    with pytest.raises(RuleSourceError, match="its hook failed"):
        RuleWatcher(FolderSource(folder), parsers=[broken])


def test_hooks_stay_when_the_dictionary_is_swapped(folder: Path) -> None:
    publish(folder, TEXTS)
    parser = CodeParser("order_status_api", "9", {"status": lambda *a: unparsed("mine")})
    watcher = RuleWatcher(FolderSource(folder), parsers=[parser])

    publish(folder, _texts("二"))

    assert watcher.look()
    assert parse(ORDER, watcher.rules, Context())[0].reason == "mine"


HOOKS = """
from typing import Final
from pipeline.observation import CodeParser, Context, Reading
from pipeline.observation.reading import unparsed

def read_status(raw: object, reading: Reading, context: Context) -> Reading:
    return unparsed("mine")

PARSER: Final = CodeParser("order_status_api", "2", {"status": read_status})
"""


def _pinned(sha256: str, version: str = "2") -> dict[str, str]:
    pin = f'\nparser: {{version: "{version}", sha256: {sha256}}}\n'
    return TEXTS | {"order_status.yaml": TEXTS["order_status.yaml"] + pin}


def test_a_version_that_pins_code_is_read_by_that_code_only(folder: Path) -> None:
    parser = load_parser("order_status_parser.py", HOOKS)
    publish(folder, _pinned(source_sha256(HOOKS)))

    watcher = RuleWatcher(FolderSource(folder), parsers=[parser])

    assert parse(ORDER, watcher.rules, Context())[0].reason == "mine"
    assert parse(ORDER, watcher.rules, Context())[0].parser_version == "order_status_api@2"


@pytest.mark.parametrize(
    ("pin", "parsers", "problem"),
    [
        (_pinned(source_sha256(HOOKS)), (), "no code for it is here"),
        (_pinned(source_sha256(HOOKS + " ")), (HOOKS,), "here is order_status_api@2 with sha256"),
        (_pinned(source_sha256(HOOKS), "3"), (HOOKS,), "allowed: order_status_api@3 with sha256"),
    ],
)
def test_a_version_that_pins_other_code_is_refused_and_never_half_read(
    folder: Path, pin: dict[str, str], parsers: tuple[str, ...], problem: str
) -> None:
    first = publish(folder, _texts("一"))
    loaded = [load_parser("order_status_parser.py", source) for source in parsers]
    watcher = RuleWatcher(FolderSource(folder), parsers=loaded)
    version = publish(folder, pin)

    assert watcher.look() is False
    assert (watcher.state.pointer, watcher.state.refused) == (first, version)
    assert problem in str(watcher.state.problem)
    (fragment,) = parse(ORDER, load_rules(pin).with_parsers(*loaded), Context())
    assert (fragment.kind, fragment.reason) == ("UNPARSED", "parser_missing")


def test_code_without_a_known_hash_is_not_the_code_that_is_pinned() -> None:
    parser = replace(load_parser("order_status_parser.py", HOOKS), sha256=None)
    rules = load_rules(_pinned(source_sha256(HOOKS))).with_parsers(parser)

    assert [error.path for error in pin_problems(rules)] == ["parser"]
    assert pin_problems(rules.unpinned()) == ()


def test_content_changed_on_the_way_leaves_the_old_rules_in_force(folder: Path) -> None:
    publish(folder, _texts("一"))
    watcher = RuleWatcher(FolderSource(folder))
    version = publish(folder, _texts("二"))
    path = folder / "versions" / f"{version}.json"
    whole = path.read_bytes()

    path.write_bytes(whole[:-10])
    assert watcher.look() is False
    assert (_words(watcher), watcher.state.refused) == ("一", version)
    (folder / "pointer.json").unlink()
    assert watcher.look() is False
    assert "pointer.json" in str(watcher.state.problem)

    path.write_bytes(whole)
    point_to(folder, version)
    assert watcher.look() is True
    assert _words(watcher) == "二"


def test_an_observation_under_way_keeps_its_version(folder: Path) -> None:
    publish(folder, _texts("一"))
    watcher = RuleWatcher(FolderSource(folder))
    pinned = watcher.rules
    publish(folder, _texts("二"))
    watcher.look()

    assert dict(parse(ORDER, pinned, Context())[0].words)["zh"] == "一"


def test_readers_see_one_version_or_the_other_and_never_a_mixture(folder: Path) -> None:
    first, second = publish(folder, _texts("一")), publish(folder, _texts("二"))
    watcher = RuleWatcher(FolderSource(folder))
    pairs: set[tuple[str, str]] = set()
    stop, seen = threading.Event(), threading.Semaphore(0)

    def read() -> None:
        while not stop.is_set():
            state = watcher.state
            words = dict(parse(ORDER, state.rules, Context())[0].words)["zh"]
            pairs.add((state.pointer, words))
            seen.release()

    reader = threading.Thread(target=read)
    reader.start()
    for number in range(8):
        point_to(folder, first if number % 2 else second)
        watcher.look()
        seen.acquire()
    stop.set()
    reader.join()

    assert pairs <= {(first, "一"), (second, "二")}


def test_watching_looks_again_until_it_is_told_to_stop(folder: Path) -> None:
    publish(folder, _texts("一"))
    stop, swapped = threading.Event(), threading.Event()

    def told(state: WatchState) -> None:
        if state.n_swaps:
            swapped.set()

    watcher = RuleWatcher(FolderSource(folder), on_look=told)
    thread = threading.Thread(target=watcher.watch, args=(0.01, stop))
    thread.start()
    publish(folder, _texts("二"))

    assert swapped.wait(30)
    stop.set()
    thread.join(30)
    assert not thread.is_alive()
    assert _words(watcher) == "二"
    assert watcher.state.n_looks >= 1


def test_a_version_file_is_json_that_anybody_can_read(folder: Path) -> None:
    version = publish(folder, _texts("一"))

    assert json.loads((folder / "versions" / f"{version}.json").read_bytes()) == _texts("一")


@KINDS
def test_a_version_reads_in_the_shadow_until_it_is_taken_away(
    kind: str, folder: Path, url: str
) -> None:
    first = publish(folder, _texts("一"))
    watcher = RuleWatcher(_source(kind, folder, url), GOLDEN)
    assert _in_shadow(watcher) is None

    second = put_in_shadow(folder, _texts("二"))
    assert watcher.look() is False, "no swap"
    assert (watcher.state.pointer, _in_shadow(watcher)) == (first, (second or "")[:12])
    kept = watcher.shadow
    watcher.look()
    assert watcher.shadow is kept, "loaded once"

    assert put_in_shadow(folder, None) is None
    watcher.look()
    assert _in_shadow(watcher) is None


def test_a_shadow_that_is_put_in_force_is_none_any_more(folder: Path) -> None:
    publish(folder, _texts("一"))
    put_in_shadow(folder, _texts("二"))
    watcher = RuleWatcher(FolderSource(folder))
    assert _in_shadow(watcher) is not None

    second = publish(folder, _texts("二"))
    assert watcher.look() is True

    assert (_in_shadow(watcher), watcher.state.pointer) == (None, second)


def test_a_shadow_that_does_not_pass_says_why_and_disturbs_nobody(folder: Path) -> None:
    version = publish(folder, _texts("一"))
    (folder / "pointer.json").write_text(json.dumps({"version": version, "shadow": "f" * 64}))

    watcher = RuleWatcher(FolderSource(folder), GOLDEN)

    assert watcher.shadow is None
    assert watcher.state.shadow_problem is not None
    assert "f" * 64 in watcher.state.shadow_problem
    assert (watcher.state.pointer, watcher.state.problem) == (version, None)


def test_a_shadow_stays_while_a_version_is_refused(folder: Path) -> None:
    publish(folder, _texts("一"))
    put_in_shadow(folder, _texts("二"))
    watcher = RuleWatcher(FolderSource(folder), GOLDEN)
    shadow = put_in_shadow(folder, _texts("二"))
    said = {"version": "e" * 64, "shadow": shadow}
    (folder / "pointer.json").write_text(json.dumps(said))

    watcher.look()

    assert watcher.state.refused == "e" * 64
    assert watcher.shadow is not None


def test_nothing_is_in_the_shadow_of_nothing(folder: Path) -> None:
    with pytest.raises(RuleSourceError):
        put_in_shadow(folder, _texts("一"))
    assert not folder.exists()
