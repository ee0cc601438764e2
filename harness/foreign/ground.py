"""What an adapter is tried on: a topic on a broker, what lies there, and a life for a rule."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from highwater.harness.foreign.lines import PROTOCOL
from highwater.harness.foreign.talk import START_TIMEOUT_S, Hear, Talk
from highwater.harness.processes.warden import Warden
from highwater.harness.versions.catalogue import Kafka
from highwater.harness.workloads.contents import Content

TIMEOUT_S = 60.0


class Ground(NamedTuple):
    """A topic of one partition, with nothing in it when it begins."""

    kafka: Kafka
    bootstrap: str
    topic: str
    read: Callable[[], Sequence[Content]]  # all of it, by offset
    committed: Callable[[str], int | None]  # the position that a group has committed, if it has


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
