"""What the tests of a session stand on: a backend, a place for records, room for clusters."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from highwater.backends import Backend
from highwater.room import Room
from highwater.workshop import results_of_now


@dataclass(frozen=True, slots=True, kw_only=True)
class Grounds:
    """Where a session plays, and where its records go."""

    backend: Backend = field(default_factory=Backend)
    out: Path | None = None  # for all records; without it they go, but of tests that did not pass
    keeps_in: Path = field(default_factory=lambda: results_of_now("pytest-").resolve())
    worker: str = ""  # of several that share all this, a word that none of the others has
    room: Room | None = None  # for clusters, where others want some too
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))  # of plays
