"""What can go wrong with the store.

ToolsightError
└── StoreError
    ├── StoreBusyError       another process owns the file
    ├── StoreUnreadableError the file is no store, or was made by a newer version
    ├── StoreWriteError      a commit failed; nothing of it was kept
    │   └── StoreFullError   because the disk is full
    ├── ExportError          what was asked for cannot be written
    ├── AuditError           a draw or a label that cannot be
    ├── RuleStoreError       a dictionary cannot be published or put in force
    │   ├── RulesMovedError  because another was put in force meanwhile
    │   ├── RuleDraftMovedError  somebody else changed the draft meanwhile
    │   └── SelfApprovalError    who changed a draft cannot approve it
    └── MigrationError       a migration that was applied has changed
"""

from pipeline.errors import ToolsightError


class StoreError(ToolsightError):
    """The store cannot do what was asked."""


class StoreBusyError(StoreError):
    """Another process owns the file; the message says which and what to do."""


class ExportError(StoreError):
    """A table, a format or a path that cannot be exported; the message says what can."""


class StoreUnreadableError(StoreError):
    """The file cannot be opened as a store."""


class StoreWriteError(StoreError):
    """A commit failed; nothing of it was kept, what was there before is."""


class StoreFullError(StoreWriteError):
    """A commit failed, or was not tried, because the disk is full."""


class MigrationError(StoreError):
    """An applied migration no longer matches its file."""


class AuditError(StoreError):
    """A draw or a label that cannot be."""


class RuleStoreError(StoreError):
    """A dictionary cannot be published or put in force; the message says why and what to do."""


class RuleDraftMovedError(RuleStoreError):
    """Somebody else changed the same draft meanwhile; names them. Nothing was stored."""


class SelfApprovalError(RuleStoreError):
    """Who changed a draft cannot approve it; names them."""


class RulesMovedError(RuleStoreError):
    """Another version was put in force since the draft was begun; names both and says who did it."""
