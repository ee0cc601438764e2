"""Records that are sent all the time while something else happens."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from contextlib import AbstractContextManager
from typing import Any

from highwater.harness.clients.flushing import Flush, Flushes
from highwater.harness.clients.names import incarnations, patterns
from highwater.harness.clients.process import ClientProcess, Event, Launch
from highwater.harness.errors import PreconditionError, UsageError
from highwater.harness.lifetime import Lifetime
from highwater.harness.topic import Topic, require_topics
from highwater.harness.wait import wait_until
from highwater.harness.workloads.promises import require_timeout, require_wait

Heard = Callable[[str, Event], None]  # the client's name, and what it says
Launching = Callable[[Mapping[str, Any]], Launch]  # given what is new in the order of a later one


class Sender(Lifetime):
    """One process of a load: what it last said of itself.

    `gap_since_ns` is since when nothing has been acknowledged; of one that is killed before it
    tells, what was so when it began.
    """

    def __init__(self, launch: Launch, heard: Heard, gap_since_ns: int | None = None) -> None:
        super().__init__()
        self.name: str = launch.order["client"]
        self.has_transactions = launch.order.get("transactions") is not None
        self.fatal = ""
        self.told: dict[str, Any] = {"acked": 0, "failed": 0, "unknown": 0, "longest_gap_s": 0.0}
        self.gap_since_ns = gap_since_ns
        self.turned_to: tuple[str, int] | None = None  # a topic, and which one of its name
        self.flushed_at: tuple[str, int] | None = None  # which one, when it had last flushed
        self._heard = heard
        self.process = ClientProcess(launch, self._hear)
        self.flushes = Flushes(self.process, lambda: self.why_over)

    def _begin(self) -> None:
        self._ending.enter_context(self.process)

    @property
    def why_over(self) -> str:
        """Why it sends nothing more; empty as long as it may."""
        return self.fatal or self.process.why_over

    def _hear(self, event: Event) -> None:
        if event["event"] == "progress":
            self.told = {name: event[name] for name in self.told}
            self.gap_since_ns = event["gap_since_ns"]
        elif event["event"] == "ready" and self.gap_since_ns is None:
            self.gap_since_ns = time.monotonic_ns()
        elif event["event"] == "fatal":
            self.fatal = event["text"]
        elif event["event"] == "turned":
            self.turned_to = event["topic"], event["incarnation"]
        elif event["event"] == "flushed":
            self.flushed_at = self.turned_to
        self.flushes.hear(event)
        self._heard(self.name, event)


class Load(Lifetime):
    """A producer in a process of its own, for the length of a `with`; then its last word stands.

    Once it was killed or stopped it may be started again: another process with the same settings,
    which is a client of its own in the record. What is counted is counted over all of them.
    """

    def __init__(self, launching: Launching, heard: Heard, topic: Topic) -> None:
        super().__init__()
        self._topic = topic
        self._launching = launching
        self._heard = heard
        self._senders = [Sender(launching({}), heard)]  # the last one sends now
        self._is_open = False
        self._knows: list[tuple[Topic, str]] = []  # with the name that it had there

    def _begin(self) -> None:
        self._topic.require_ours()
        self._ending.callback(self._forget)
        self._know(self._topic)
        self._is_open = True
        self._ending.callback(setattr, self, "_is_open", False)
        self._ending.enter_context(self._sender)

    def _know(self, topic: Topic) -> None:
        topic.attach(self.name)
        self._knows.append((topic, self.name))

    def _forget(self, but: Collection[tuple[str, int]] = ()) -> None:
        """Nothing of it is on its way to other topics than these, nor will be."""
        for topic, name in [*self._knows]:
            if (topic.name, topic.incarnation) not in but:
                self._knows.remove((topic, name))
                topic.detach(name)

    @property
    def name(self) -> str:
        """Of the process that sends now: its client.id, and what the record calls it."""
        return self._sender.name

    @property
    def _sender(self) -> Sender:
        return self._senders[-1]

    # -- what is known of it

    @property
    def why_over(self) -> str:
        """Why the process that sends now sends nothing more; empty as long as it may."""
        return self._sender.why_over

    @property
    def acked(self) -> int:
        """How many records have been acknowledged; of a process that was killed, as far as it has
        told, which it does ten times a second.
        """
        return self._count("acked")

    @property
    def failed(self) -> int:
        """How many have ended in another way: refused, or nobody can tell."""
        return self._count("failed") + self._count("unknown")

    def _count(self, what: str) -> int:
        return sum(int(sender.told[what]) for sender in self._senders)

    @property
    def longest_gap_s(self) -> float:
        """The longest time without an acknowledgement, from the first send to the last.

        The time between two of its processes is part of one.
        """
        return max(float(sender.told["longest_gap_s"]) for sender in self._senders)

    def await_acked(self, records: int, timeout_s: float = 60.0) -> None:
        """Wait until so many more records have been acknowledged than have been by now.

        Raises PreconditionError at once when the client can send nothing more, has been killed or
        stopped, or has ended with its `with`.
        """
        require_wait(records, timeout_s)
        wanted = self.acked + records
        wait_until(
            lambda: self._sender.process.is_well() and self._reaches(wanted),
            f"{records} more records of {self.name} to be acknowledged",
            timeout_s,
        )

    def _reaches(self, wanted: int) -> bool:
        why = self._sender.why_over
        if self.acked < wanted and why:
            raise PreconditionError(
                f"{self.name} was to have {wanted} records acknowledged, and {self.acked} are: "
                f"{why}"
            )
        return self.acked >= wanted

    # -- its life

    def spread(self, topic: Topic) -> None:
        """Let it send to all partitions of the topic: it has been given some."""
        if topic is self._topic:
            self._sender.process.tell(
                {
                    "do": "spread",
                    "topic": topic.name,
                    "incarnation": topic.incarnation,
                    "partitions": len(topic),
                    **patterns([topic]),
                }
            )

    def turn_to(self, topic: Topic) -> None:
        """From now on it sends to this topic, by the same producer, and no more to the one before.

        What was to go there before still does; that one may be deleted once this load sends to
        the other one, and has flushed. Raises UsageError for a topic that it may not send to, and
        outside of its `with`.
        """
        require_topics(topic)
        if not self._is_open:
            raise UsageError(f"expected this within the `with` of {self.name}, saw it outside")
        topic.require_ours()
        if topic.pattern != self._topic.pattern:
            raise UsageError(
                f"expected {self.name} to turn to a topic with the pattern of {self._topic.name}, "
                f"saw another one in {topic.name}"
            )
        self._know(topic)
        self._topic = topic
        topic.when_grown(lambda: self.spread(topic))
        self.spread(topic)

    def start_flush(self) -> Flush:
        """Have its client flush, as an application does that wants to know that all is sent.

        Until its library says that all that it was handed before has an outcome, it is handed
        nothing more. The claim flushed-too-early judges what it says. Raises UsageError for a load
        in transactions, where a commit does that, and outside of its `with`.
        """
        if self._sender.has_transactions:
            raise UsageError(
                f"expected a load without transactions to be flushed, saw {self.name} with; each "
                "commit flushes it"
            )
        if not self._is_open:
            raise UsageError(f"expected this within the `with` of {self.name}, saw it outside")
        return self._sender.flushes.start()

    def flush(self, timeout_s: float = 60.0) -> None:
        """The same, and wait until its library says that it has; see `Flush.await_ended`.

        Raises PreconditionError for one that says that it cannot.
        """
        require_timeout(timeout_s)
        flush = self.start_flush()
        flush.await_ended(timeout_s)
        if flush.error:
            raise PreconditionError(f"{self.name} was to flush, and has not: {flush.error}")
        if (there := self._sender.flushed_at) is not None:  # since then it may have turned
            self._forget({there, (self._topic.name, self._topic.incarnation)})

    def kill(self) -> None:
        """SIGKILL; what it had sent is on the record all the same."""
        self._sender.process.kill()

    def paused(self) -> AbstractContextManager[None]:
        """Frozen (SIGSTOP) until the context is left."""
        return self._sender.process.paused()

    def stop(self) -> None:
        """Have it stop in order: it sends nothing more, and every record has its outcome."""
        self._sender.process.leave()

    def start(self) -> None:
        """Start it again, after it was killed or stopped; returns when it is ready to send.

        It sends at the same rate, with the same settings, to all partitions that its topic has by
        now. With transactions it has the transactional.id of the process before, whose open
        transaction is thereby aborted. Raises UsageError for one that lives.
        """
        before = self._sender
        if not self._is_open:
            raise UsageError(f"expected this within the `with` of {self.name}, saw it outside")
        if before.process.is_well() and not before.process.why_over:
            raise UsageError(f"expected {self.name} to have been killed or stopped, saw it alive")
        self._follow(before)

    @property
    def can_start(self) -> bool:
        """Whether it was killed or has stopped, within its `with`."""
        return self._is_open and bool(self.why_over)

    def take_over(self) -> Sender:
        """Start another process with its transactional.id while it lives, or is frozen.

        So does whoever starts applications and takes one for dead. The one before, which this
        returns, is fenced: what it had open is aborted, and it can commit nothing any more, nor
        does it come back with another producer. From now on the words of a load are those of the
        new one, and what is counted is counted over both. Raises UsageError for a load without
        transactions, and for one that is gone.
        """
        before = self._sender
        if not before.has_transactions:
            raise UsageError(f"expected a load with transactions, saw {self.name} without")
        if not self._is_open or not before.process.is_well() or before.process.why_over:
            raise UsageError(f"expected {self.name} to live when it is taken over, saw it gone")
        before.process.tell({"do": "yield"})  # before it is fenced
        self._follow(before)
        return before

    def _follow(self, before: Sender) -> None:
        more = {
            "follows": before.name,
            "transactional_id": self._senders[0].name,
            "gap_since_ns": before.gap_since_ns,
            "topic": self._topic.name,
            "incarnations": incarnations([self._topic]),
            "partitions": len(self._topic),
        }
        sender = Sender(self._launching(more), self._heard, before.gap_since_ns)
        self._ending.enter_context(sender)
        self._senders.append(sender)

    def restart(self) -> None:
        """Stop it in order, and start it again."""
        self.stop()
        self.start()
