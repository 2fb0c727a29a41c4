"""What can go wrong with the store.

ToolsightError
└── StoreError
    ├── StoreBusyError       another process owns the file
    ├── StoreUnreadableError the file is no store, or was made by a newer version
    ├── StoreMemoryError     more memory was needed than there is
    ├── StoreWriteError      a commit failed; nothing of it was kept
    │   └── StoreFullError   because the disk is full
    ├── ClusterError         a ClickHouse cluster refused, or did not answer
    │   └── ClusterUnreachableError  because none of its nodes could be reached
    ├── EngineError          what stands behind an engine cannot do what was asked
    │   ├── EngineTooMuchError   because a question needs more rows than one machine brings
    │   └── EngineReadOnlyError  because people's rows are kept where they were received
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


class ClusterError(StoreError):
    """A ClickHouse cluster refused something; the message says what, never a password or a row."""

    def __init__(self, message: str, code: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        """ClickHouse's number of the error; None where it did not tell one."""


class ClusterUnreachableError(ClusterError):
    """None of the nodes that were named could be reached."""


class EngineError(StoreError):
    """A cluster that is read in place of a store cannot do what was asked."""


class EngineTooMuchError(EngineError):
    """A question needs more rows than are brought to one machine; the message says how to ask for less."""


class EngineReadOnlyError(EngineError):
    """Rows that people make are kept where traces are received; the message says what to do."""


class ExportError(StoreError):
    """A table, a format or a path that cannot be exported; the message says what can."""


class StoreUnreadableError(StoreError):
    """The file cannot be opened as a store."""


class StoreMemoryError(StoreError):
    """More memory was needed than there is, with room given; the message says what to do."""


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
