"""Streamlit's files out of memory: the same bytes, compressed for whoever takes that."""

import asyncio
import gzip
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from streamlit import file_util

from dashboard.menu import PAGES
from dashboard.serving.preload import (
    EVERY_PAGE,
    ON_PAGE,
    Start,
    preloading_page,
    preloading_pages,
    scripts_of,
)
from dashboard.serving.static_copies import StaticCopies, accepts_gzip
from dashboard.serving.visits import Visits

SCRIPT = "/static/js/index.AbCd_1-2.js"
FONT = "/static/media/Sans.ttf.AbCd_1-2.woff2"
FOREVER = "public, immutable, max-age=31536000"
BROWSER = {"accept-encoding": "gzip, deflate, br, zstd"}
STREAMLIT = Path(file_util.get_static_dir())


@dataclass
class Answer:
    """What was sent, and whether Streamlit sent it."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def is_streamlits(self) -> bool:
        return self.headers.get("by") == "streamlit"


@pytest.fixture
def static(tmp_path: Path) -> Path:
    """A folder as Streamlit's: a script, a font, a file without a hash, and a page."""
    for path, content in {
        SCRIPT: b"export const one = 1;\n" * 500,
        FONT: bytes(range(256)) * 8,
        "/static/js/plain.js": b"1",
    }.items():
        file = tmp_path / path.removeprefix("/")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    return tmp_path


async def _streamlit(_scope: Any, _receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"by", b"streamlit")]})
    await send({"type": "http.response.body", "body": b"whole"})


def _ask(
    app: StaticCopies, path: str, method: str = "GET", headers: Mapping[str, str] = BROWSER
) -> Answer:
    return _ask_often(app, (path, method, headers))[0]


def _ask_often(app: StaticCopies, *requests: tuple[str, str, Mapping[str, str]]) -> list[Answer]:
    async def ask(path: str, method: str, headers: Mapping[str, str]) -> Answer:
        answer = Answer()

        async def receive() -> Any:
            raise AssertionError("nothing is read")

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                answer.status = message["status"]
                answer.headers = {k.decode(): v.decode() for k, v in message["headers"]}
            else:
                answer.body += message["body"]

        raw = [(name.encode(), value.encode()) for name, value in headers.items()]
        scope = {"type": "http", "method": method, "path": path, "headers": raw}
        await app(scope, receive, send)
        return answer

    async def run() -> list[Answer]:
        return await asyncio.gather(*(ask(*request) for request in requests))

    return asyncio.run(run())


def test_a_script_comes_compressed_and_is_the_same_bytes(static: Path) -> None:
    answer = _ask(StaticCopies(_streamlit, static, {}), SCRIPT)

    assert gzip.decompress(answer.body) == (static / SCRIPT[1:]).read_bytes()
    assert answer.headers["content-encoding"] == "gzip"
    assert answer.headers["content-length"] == str(len(answer.body))
    assert answer.headers["content-type"] == "application/javascript"
    assert answer.headers["cache-control"] == FOREVER
    assert answer.headers["vary"] == "Accept-Encoding"


def test_a_font_is_compressed_in_itself_and_comes_as_it_is(static: Path) -> None:
    app = StaticCopies(_streamlit, static, {})

    for headers in (BROWSER, {}):
        answer = _ask(app, FONT, headers=headers)
        assert answer.body == (static / FONT[1:]).read_bytes()
        assert "content-encoding" not in answer.headers
        assert answer.headers["content-type"] == "font/woff2"


@pytest.mark.parametrize("headers", [{}, {"accept-encoding": "identity"}])
def test_who_takes_no_gzip_gets_streamlits_answer_marked_as_one_of_two(
    static: Path, headers: dict[str, str]
) -> None:
    answer = _ask(StaticCopies(_streamlit, static, {}), SCRIPT, headers=headers)

    assert answer.is_streamlits
    assert answer.headers["vary"] == "Accept-Encoding"


