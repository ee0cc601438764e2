"""A consumer group whose members live in processes of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from highwater.harness.clients.member import Member
from highwater.harness.clients.names import refuse_group
from highwater.harness.errors import PreconditionError, UsageError
from highwater.harness.lifetime import Lifetime
from highwater.harness.model import TopicPartition
from highwater.harness.topic import Topic, require_topics
from highwater.harness.wait import wait_until
from highwater.harness.workloads.promises import require_timeout, require_wait

JOIN_TIMEOUT_S = 60.0


class Ways(NamedTuple):
    """How a group gets at what it cannot know: the high watermarks of partitions, empty where not
    all are known; a member by its order, as an adapter is told; and to which topics they send.
    """

    ends: Callable[[Sequence[TopicPartition]], Mapping[TopicPartition, int]]
    member: Callable[[Mapping[str, Any]], Member]
    into: Sequence[Topic] = ()


class Group(Lifetime):
    """Members that read topics together, for the length of a `with`.

    When the context is entered every partition is assigned to a member, and some to each of them
    where a topic has as many.
    """

    def __init__(
        self, name: str, topics: Sequence[Topic], members: Sequence[Member], ways: Ways
    ) -> None:
        super().__init__()
        self.name = name
        self.members = tuple(members)
        self._topics = tuple(topics)
        self._ways = ways
        self._is_open = False
        self._replaced: list[Member] = []

    def _begin(self) -> None:
        for topic in (*self._topics, *self._ways.into):
            self._attach(topic)
        self._is_open = True
        self._ending.callback(setattr, self, "_is_open", False)
        for member in self.members:
            self._enter(member)
        self._await_shared_out(JOIN_TIMEOUT_S)

    def _attach(self, topic: Topic) -> None:
        """It knows it to its end, whatever it reads by then."""
        topic.require_ours()
        topic.attach(self.name)
        self._ending.callback(topic.detach, self.name)

    def _enter(self, member: Member) -> None:
        self._ending.enter_context(member)
        self._ending.callback(self._say_stopping)

    def _say_stopping(self) -> None:
        """Before the first one ends: what others are assigned then is a matter of the end."""
        for member in self.members:
            member.say_stopping()

    def replace(self, member: Member) -> Member:
        """Another process in the place of a member that was killed; a static one is that member.

        Raises UsageError for a member that lives, is none of the group's, or has been replaced.
        """
        self._require_open()
        if member not in self.members or not member.is_killed or member in self._replaced:
            saw = member.name if isinstance(member, Member) else repr(member)
            again = ", which has been replaced" if member in self._replaced else ""
            raise UsageError(
                f"expected a member of {self.name} that was killed, saw {saw:.120}{again}"
            )
        self._replaced.append(member)
        return self._seat(member.order)

    def join(self, timeout_s: float = 60.0) -> Member:
        """One more member, in a process of its own, which reads what the others do.

        Every partition is assigned again when this returns, and some to each member where a topic
        has as many. Raises UsageError for more members than a group can have.
        """
        require_timeout(timeout_s)
        self._require_open()
        refuse_group(self.name, len(self._living) + 1)
        seats = {member.order["seat"] for member in self.members}
        order = next(member.order for member in self.members if not member.has_left)
        joined = self._seat({**order, "seat": f"{self.name}-{len(seats) + 1}"})
        self._await_shared_out(timeout_s)
        return joined

    def leave(self, member: Member, timeout_s: float = 60.0) -> None:
        """Let a member stop in order; its partitions are assigned to others when this returns.

        Raises UsageError for a member that is gone, none of the group's, or the last one. Who is
        static does not say that it leaves: others have its partitions when its session is over.
        """
        require_timeout(timeout_s)
        self._require_open()
        if member not in self._living or len(self._living) == 1:
            saw = member.name if isinstance(member, Member) else repr(member)
            last = ", which is the last one" if member in self._living else ""
            raise UsageError(f"expected a member of {self.name} that lives, saw {saw:.120}{last}")
        member.leave()
        self.await_assigned(timeout_s)

    @property
    def _living(self) -> Sequence[Member]:
        return [each for each in self.members if not each.is_killed and not each.has_left]

    @property
    def _has_enough(self) -> bool:
        """Whether one topic has partitions for all, however they are dealt out."""
        return max(map(len, self._topics), default=0) >= len(self._living)

    def take_seat(self, member: Member) -> Member:
        """Another process under the group.instance.id of a static member that lives.

        Its group takes the new one for that member, and refuses the old one from then on (KIP-345).
        Raises UsageError for a member that is not static, was killed, or is none of the group's.
        """
        self._require_open()
        if member not in self._living or not member.order["settings"]["static"]:
            saw = member.name if isinstance(member, Member) else repr(member)
            raise UsageError(f"expected a static member of {self.name} that lives, saw {saw:.120}")
        return self._seat(member.order)

    def _seat(self, order: Mapping[str, Any]) -> Member:
        other = self._ways.member(order)
        self._enter(other)
        self.members = (*self.members, other)
        return other

    def subscribe(self, *topics: Topic) -> None:
        """Have all members read these topics, and no others, from now on.

        Every partition of them is assigned to a member when this returns. Raises UsageError, before
        anything changes, for what is no topic, for one that is named twice, and for none.
        """
        self._require_open()
        if not topics:
            raise UsageError(f"expected {self.name} to read at least one topic, saw none")
        require_topics(*topics)
        names = [topic.name for topic in topics]
        if len({*names}) < len(names):
            raise UsageError(f"expected topics for {self.name}, each once, saw {', '.join(names)}")
        for topic in topics:
            self._attach(topic)
        self._topics = topics
        for member in self.members:
            if not member.has_left:
                member.subscribe(topics)
        self.await_assigned()

    def _require_open(self) -> None:
        if not self._is_open:
            raise UsageError(f"expected this within the `with` of {self.name}, saw it outside")

    @property
    def _wheres(self) -> frozenset[TopicPartition]:
        """All that it has to read; a topic may have been given partitions."""
        return frozenset(where for topic in self._topics for where in topic.wheres)

    @property
    def handed(self) -> int:
        """How many records its members have been handed, counted as often as they were."""
        return sum(member.handed for member in self.members)

    @property
    def committed(self) -> int:
        """Below the positions that were confirmed: how many offsets, of all partitions."""
        return sum(
            max(member.committed.get(where, 0) for member in self.members) for where in self._wheres
        )

    @property
    def lag_records(self) -> int | None:
        """How many records below the high watermarks are to be handed out, as far as members know.

        None: not known. Who stands still hears of no new ones: to wait for all that is committed
        there is `await_caught_up`.
        """
        if self.assigned != self._wheres:
            return None
        lags = [member.lag_records for member in self.members if member.assigned]
        return None if None in lags else sum(lag for lag in lags if lag is not None)

    @property
    def assigned(self) -> frozenset[TopicPartition]:
        """The partitions that some member reads."""
        return frozenset().union(*(member.assigned for member in self.members))

    def await_assigned(self, timeout_s: float = 60.0) -> None:
        """Wait until each partition is assigned to exactly one member."""
        require_timeout(timeout_s)
        wait_until(self._is_dealt, f"the partitions of {self.name} to be assigned", timeout_s)

    def _await_shared_out(self, timeout_s: float) -> None:
        """The same, and that each member has some: the first one there is given all at first."""
        wait_until(
            lambda: self._is_dealt() and not (self._has_enough and self._idle),
            f"the partitions of {self.name} to be assigned, and some to each member",
            timeout_s,
        )

    @property
    def _idle(self) -> Sequence[Member]:
        return [each for each in self._living if not each.assigned]

    def _is_dealt(self) -> bool:
        counts = sum(len(member.assigned) for member in self.members)
        return self._is_well() and self.assigned == self._wheres and counts == len(self._wheres)

    def await_handed(self, records: int, timeout_s: float = 60.0) -> None:
        """Wait until members have been handed so many more records than by now."""
        require_wait(records, timeout_s)
        wanted = self.handed + records
        self._await(f"to be handed {records} more", lambda: self.handed >= wanted, timeout_s)

    def await_committed(self, records: int, timeout_s: float = 60.0) -> None:
        """Wait until positions that were confirmed lie so many offsets higher than by now."""
        require_wait(records, timeout_s)
        wanted = self.committed + records
        self._await(f"to commit {records} more", lambda: self.committed >= wanted, timeout_s)

    def await_caught_up(self, timeout_s: float = 60.0) -> None:
        """Wait until members have been handed all that is committed now, or it has been deleted."""
        require_timeout(timeout_s)
        wheres = list(self._wheres)
        ends = wait_until(
            lambda: self._ways.ends(wheres),
            f"brokers to tell the ends of {self.name}'s logs",
            timeout_s,
        )
        self._await("to have been handed everything", lambda: self._is_beyond(ends), timeout_s)

    def _is_beyond(self, ends: Mapping[TopicPartition, int]) -> bool:
        """A member that is frozen does not know yet that somebody else has its partitions."""
        return all(
            end <= max(member.positions.get(where, 0) for member in self.members)
            for where, end in ends.items()
        )

    def _await(self, what: str, fact: Callable[[], bool], timeout_s: float) -> None:
        """Raises UsageError outside the `with`, PreconditionError once no member lives any more."""

        def is_so() -> bool:
            if not self._is_well() or not fact():
                self._require_open()
                if not self._living:
                    raise PreconditionError(f"expected {self.name} {what}, saw all members killed")
                return False
            return True

        wait_until(is_so, f"the group {self.name} {what}", timeout_s)

    def _is_well(self) -> bool:
        return all(member.is_well() for member in self.members)
