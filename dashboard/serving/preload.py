"""Streamlit's page with word of what it would find out by itself, a round trip later each time.

Streamlit's own page names what its frame needs. What draws an element is a script of its own, and a
browser asks for it only when the first such element arrives. And where the server is, it finds out by
asking: first beneath the page's own path, where there is nothing, and once more before it connects.
"""

import re
from collections import deque
from collections.abc import Callable, Collection, Iterable
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Final

from dashboard.menu import PAGES

__all__ = ["EVERY_PAGE", "ON_PAGE", "Start", "preloading_page", "preloading_pages", "scripts_of"]

EVERY_PAGE: Final = (
    *("Html", "TextInput", "PageLink", "Selectbox", "ButtonGroup", "BidiComponent", "Button"),
)
"""What draws the sidebar and the components, as Streamlit names its scripts."""
_TABLES: Final = ("DataFrame",)
ON_PAGE: Final = {entry.key: _TABLES for entry in PAGES} | {
    "overview": (*_TABLES, "PlotlyChart"),
    "trace": (),
}
"""What draws more on a page, by its key: tables, but on that of a trace, which draws them last."""
_NEEDED: Final = re.compile(rb"""(?:from|import)\s*["'`]\./([\w.-]+\.js)["'`]""")
"""A script that another cannot begin without; `import(...)`, which may come later, is not meant."""
_AS_MODULE: Final = 'rel="modulepreload" crossorigin'
_AS_SCRIPT: Final = 'rel="preload" as="script" crossorigin'
_MODULE: Final = re.compile(r'<script type="module" crossorigin src="([^"]+)"')
_PLAIN: Final = rf'<link {_AS_SCRIPT} href="\1">'
_SCRIPT: Final = '<link rel="preload" as="script" crossorigin href="./static/js/{}">'
_SERVER: Final = 'BACKEND_BASE_URL:new URL("./",location).href'
_HOST: Final = (
    'HOST_CONFIG:{allowedOrigins:[location.origin],useExternalAuthToken:false,metricsUrl:"",'
    "enableCustomParentMessages:false,enforceDownloadInNewTab:false,blockErrorDialogs:false}"
)
"""What the server would answer; only a page of its own may send it messages."""
_INLINE: Final = "<script>{}</script>"


class Start(Enum):
    """How a page begins: the text of a script in it, which Streamlit reads as its configuration."""

    ASKING = f"window.__streamlit={{{_SERVER}}}"
    """Knows where the server is, and asks whether it is there before it connects. The answer brings the
    cookie without which a connection is not told who signed in at an issuer."""
    CONNECTING = f"window.__streamlit={{{_SERVER},{_HOST}}}"
    """Connects at once, and asks meanwhile."""


_SHEET: Final = '<link rel="preload" as="style" crossorigin href="./static/css/{}">'


def preloading_pages(
    static: Path, start: Start, *, is_compiled: bool = False
) -> dict[str, Callable[[], bytes]]:
    """What makes the HTML of each page's address; the start page's is `/`.

    Args:
        static: Streamlit's folder of static files.
        start: How a page begins.
        is_compiled: For a browser that keeps the scripts compiled, which it uses of none that it is
            told to expect as a module.
    """
    keys = {"/": PAGES[0].key} | {f"/{entry.key}": entry.key for entry in PAGES[1:]}
    return {
        address: partial(
            preloading_page, static, EVERY_PAGE + ON_PAGE[key], start, is_compiled=is_compiled
        )
        for address, key in keys.items()
    }


def preloading_page(
    static: Path, names: Iterable[str], start: Start, *, is_compiled: bool = False
) -> bytes:
    """Streamlit's page, with links to the named scripts, all they need, and their style sheets.

    What this release of Streamlit has not, or names itself, is left out.

    Args:
        static: Streamlit's folder of static files, with `index.html`, `static/js` and `static/css`.
        names: Of scripts, without the hash that a release adds.
        start: How it begins; a release that knows nothing of it begins as ever.
        is_compiled: Whether modules are asked for as plain scripts.
    """
    page = (static / "index.html").read_text(encoding="utf-8")
    if is_compiled:
        page = _MODULE.sub(rf"{_PLAIN}\n    \g<0>", page.replace(_AS_MODULE, _AS_SCRIPT))
    wanted = tuple(names)
    links = [_SCRIPT.format(name) for name in scripts_of(static / "static" / "js", wanted)]
    sheets = _named(static / "static" / "css", wanted, "css")
    links += [_SHEET.format(path.name) for path in sheets]
    added = [f"    {link}\n" for link in links if link.partition("href=")[2] not in page]
    before, end, after = page.partition("  </head>")
    ours = f"    {_INLINE.format(start.value)}\n"
    return (before + ours + "".join(added) + end + after if end else page).encode()


def scripts_of(folder: Path, names: Collection[str]) -> list[str]:
    """The files of the named scripts, and of all that they need to begin; each once."""
    waiting = deque(path.name for path in _named(folder, names, "js"))
    found: dict[str, None] = {}
    while waiting:
        name = waiting.popleft()
        if name in found or not (folder / name).is_file():
            continue
        found[name] = None
        waiting.extend(each.decode() for each in _NEEDED.findall((folder / name).read_bytes()))
    return list(found)


def _named(folder: Path, names: Iterable[str], suffix: str) -> list[Path]:
    return [path for name in names for path in sorted(folder.glob(f"{name}.*.{suffix}"))]
