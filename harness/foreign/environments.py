"""Adapters in Python, each in an environment of its own: an adapter need not share our packages."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path

from filelock import FileLock

from highwater.harness.foreign.building import step
from highwater.harness.versions.cache import cache_dir

FOLDERS = Path(__file__).parents[2] / "adapters"
BUILD_TIMEOUT_S = 300


def adapter(folder: str) -> Sequence[str]:
    """The command of an adapter whose folder has adapter.py, and requirements.lock with hashes.

    Raises InfrastructureError where its environment cannot be made; made once, no network is
    needed again.
    """
    home = FOLDERS / folder
    return (str(_environment(home / "requirements.lock")), "-E", str(home / "adapter.py"))


def _environment(lock: Path) -> Path:
    """Its interpreter; an environment is of one lock and one Python, marked when it is whole."""
    told = f"{lock.read_text(encoding='utf-8')}\n{sys.version}\n{sys.base_prefix}"
    digest = hashlib.sha256(told.encode()).hexdigest()[:16]
    home = cache_dir() / "adapters" / f"{lock.parent.name}-{digest}"
    mark = home / "whole"
    home.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(home.with_suffix(".lock")):
        if not mark.is_file():
            _build(home, lock)
            mark.touch()
    return home / "bin" / "python"


def _build(home: Path, lock: Path) -> None:
    """In its place from the beginning: an environment knows its own path."""
    pip = [str(home / "bin" / "python"), "-m", "pip", "--disable-pip-version-check"]
    install = [*pip, "install", "-q", "--require-hashes", "--no-deps", "-r", str(lock)]
    for line in ([sys.executable, "-m", "venv", "--clear", str(home)], install):
        step(line, BUILD_TIMEOUT_S, f"cannot make {home} from {lock.name}")
