"""A broker is asked to stop: SIGTERM, with its controlled shutdown."""

from __future__ import annotations

from dataclasses import dataclass

from highwater.harness.restart import Restart


@dataclass(frozen=True, slots=True)
class Stop(Restart):
    """Leadership moves away first, and the log is flushed; healing starts the broker again."""
