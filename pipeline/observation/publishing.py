"""Versions of rules written into a folder, and its pointer moved; `published` says what is there."""

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path

from pipeline.observation.published import POINTER, V0, FolderSource
from pipeline.observation.rules import load_rules, package_rule_texts

__all__ = ["point_to", "publish", "put_in_shadow"]


def publish(folder: Path, texts: Mapping[str, str]) -> str:
    """Write a version into a folder and put it in force.

    Both files are written beside their place and moved there, so that no reader sees half of one.

    Args:
        folder: Made when it is not there.
        texts: YAML text by file name.

    Returns:
        The version: 64 hex digits; `v0` for the package's own texts, of which nothing is written
        but the pointer.

    Raises:
        RuleFileError: The texts cannot be used; nothing was written.
    """
    version = _kept(folder, texts)
    point_to(folder, version)
    return version


def _kept(folder: Path, texts: Mapping[str, str]) -> str:
    """Write a version into a folder, under its name."""
    load_rules(texts)
    if dict(texts) == package_rule_texts():
        return V0
    body = json.dumps(dict(texts), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    version = hashlib.sha256(body.encode()).hexdigest()
    _write(folder / "versions" / f"{version}.json", body.encode())
    return version


def put_in_shadow(folder: Path, texts: Mapping[str, str] | None) -> str | None:
    """Let a version read in the shadow of the one in force; it ends when another is put in force.

    Args:
        folder: In which a version is in force.
        texts: YAML text by file name; None ends the shadow.

    Returns:
        The version; None where it ended.

    Raises:
        RuleSourceError: Nothing is in force in the folder.
        RuleFileError: The texts cannot be used; nothing was written.
    """
    in_force = FolderSource(folder).pointer()
    version = None if texts is None else _kept(folder, texts)
    said = {"version": in_force} | ({} if version is None else {"shadow": version})
    _write(folder / POINTER, json.dumps(said).encode())
    return version


def point_to(folder: Path, version: str) -> None:
    """Put a published version in force, or the package's own.

    Raises:
        RuleSourceError: The folder does not hold it whole; the pointer stays.
        RuleFileError: This release cannot use it; the pointer stays.
    """
    FolderSource(folder).rules(version)
    _write(folder / POINTER, json.dumps({"version": version}).encode())


def _write(path: Path, body: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.write_bytes(body)
    beside.replace(path)
