"""What one look sees: a replica, a fetch, a broker."""

from __future__ import annotations

from dataclasses import dataclass

from tests.model.logs import Partition


@dataclass(frozen=True, slots=True)
class Look:
    """At one replica that answered; the metadata is that of the same moment."""

    at_ns: int
    broker: int
    partition: Partition
    log_end: int
    watermark: int
    leader: int
    epoch: int
    in_sync: frozenset[int]
    stable: int | None = None  # of the leader: its last stable offset

    @property
    def leads(self) -> bool:
        return self.leader == self.broker


@dataclass(frozen=True, slots=True)
class Fetch:
    """A request, or an answer with the leader's high watermark."""

    at_ns: int
    leader: int
    follower: int
    partition: Partition
    offset: int
    epoch: int
    watermark: int | None = None


@dataclass(frozen=True, slots=True)
class Pulse:
    """A look at a broker: whether its process runs, is registered, and answers."""

    at_ns: int
    broker: int
    running: bool
    registered: bool
    answers: bool
