"""Browser pages, web server and command line: the one place that wires the rooms together.

Owns settings, the server process and everything a person sees. Holds no SQL and no arithmetic:
numbers come from `metrics`, records from `replay_store`, files go in through `ingest`. Nothing
imports this package from outside; it starts with the `toolsight` command.
"""

__all__: list[str] = []
