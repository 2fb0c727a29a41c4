"""The agent side, pure and embeddable: words, arithmetic and (later) parsing that need no store.

Owns the error base, the closed word lists every room shares, and the rules an executor follows.
Refuses databases, web servers, clocks and random sources of its own: they arrive as arguments.
"""

from pipeline.errors import ToolsightError

__all__ = ["ToolsightError"]
