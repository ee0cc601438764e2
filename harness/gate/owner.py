"""What a pipe may ask of the connection that it belongs to."""

from __future__ import annotations

from typing import Protocol

from highwater.harness.gate.frames import Stage


class Owner(Protocol):
    """The connection that a pipe belongs to."""

    def close(self, reason: str, *, abruptly: bool = False) -> None: ...

    def turn_opaque(self) -> None: ...

    def resumed(self) -> None: ...

    def half_close(self, stage: Stage) -> None: ...
