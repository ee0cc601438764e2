"""Records that are sent all the time while something else happens."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from highwater.harness.clients.process import ClientProcess, Event, Launch
from highwater.harness.errors import PreconditionError
from highwater.harness.lifetime import Lifetime
from highwater.harness.topic import Topic
from highwater.harness.wait import wait_until
from highwater.harness.workloads.promises import require_wait

Heard = Callable[[str, Event], None]  # the client's name, and what it says


class Load(Lifetime):
    """A producer in a process of its own, for the length of a `with`; then its last word stands."""

    def __init__(self, launch: Launch, heard: Heard, topic: Topic) -> None:
        super().__init__()
        self._topic = topic
        self.name: str = launch.order["client"]
        self._heard = heard
        self._process = ClientProcess(launch, self._hear)
        self._fatal = ""
        self._told: dict[str, Any] = {"acked": 0, "failed": 0, "unknown": 0, "longest_gap_s": 0.0}

    def _begin(self) -> None:
        self._topic.require_ours()
        self._topic.attach(self.name)
        self._ending.callback(self._topic.detach, self.name)
        self._ending.enter_context(self._process)

    @property
    def acked(self) -> int:
        """How many records have been acknowledged."""
        return int(self._told["acked"])

    @property
    def failed(self) -> int:
        """How many have ended in another way: refused, or nobody can tell."""
        return int(self._told["failed"]) + int(self._told["unknown"])

    @property
    def longest_gap_s(self) -> float:
        """The longest time without an acknowledgement, from the first send to the last."""
        return float(self._told["longest_gap_s"])

    def await_acked(self, records: int, timeout_s: float = 60.0) -> None:
        """Wait until so many more records have been acknowledged than have been by now.

        Raises PreconditionError at once when the client can send nothing more, has been killed, or
        has ended with its `with`.
        """
        require_wait(records, timeout_s)
        wanted = self.acked + records
        wait_until(
            lambda: self._process.is_well() and self._reaches(wanted),
            f"{records} more records of {self.name} to be acknowledged",
            timeout_s,
        )

    def _reaches(self, wanted: int) -> bool:
        why = self._fatal or self._process.why_over
        if self.acked < wanted and why:
            raise PreconditionError(
                f"{self.name} was to have {wanted} records acknowledged, and {self.acked} are: "
                f"{why}"
            )
        return self.acked >= wanted

    def spread(self, partitions: int) -> None:
        """Let it send to so many partitions: its topic has been given some."""
        self._process.tell({"do": "spread", "partitions": partitions})

    def kill(self) -> None:
        """SIGKILL; what it had sent is on the record all the same."""
        self._process.kill()

    def paused(self) -> AbstractContextManager[None]:
        """Frozen (SIGSTOP) until the context is left."""
        return self._process.paused()

    def _hear(self, event: Event) -> None:
        if event["event"] == "progress":
            self._told = {name: event[name] for name in self._told}
        elif event["event"] == "fatal":
            self._fatal = event["text"]
        self._heard(self.name, event)
