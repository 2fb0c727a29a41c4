"""The files behind the paths a user gives."""

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ingest.errors import SourceError


class Found(NamedTuple):
    """One path to report on: a file to read, or a sentence why there is none."""

    path: Path
    n_bytes: int
    problem: str | None


def found_files(paths: Sequence[Path]) -> Iterator[Found]:
    """Each file, and each path that leads to none.

    Directories are walked in sorted order; hidden files and folders and symbolic links to folders
    are passed over.
    """
    for path in paths:
        if _is_folder(path):
            yield from _walked(path)
        else:
            yield _checked(path)


def opened_size(path: Path) -> int:
    """The size of a regular file.

    Raises:
        SourceError: It is missing, forbidden, or no file.
    """
    try:
        status = path.stat()
    except OSError as error:
        raise SourceError(os_problem(error)) from error
    except ValueError as error:
        raise SourceError(f"no path ({error}): expected a file or folder; correct it") from error
    if not stat.S_ISREG(status.st_mode):
        raise SourceError("a device, pipe or socket: expected a file or folder; save it to a file")
    return status.st_size


def os_problem(error: OSError) -> str:
    """The sentence for what the operating system refuses."""
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return "no such file: expected a file or folder; check the path"
    if isinstance(error, PermissionError):
        return "no permission to read it: expected read access; ask for it, or run as its owner"
    return f"cannot be read ({error.strerror}): expected a readable file; check the disk"


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


def _checked(path: Path) -> Found:
    try:
        return Found(path, opened_size(path), None)
    except SourceError as error:
        return Found(path, 0, str(error))


def _walked(folder: Path) -> Iterator[Found]:
    n_found = 0
    problems: list[OSError] = []
    for parent, folders, files in os.walk(folder, onerror=problems.append):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if not name.startswith("."):
                n_found += 1
                yield _checked(Path(parent, name))
    for problem in problems:
        n_found += 1
        yield Found(Path(problem.filename or folder), 0, os_problem(problem))
    if not n_found:
        yield Found(folder, 0, "a folder without files: expected files to read; check the path")
