"""What can go wrong with the store.

ToolsightError
└── StoreError
    ├── StoreBusyError       another process owns the file
    ├── StoreUnreadableError the file is no store, or was made by a newer version
    ├── StoreWriteError      a commit failed; nothing of it was kept
    │   └── StoreFullError   because the disk is full
    └── MigrationError       a migration that was applied has changed
"""

from pipeline.errors import ToolsightError


class StoreError(ToolsightError):
    """The store cannot do what was asked."""


class StoreBusyError(StoreError):
    """Another process owns the file; the message says which and what to do."""


class StoreUnreadableError(StoreError):
    """The file cannot be opened as a store."""


class StoreWriteError(StoreError):
    """A commit failed; nothing of it was kept, what was there before is."""


class StoreFullError(StoreWriteError):
    """A commit failed, or was not tried, because the disk is full."""


class MigrationError(StoreError):
    """An applied migration no longer matches its file."""
