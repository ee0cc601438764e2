"""What an adapter is tried on: a topic on a broker, what lies there, and a life for a rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, NamedTuple, Protocol

from highwater.harness.foreign.lines import PROTOCOL, BreachError
from highwater.harness.foreign.talk import START_TIMEOUT_S, Hear, Talk
from highwater.harness.gate.rows import Row
from highwater.harness.processes.warden import Warden
from highwater.harness.versions.catalogue import Kafka
from highwater.harness.workloads.contents import Content

TIMEOUT_S = 60.0
PARTITIONS = 3  # of the topic that has several


class Held(Protocol):
    """Answers that stand at the gate."""

    def stands(self) -> bool: ...
    def pass_on(self) -> None: ...


class Gate(Protocol):
    """What is seen, and can be done, between an adapter and its broker: see watching.py."""

    def seen(self, table: str, since_ns: int = 0) -> Sequence[Row]: ...
    def answering(self, api: int, error: int, *, done: bool) -> AbstractContextManager[None]: ...
    def holding(self, api: int) -> AbstractContextManager[Held]: ...


class Headed(NamedTuple):
    """A topic of one partition, whose records have headers."""

    topic: str
    read: Callable[[str], Sequence[bytes | None]]  # the header of this name of each record
    put: Callable[[Sequence[Sequence[tuple[str, bytes]]]], None]  # records with these


class Ground(NamedTuple):
    """Two topics of one partition and one of several, with nothing in them when it begins."""

    kafka: Kafka
    bootstrap: str
    topic: str
    read: Callable[[], Sequence[Content]]  # all of it, by offset
    committed: Callable[[str], int | None]  # the position that a group has committed, if it has
    spread: str  # the topic of several partitions
    # How batches in a partition of it are compressed, from this offset on.
    codecs: Callable[[int, int], frozenset[str]]
    gate: Gate | None  # None: nobody stands between, as before brokers of so old a Kafka
    headed: Headed


@contextmanager
def life(command: Sequence[str], hear: Hear, line: Mapping[str, Any]) -> Iterator[Talk]:
    """From its beginning, when it is told this, to its end, whoever brings that about.

    Raises BreachError for what the protocol does not have.
    """
    with Warden() as warden, Talk(command, hear, group=warden.group) as talk:
        talk.hello()
        talk.say({"do": "begin", "protocol": PROTOCOL, "client": "conformance", **line})
        talk.await_(lambda: talk.rules.is_ready, "say that it is ready", START_TIMEOUT_S)
        yield talk
        talk.say({"do": "stop"})
        talk.await_(lambda: talk.is_over, "end", TIMEOUT_S)
        if talk.wrong is not None:
            raise talk.wrong
        if talk.exit_code:
            raise BreachError("exit code 0 after ended", f"{talk.exit_code}")
