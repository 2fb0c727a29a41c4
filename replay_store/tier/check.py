"""Are the files of moved days there, and whole?"""

from collections.abc import Mapping
from pathlib import Path

import duckdb

from replay_store.database import Database
from replay_store.tier.files import quoted

__all__ = ["unsound_files"]


def unsound_files(database: Database) -> tuple[int, Mapping[str, str]]:
    """How many files there are to be, and what is wrong with those that are not as they were written.

    Every value is read.

    Returns:
        The number of files, and of each unsound one its path and why; 0 and empty where nothing moved.
    """
    files = database.rows("select path, n_rows from main.tier_file order by path")
    found = {row["path"]: _unsound(database, row["path"], row["n_rows"]) for row in files}
    return len(files), {path: why for path, why in found.items() if why is not None}


def _unsound(database: Database, path: str, n_rows: int) -> str | None:
    if not Path(path).is_file():
        return "is not there"
    sql = f"select count(*) as n, bit_xor(hash(held)) from read_parquet({quoted([path])}) as held"  # noqa: S608
    try:
        [row] = database.rows(sql)
    except duckdb.Error as error:
        return str(error).splitlines()[0]
    n = int(row["n"])
    return None if n == n_rows else f"{n:,} rows, expected {n_rows:,}"
