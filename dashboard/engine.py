"""Reading from a cluster in place of the store: opening it, and what every answer has to say then."""

from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from dashboard.settings import Settings
    from replay_store.database import Database

__all__ = ["PARTIAL", "engine_store", "open_database", "partial_sentence"]

PARTIAL: Final = {
    "en": (
        "A shard of the cluster did not answer: what it holds is missing here, and counts are lower "
        "bounds. Start it again; figures are whole at the next look after that."
    ),
    "zh": "集群中有分片没有应答：这里缺少其中的数据，计数只是下限。请重新启动该分片；之后再次查询即为完整数据。",
}
"""By language; the pages' catalogues hold the same."""


def open_database(settings: "Settings") -> "Database":
    """The store of these settings, or the cluster that stands in its place.

    Raises:
        StoreBusyError: Another process owns the file.
        StoreUnreadableError: The file is not a store.
        EngineError: The cluster does not answer, or holds nothing that was shipped.
    """
    if settings.engine is None:
        from replay_store.database import Database

        return Database.open(settings.db, memory_limit=settings.memory_limit)
    from replay_store.cluster.engine import Engine

    password = settings.engine_password
    return Engine.connect(
        settings.db,
        settings.engine.get_secret_value(),
        password=password.get_secret_value() if password else None,
        memory_limit=settings.memory_limit,
        most_traces=settings.engine_traces,
    )


def engine_store(db: Path, url: str) -> Path:
    """The file for what is read from one cluster and kept beside it, by where that cluster is.

    Never that of a store, nor of another cluster.
    """
    address = urlsplit(url)
    place = f"{address.netloc.rpartition('@')[2]}{address.path.rstrip('/')}"
    return db.with_name(f"{db.stem}.{sha256(place.encode()).hexdigest()[:12]}.engine.duckdb")


def partial_sentence(database: "Database", language: str = "en") -> str | None:
    """What to say of an answer that a shard is missing from; None for a whole one."""
    return PARTIAL[language] if database.is_partial else None
