"""A current ClickHouse behind HTTP: chdb in a process of its own, for tests that find no server.

Usage: python -P chdb_server.py PORT FOLDER
"""

import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib import import_module
from typing import Any
from urllib.parse import parse_qsl, urlsplit

_ASKING = threading.Lock()


class _Handler(BaseHTTPRequestHandler):
    session: Any

    def do_POST(self) -> None:
        """Run a statement: the body, or what stands in `query` with its rows in the body."""
        given = dict(parse_qsl(urlsplit(self.path).query))
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        sql = f"{given['query']}\n{body}" if "query" in given else body
        try:
            with _ASKING:
                if "database" in given:
                    self.session.query(f"use {given['database']}")
                answer, status = self.session.query(sql).bytes(), 200
        except RuntimeError as error:
            answer, status = str(error).encode(), 500
        self.send_response(status)
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def main() -> None:
    """Serve until the process is ended."""
    port, folder = int(sys.argv[1]), sys.argv[2]
    _Handler.session = import_module("chdb.session").Session(folder)
    HTTPServer(("127.0.0.1", port), _Handler).serve_forever()


if __name__ == "__main__":
    main()