@pytest.mark.parametrize(
    ("path", "method", "headers"),
    [
        (SCRIPT, "GET", BROWSER | {"range": "bytes=0-9"}),
        (SCRIPT, "POST", BROWSER),
        ("/static/js/plain.js", "GET", BROWSER),
        ("/static/js/nothere.AbCd_1-2.js", "GET", BROWSER),
        ("/static/js/../js/index.AbCd_1-2.js", "GET", BROWSER),
        ("/trace", "GET", BROWSER),
    ],
)
def test_everything_else_is_streamlits(
    static: Path, path: str, method: str, headers: dict[str, str]
) -> None:
    assert _ask(StaticCopies(_streamlit, static, {}), path, method, headers).is_streamlits


def test_a_websocket_is_passed_on(static: Path) -> None:
    passed: list[str] = []

    async def take(scope: Any, _receive: Any, _send: Any) -> None:
        passed.append(scope["type"])

    async def receive() -> Any:
        raise AssertionError("nothing is read")

    async def send(_message: Any) -> None:
        raise AssertionError("it is not answered here")

    asyncio.run(StaticCopies(take, static, {})({"type": "websocket"}, receive, send))
    assert passed == ["websocket"]


def test_head_says_of_a_script_what_get_says_without_the_script(static: Path) -> None:
    app = StaticCopies(_streamlit, static, {})
    whole, head = _ask_often(app, (SCRIPT, "GET", BROWSER), (SCRIPT, "HEAD", BROWSER))

    assert head == Answer(whole.status, whole.headers, b"")


def test_who_has_it_is_told_so(static: Path) -> None:
    app = StaticCopies(_streamlit, static, {})
    (first,) = _ask_often(app, (SCRIPT, "GET", BROWSER))
    app = StaticCopies(_streamlit, static, {})  # another process makes the same copy
    etag = first.headers["etag"]
    has, had, others = _ask_often(
        app,
        (SCRIPT, "GET", BROWSER | {"if-none-match": f'"another", W/{etag}'}),
        (SCRIPT, "GET", BROWSER | {"if-none-match": '"another"'}),
        (FONT, "GET", BROWSER | {"if-none-match": etag}),
    )

    assert (has.status, has.body, has.headers["etag"]) == (304, b"", etag)
    assert (had.status, others.status) == (200, 200)


def test_a_page_is_made_once_and_asked_anew(static: Path) -> None:
    made: list[str] = []

    def page() -> bytes:
        made.append("once")
        return b"<html></html>"

    app = StaticCopies(_streamlit, static, {"/trace": page})
    answers = _ask_often(app, *[("/trace", "GET", BROWSER)] * 3)

    assert {gzip.decompress(answer.body) for answer in answers} == {b"<html></html>"}
    assert answers[0].headers["cache-control"] == "no-cache"
    assert made == ["once"]


def test_a_page_comes_as_it_is_to_who_takes_no_gzip(static: Path) -> None:
    answer = _ask(StaticCopies(_streamlit, static, {"/": lambda: b"<html>"}), "/", headers={})

    assert (answer.body, "content-encoding" in answer.headers) == (b"<html>", False)


def test_a_file_that_cannot_be_read_is_tried_again_the_next_time(static: Path) -> None:
    app = StaticCopies(_streamlit, static, {})
    file = static / SCRIPT[1:]
    held = file.read_bytes()
    file.unlink()
    with pytest.raises(FileNotFoundError):
        _ask(app, SCRIPT)

    file.write_bytes(held)
    assert gzip.decompress(_ask(app, SCRIPT).body) == held


@pytest.mark.parametrize(
    ("header", "accepts"),
    [
        (b"gzip", True),
        (b"deflate, GZip;q=0.5", True),
        (b"*", True),
        (b"br;q=1.0, *;q=0.1", True),
        (b"", False),
        (b"identity", False),
        (b"gzip;q=0", False),
        (b"gzip; q=0.000, *", False),
        (b"*;q=0", False),
    ],
)
def test_gzip_is_sent_to_who_asks_for_it(header: bytes, accepts: bool) -> None:
    assert accepts_gzip(header) is accepts


