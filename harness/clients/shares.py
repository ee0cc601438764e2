"""A share group (KIP-932) whose members live in processes of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

from highwater.harness.clients.load import Heard
from highwater.harness.clients.names import Names
from highwater.harness.clients.process import ClientProcess, Event, Launch
from highwater.harness.clients.settings import ACCEPT
from highwater.harness.errors import PreconditionError, UsageError
from highwater.harness.lifetime import Lifetime
from highwater.harness.model import TopicPartition
from highwater.harness.topic import Topic
from highwater.harness.wait import wait_until
from highwater.harness.workloads.promises import require_wait

# By which a broker says that nothing has changed.
REFUSED = frozenset({"INVALID_RECORD_STATE"})

Span = tuple[TopicPartition, int, int]  # first offset, and one past the last


class Sharing(NamedTuple):
    """How a share group gets at the high watermarks, empty where not all are known; and at another
    member by its order, as an adapter is told.
    """

    ends: Callable[[Sequence[TopicPartition]], Mapping[TopicPartition, int]]
    member: Callable[[Mapping[str, Any]], ShareMember]


class ShareMember(Lifetime):
    """One share consumer, in a process of its own; what it last said of itself."""

    def __init__(self, launch: Launch, heard: Heard) -> None:
        super().__init__()
        self.name: str = launch.order["client"]
        self.order = launch.order
        self.is_killed = False
        self.handed = 0  # records, counted as often as they were handed out
        self.fatal = ""  # why it can do nothing more, as its library says
        self.holding: list[Span] = []  # what it was handed and has not acknowledged
        self.accepted: list[Span] = []  # what was confirmed
        self.unanswered: list[Span] = []  # what it may have accepted, and nobody can tell
        self._heard = heard
        self._names = Names(launch.order)
        self._process = ClientProcess(launch, self._hear)

    def _begin(self) -> None:
        self._ending.enter_context(self._process)

    def is_well(self) -> bool:
        """See ClientProcess.is_well; raises PreconditionError for one that can do nothing more."""
        if self.fatal and not self.is_killed:
            raise PreconditionError(f"{self.name} was to share on, and cannot: {self.fatal}")
        return self._process.is_well()

    def kill(self) -> None:
        """SIGKILL: what it holds others are handed when its locks have timed out."""
        self._process.kill()
        self.is_killed = True

    def paused(self) -> AbstractContextManager[None]:
        """Frozen (SIGSTOP) until the context is left."""
        return self._process.paused()

    def _hear(self, event: Event) -> None:
        match event["event"]:
            case "handed":
                self.holding = [self._span(each) for each in event["offsets"]]
                self.handed += self.held
            case "accepted":
                self.holding = []
                for each in event["offsets"]:
                    self._answered(self._span(each), each[-1])
            case "released":
                self.holding = []
            case "killed" if self.order["settings"]["acknowledges"] == ACCEPT:
                self.unanswered += self.holding
            case "fatal":
                self.fatal = event["text"]
        self._heard(self.name, self._names.recorded(event))

    def _span(self, told: Sequence[Any]) -> Span:
        topic, partition, first, end, *_ = told
        return self._names.where(topic, partition), first, end

    @property
    def held(self) -> int:
        """How many records it was handed and has not acknowledged."""
        return sum(end - first for _, first, end in self.holding)

    def _answered(self, span: Span, error: str | None) -> None:
        if error is None:
            self.accepted.append(span)
        elif error not in REFUSED:
            self.unanswered.append(span)


class ShareGroup(Lifetime):
    """Members that are handed the records of one topic by turns, for the length of a `with`."""

    def __init__(
        self, name: str, topic: Topic, members: Sequence[ShareMember], sharing: Sharing
    ) -> None:
        super().__init__()
        self.name = name
        self.members = tuple(members)
        self._topic = topic
        self._sharing = sharing
        self._is_open = False
        self._replaced: list[ShareMember] = []

    def _begin(self) -> None:
        self._topic.attach(self.name)
        self._ending.callback(self._topic.detach, self.name)
        self._is_open = True
        self._ending.callback(setattr, self, "_is_open", False)
        for member in self.members:
            self._ending.enter_context(member)

    def replace(self, member: ShareMember) -> ShareMember:
        """Another process in the place of a member that was killed.

        Raises UsageError for a member that lives, is none of the group's, or has been replaced.
        """
        if not self._is_open:
            raise UsageError(f"expected this within the `with` of {self.name}, saw it outside")
        if member not in self.members or not member.is_killed or member in self._replaced:
            raise UsageError(f"expected a member of {self.name} that was killed, and once")
        self._replaced.append(member)
        other = self._sharing.member(member.order)
        self._ending.enter_context(other)
        self.members = (*self.members, other)
        return other

    @property
    def handed(self) -> int:
        """How many records its members have been handed, counted as often as they were."""
        return sum(member.handed for member in self.members)

    @property
    def accepted(self) -> int:
        """How many records its members have accepted and were confirmed to have."""
        return sum(end - first for member in self.members for _, first, end in [*member.accepted])

    def await_handed(self, records: int, timeout_s: float = 60.0) -> None:
        """Wait until members have been handed so many more records than by now."""
        require_wait(records, timeout_s)
        wanted = self.handed + records
        self._await(f"to be handed {records} more", lambda: self.handed >= wanted, timeout_s)

    def await_accepted(self, records: int, timeout_s: float = 60.0) -> None:
        """Wait until so many more records than by now are confirmed to have been accepted."""
        require_wait(records, timeout_s)
        wanted = self.accepted + records
        self._await(f"to accept {records} more", lambda: self.accepted >= wanted, timeout_s)

    def await_all_accepted(self, timeout_s: float = 120.0) -> None:
        """Wait until all that is committed now, from offset 0 on, is accepted as far as is known.

        That was confirmed, or nobody can tell, as of what a member held that was killed: its last
        acknowledgement may have arrived, and then nobody is handed these records again. Of a topic
        with transactions, or from which something was deleted, this never comes.
        """
        wheres = list(self._topic.wheres)
        what = f"brokers to tell the ends of {self.name}'s logs"
        ends = wait_until(lambda: self._sharing.ends(wheres), what, timeout_s)
        self._await("to accept everything", lambda: self._has_accepted(ends), timeout_s)

    def _has_accepted(self, ends: Mapping[TopicPartition, int]) -> bool:
        reached = dict.fromkeys(ends, 0)
        told = [each for member in self.members for each in (*member.accepted, *member.unanswered)]
        for where, first, end in sorted(told, key=lambda each: each[1:]):
            if where in reached and first <= reached[where]:
                reached[where] = max(end, reached[where])
        return all(reached[where] >= end for where, end in ends.items())

    def _await(self, what: str, fact: Callable[[], bool], timeout_s: float) -> None:
        wait_until(
            lambda: all(member.is_well() for member in self.members) and fact(),
            f"the share group {self.name} {what}",
            timeout_s,
        )


def shared_rows(client: str, event: Event, origin_ns: int) -> Iterator[dict[str, Any]]:
    """What a member says of itself, as rows of the table `shares`."""
    step, begun_ns, ended_ns = event["event"], event["invoked_ns"], event["at_ns"]
    times = {"invoked_ns": begun_ns - origin_ns, "completed_ns": ended_ns - origin_ns}
    for topic, partition, first, end, more in event["offsets"]:
        place = {"topic": topic, "partition": partition, "first_offset": first, "end_offset": end}
        error, count = (None, more) if step == "handed" else (more, None)
        outcome = "ok" if error is None else "failed" if error in REFUSED else "unknown"
        yield {
            "group": event["group"], "client": client, **place, "step": step, "outcome": outcome,
            "delivery_count": count, **times, "error": error,
        }  # fmt: skip
