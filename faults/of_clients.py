"""What a fault of a client needs of who it hits: an application of the user's, or a load."""

from __future__ import annotations

import inspect
from contextlib import AbstractContextManager
from typing import Protocol

from highwater.harness.errors import UsageError

WORDS = ("can_start", "kill", "start", "paused")


class Revivable(Protocol):
    """Who can be started again in its own place; `can_start` while it is gone, and may be."""

    @property
    def name(self) -> str: ...
    @property
    def can_start(self) -> bool: ...
    def kill(self) -> None: ...
    def start(self) -> None: ...
    def paused(self) -> AbstractContextManager[None]: ...


def require_client(fault: object, client: object) -> None:
    """Raises UsageError for who is none, or is replaced and not started again, as members are."""
    lacks = [each for each in WORDS if inspect.getattr_static(type(client), each, None) is None]
    if lacks:
        raise UsageError(
            f"{type(fault).__name__}: expected an application (play.application) or a load "
            f"(play.load), saw {client!r:.120}"
        )
