"""A share group (KIP-932) whose members live in processes of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

from highwater.harness.clients.dealing import Deal, Hand
from highwater.harness.clients.load import Heard
from highwater.harness.clients.names import Names
from highwater.harness.clients.process import Event, Launch
from highwater.harness.clients.seated import Seated
from highwater.harness.clients.seats import Seats
from highwater.harness.clients.settings import ACCEPT
from highwater.harness.lifetime import Lifetime
from highwater.harness.model import TopicPartition
from highwater.harness.topic import Topic
from highwater.harness.wait import wait_until
from highwater.harness.workloads.promises import require_timeout, require_wait

# By which a broker says that nothing has changed.
REFUSED = frozenset({"INVALID_RECORD_STATE"})

Span = tuple[TopicPartition, int, int]  # first offset, and one past the last


class Sharing(NamedTuple):
    """How a share group gets at the high watermarks, empty where not all are known; at another
    member by its order, as an adapter is told; at what its coordinator says each client has; and
    for how long brokers let it begin at offset 0.
    """

    ends: Callable[[Sequence[TopicPartition]], Mapping[TopicPartition, int]]
    member: Callable[[Mapping[str, Any]], ShareMember]
    held: Callable[[str], Mapping[str, frozenset[tuple[str, int]]]]
    begun: Callable[[str], AbstractContextManager[None]]


class ShareMember(Seated):
    """One share consumer, in a process of its own; what it last said of itself."""

    def __init__(self, launch: Launch, heard: Heard) -> None:
        super().__init__(launch)
        self.handed = 0  # records, counted as often as they were handed out
        self.holding: list[Span] = []  # what it was handed and has not acknowledged
        self.accepted: list[Span] = []  # what was confirmed
        self.unanswered: list[Span] = []  # what it may have accepted, and nobody can tell
        self._heard = heard
        self._names = Names(launch.order)

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
                self._fatal = event["text"]
        self._heard(self.name, self._names.recorded(event))

    def _span(self, told: Sequence[Any]) -> Span:
        topic, partition, first, end, *_ = told
        return self._names.where(topic, partition), first, end

    def assigned(self, told: Mapping[str, frozenset[tuple[str, int]]]) -> frozenset[TopicPartition]:
        """Of what a coordinator tells of all clients."""
        return frozenset(self._names.where(*each) for each in told.get(self.name, ()))

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
    """Members that are handed the records of one topic by turns, for the length of a `with`.

    When the context is entered each member has begun; `await_assigned` waits until its group knows.
    """

    def __init__(
        self, name: str, topic: Topic, members: Sequence[ShareMember], sharing: Sharing
    ) -> None:
        super().__init__()
        self.name = name
        self._topic = topic
        self._sharing = sharing
        self._seats = Seats(name, members, sharing.member)

    def _begin(self) -> None:
        self._topic.require_ours()
        self._topic.attach(self.name)
        self._ending.callback(self._topic.detach, self.name)
        self._ending.enter_context(self._sharing.begun(self._group))
        self._ending.enter_context(self._seats)

    @property
    def members(self) -> tuple[ShareMember, ...]:
        """All that it has had, those that were killed or have left as well."""
        return self._seats.members

    def replace(self, member: ShareMember) -> ShareMember:
        """Another process in the place of a member that was killed.

        Raises UsageError for a member that lives, is none of the group's, or has been replaced.
        """
        return self._seats.replace(member)

    def join(self, timeout_s: float = 60.0) -> ShareMember:
        """One more member, in a process of its own, which is handed records as the others are.

        Returns when its group has assigned it partitions, and each partition to a member that runs.
        Raises UsageError for more members than a group can have.
        """
        require_timeout(timeout_s)
        joined = self._seats.join()
        self.await_assigned(timeout_s)
        return joined

    def leave(self, member: ShareMember, timeout_s: float = 60.0) -> None:
        """Let a member stop in order, which acknowledges what it holds.

        Returns when its group does not have it any more, and has assigned each partition to a
        member that runs. Raises UsageError for a member that is gone or frozen, none of the
        group's, or the last one that is neither.
        """
        require_timeout(timeout_s)
        self._seats.leave(member)
        self.await_assigned(timeout_s)

    def await_assigned(self, timeout_s: float = 60.0) -> None:
        """Wait until each partition is assigned to members that run, and some to each of these.

        So says the coordinator, of what members have heard. What nobody has but one that is frozen
        or was killed is given to others after group.share.session.timeout.ms, which is 45 s.
        """
        require_timeout(timeout_s)
        self._seats.require_open()
        what = f"the partitions of {self.name} to be assigned, and some to each member"
        wait_until(lambda: self._seats.are_well() and self._deal(), what, timeout_s)

    @property
    def _group(self) -> str:
        """As brokers know it."""
        group: str = self.members[0].order["group"]
        return group

    def _deal(self) -> Deal:
        told = self._sharing.held(self._group)
        hands = [Hand.of(each, each.assigned(told)) for each in self.members]
        return Deal(frozenset(self._topic.wheres), hands, exclusive=False, shared_out=True)

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
        require_timeout(timeout_s)
        self._seats.require_open()
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
        self._seats.require_open()
        wait_until(
            lambda: self._seats.are_well() and fact(),
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
