"""Where jars, class archives and locks of this machine alone are kept."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs


def cache_dir() -> Path:
    """HIGHWATER_CACHE, or the user's cache directory."""
    named = os.environ.get("HIGHWATER_CACHE")
    # Absolute: brokers run in directories of their own.
    return Path(named or platformdirs.user_cache_dir("highwater")).absolute()


def adopted_lock(version: str) -> Path:
    """The lock of a release that is not in the catalogue, where it was used before."""
    return cache_dir() / "locks" / f"{version}.lock"
