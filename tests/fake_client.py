"""An application in memory, which faults hit; in examples it is called `app`."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager


class Lively:
    """It is killed and started, or frozen; there is one of the name."""

    name = "app"
    can_start = False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Lively)

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return self.name

    def kill(self) -> None:
        self.can_start = True

    def start(self) -> None:
        self.can_start = False

    @contextmanager
    def paused(self) -> Generator[None]:
        yield