def test_a_page_names_its_scripts_with_all_that_they_need_and_none_twice(tmp_path: Path) -> None:
    scripts, sheets = tmp_path / "static" / "js", tmp_path / "static" / "css"
    scripts.mkdir(parents=True)
    sheets.mkdir()
    (scripts / "Table.1.js").write_text('import{a}from"./shared.2.js";import("./later.3.js")')
    (scripts / "shared.2.js").write_text("import`./Table.1.js`;import './first.4.js';")
    for name in ("later.3.js", "first.4.js", "TableOther.5.js"):
        (scripts / name).write_text("")
    (sheets / "Table.6.css").write_text("")
    page = '<head>\n    <link href="./static/js/first.4.js">\n  </head>\n<body>'
    (tmp_path / "index.html").write_text(page)

    assert scripts_of(scripts, ["Table"]) == ["Table.1.js", "shared.2.js", "first.4.js"]
    added = preloading_page(tmp_path, ["Table", "Unknown"], Start.ASKING).decode()
    assert added.count("./static/js/Table.1.js") == 1
    assert added.count("./static/js/shared.2.js") == 1
    assert added.count("./static/js/first.4.js") == 1
    assert '<link rel="preload" as="style" crossorigin href="./static/css/Table.6.css">' in added
    bare = preloading_page(tmp_path, ["Unknown"], Start.ASKING).decode()
    assert bare.replace(f"    <script>{Start.ASKING.value}</script>\n", "") == page


def test_this_release_of_streamlit_has_every_script_that_a_page_names() -> None:
    names = {*EVERY_PAGE, *(name for names in ON_PAGE.values() for name in names)}
    folder = STREAMLIT / "static" / "js"

    assert {name for name in names if not list(folder.glob(f"{name}.*.js"))} == set()
    assert ON_PAGE.keys() <= {entry.key for entry in PAGES}


def test_every_page_has_an_address_and_keeps_streamlits_own_page() -> None:
    pages = preloading_pages(STREAMLIT, Start.CONNECTING)

    assert pages.keys() == {"/", *(f"/{entry.key}" for entry in PAGES[1:])}
    lines = pages["/trace"]().decode().splitlines()
    own = (STREAMLIT / "index.html").read_text("utf-8").splitlines()
    ours = f"    <script>{Start.CONNECTING.value}</script>"
    assert [line for line in lines if 'rel="preload" as="s' not in line and line != ours] == own
    assert ours in lines
    assert len(lines) > len(own) + len(EVERY_PAGE)


def test_a_browser_that_keeps_scripts_compiled_is_told_of_no_module_ahead() -> None:
    new, known = (
        preloading_pages(STREAMLIT, Start.CONNECTING, is_compiled=is_compiled)["/trace"]().decode()
        for is_compiled in (False, True)
    )
    named = re.compile(r'(?:href|src)="(\./static/js/[^"]+)"')

    assert "modulepreload" in new
    assert "modulepreload" not in known
    assert set(named.findall(known)) == set(named.findall(new))
    main = re.search(r'<script type="module" crossorigin src="([^"]+)"', known)
    assert main is not None
    assert f'as="script" crossorigin href="{main[1]}"' in known[: main.start()]


def test_who_was_here_twice_gets_the_page_of_a_known_browser(static: Path) -> None:
    made = {"/trace": lambda: b"new"}, {"/trace": lambda: b"known"}
    app = StaticCopies(_streamlit, static, *made, Visits(b"release 1"))
    bodies, cookie = [], "another=1"
    for _ in range(4):
        answer = _ask(app, "/trace", headers={"cookie": cookie})
        bodies.append(answer.body)
        told = answer.headers.get("set-cookie")
        assert (told is None) == (answer.body == b"known")
        cookie = f"another=1; {told.partition(';')[0]}" if told else cookie

    assert bodies == [b"new", b"new", b"known", b"known"]
    later = StaticCopies(_streamlit, static, *made, Visits(b"release 2"))
    for of_whom in (cookie, "toolsight_visits=9", "toolsight_visits=x"):
        assert _ask(later, "/trace", headers={"cookie": of_whom}).body == b"new"
