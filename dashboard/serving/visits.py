"""How often a browser was here: from then on it keeps scripts compiled, if it is let.

Chromium keeps what it compiled of a script that it loaded twice, and a script that a page asks for as a
module (`modulepreload`) is compiled while it comes, kept or not. So a new browser gets the page as
Streamlit has it, and one that was here twice gets it with the same files asked for as plain scripts.
"""

import hashlib
import re
from collections.abc import Iterable
from typing import Final

__all__ = ["Visits"]

_COOKIE: Final = "toolsight_visits"
_ENOUGH: Final = 2
_YEAR_SECONDS: Final = 31_536_000


class Visits:
    """Counts the visits of each browser to this release's scripts, in a cookie of its own.

    Args:
        scripts: What names the scripts; others are counted anew.
    """

    def __init__(self, scripts: bytes) -> None:
        """Remember by what the scripts are known."""
        self._release = hashlib.sha256(scripts).hexdigest()[:12]
        self._value = re.compile(rf"(?:^|[;,\s]){_COOKIE}=([0-9])\.{self._release}(?:$|[;,\s])")

    def of(self, headers: Iterable[tuple[bytes, bytes]]) -> int:
        """How often who asks was here; 0 for who does not say."""
        cookies = "; ".join(value.decode("latin-1") for name, value in headers if name == b"cookie")
        found = self._value.search(cookies)
        return int(found[1]) if found else 0

    def is_known(self, n: int) -> bool:
        """Whether a browser with so many visits keeps the scripts compiled."""
        return n >= _ENOUGH

    def counted(self, n: int) -> list[tuple[bytes, bytes]]:
        """The header that counts one visit more; none where there are enough."""
        if self.is_known(n):
            return []
        cookie = f"{_COOKIE}={n + 1}.{self._release}; Max-Age={_YEAR_SECONDS}; Path=/; HttpOnly; SameSite=Lax"
        return [(b"set-cookie", cookie.encode())]
