"""Adapters of other libraries, each built in a directory of its own, once."""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from filelock import FileLock

from highwater.harness.errors import InfrastructureError, UsageError
from highwater.harness.foreign.building import step
from highwater.harness.foreign.languages import Known
from highwater.harness.versions.cache import cache_dir

FOLDERS = Path(__file__).parents[2] / "adapters"
BUILD_TIMEOUT_S = 900  # a library in C is compiled
VERSION = re.compile(r"\d[\w.+-]*", re.ASCII)
MADE = ("__pycache__", "node_modules", "target")  # what is no source, where somebody works


def adapter(known: Known, version: str) -> Sequence[str]:
    """The command of one version of it, or of the locked one where none is named.

    Raises UsageError for what is no version, and InfrastructureError where it cannot be built, or
    what runs it is not there. Built once, and no network is needed again.
    """
    if version and not VERSION.fullmatch(version):
        raise UsageError(f"expected a version of {known.package}, saw {version!r:.120}")
    home = _home(known, version)
    home.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(home.with_suffix(".lock")):
        if not _mark(home).is_file():
            _require(known, known.language.builds)
            _build(home, known, version)
            _mark(home).touch()
    _require(known, known.language.runs)
    return known.language.command(home, known)


def lacking(known: Known) -> Sequence[str]:
    """The programs that its locked version needs and this machine does not have."""
    tools = {*known.language.runs, *(() if is_built(known) else known.language.builds)}
    return [tool for tool in sorted(tools) if shutil.which(tool) is None]


def is_built(known: Known) -> bool:
    """Whether the locked version of it needs no network any more."""
    return _mark(_home(known, "")).is_file()


def _require(known: Known, tools: Sequence[str]) -> None:
    for tool in tools:
        if shutil.which(tool) is not None:
            continue
        raise InfrastructureError(
            f"client {known.name!r} is of {known.language.name}: expected a program {tool!r} on "
            "the PATH, saw none"
        )


def _mark(home: Path) -> Path:
    return home / "whole"


def _home(known: Known, version: str) -> Path:
    """One for these sources, this version, and what its language says that it is built for."""
    told = hashlib.sha256(f"{version}\n{known.language.made_for()}\n".encode())
    for path in _sources(known):
        told.update(f"{path.relative_to(FOLDERS)}\n".encode() + path.read_bytes())
    return cache_dir() / "adapters" / f"{known.folder}-{told.hexdigest()[:16]}"


def _sources(known: Known) -> Iterator[Path]:
    for folder in (known.language.folder, known.folder):
        for path in sorted((FOLDERS / folder).rglob("*")):
            if path.is_file() and not {*MADE} & {*path.parts}:
                yield path


def _build(home: Path, known: Known, version: str) -> None:
    """In its place from the beginning: a Python environment knows its own path."""
    shutil.rmtree(home, ignore_errors=True)
    for path in _sources(known):
        target = home / path.relative_to(FOLDERS)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    named = f"{known.name} {version}".strip()
    for line in known.language.steps(home, known, version):
        step(line, BUILD_TIMEOUT_S, f"cannot build the adapter of {named} in {home}")
