"""A consumer group whose members live in processes of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from highwater.harness.clients.dealing import Deal, Hand
from highwater.harness.clients.member import Member
from highwater.harness.clients.seats import Seats
from highwater.harness.errors import PreconditionError, UsageError
from highwater.harness.lifetime import Lifetime
from highwater.harness.model import TopicPartition
from highwater.harness.topic import Topic, require_topics
from highwater.harness.topics import Topics
from highwater.harness.wait import wait_until
from highwater.harness.workloads.promises import require_timeout, require_wait

JOIN_TIMEOUT_S = 60.0


class Ways(NamedTuple):
    """How a group gets at what it cannot know: the high watermarks of partitions, empty where not
    all are known; a member by its order, as an adapter is told; the topics of the play; and to
    which topics members send.
    """

    ends: Callable[[Sequence[TopicPartition]], Mapping[TopicPartition, int]]
    member: Callable[[Mapping[str, Any]], Member]
    topics: Topics
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
        self.prefix = ""  # of all topics that it reads, where it reads all that have it
        self._topics = tuple(topics)
        self._ways = ways
        self._seats = Seats(name, members, ways.member)

    def _begin(self) -> None:
        for topic in (*self._topics, *self._ways.into):
            self._attach(topic)
        self._ending.callback(self._follow, "")
        self._ending.enter_context(self._seats)
        self._await_shared_out(JOIN_TIMEOUT_S)

    def _attach(self, topic: Topic) -> None:
        """It knows it to its end, whatever it reads by then."""
        topic.require_ours()
        topic.attach(self.name)
        self._ending.callback(topic.detach, self.name)

    @property
    def members(self) -> tuple[Member, ...]:
        """All that it has had, those that were killed or have left as well."""
        return self._seats.members

    def replace(self, member: Member) -> Member:
        """Another process in the place of a member that was killed; a static one is that member.

        Raises UsageError for a member that lives, is none of the group's, or has been replaced.
        """
        return self._seats.replace(member)

    def join(self, timeout_s: float = 60.0) -> Member:
        """One more member, in a process of its own, which reads what the others do.

        Every partition is assigned again when this returns, and some to each member where a topic
        has as many; of one that is frozen others have the partitions, as soon as its session is
        over. Raises UsageError for more members than a group can have.
        """
        require_timeout(timeout_s)
        joined = self._seats.join()
        self._await_shared_out(timeout_s)
        return joined

    def leave(self, member: Member, timeout_s: float = 60.0) -> None:
        """Let a member stop in order; its partitions are assigned to others when this returns.

        Raises UsageError for a member that is gone or frozen, none of the group's, or the last one
        that is neither. Who is static does not say that it leaves: others have its partitions when
        its session is over.
        """
        require_timeout(timeout_s)
        self._seats.leave(member)
        self.await_assigned(timeout_s)

    def take_seat(self, member: Member) -> Member:
        """Another process under the group.instance.id of a static member that lives.

        Its group takes the new one for that member, and refuses the old one from then on (KIP-345);
        with protocol="consumer" it refuses the new one as long as the old one is there (KIP-848).
        Raises UsageError for a member that is not static, was killed, or is none of the group's.
        """
        self._seats.require_static(member)
        return self._seats.seat(member.order)

    @property
    def _has_enough(self) -> bool:
        """Whether one topic has partitions for all, however they are dealt out."""
        return max(map(len, self._topics), default=0) >= len(self._seats.running)

    def subscribe(self, *topics: Topic) -> None:
        """Have all members read these topics, and no others, from now on.

        Every partition of them is assigned to a member when this returns. Raises UsageError, before
        anything changes, for what is no topic, for one that is named twice, and for none.
        """
        self._seats.require_open()
        if not topics:
            raise UsageError(f"expected {self.name} to read at least one topic, saw none")
        require_topics(*topics)
        self._read(topics)

    def subscribe_by_prefix(self, prefix: str) -> None:
        """Have all members read every topic of the play whose name begins with this.

        Those that are there are read when this returns. One that is created later is found without
        a word of ours, by the members' library or with protocol="consumer" by brokers (KIP-848),
        and dealt out; `await_assigned` waits for that. Raises UsageError, before anything changes,
        where no topic's name begins so, and where members send to one of them.
        """
        self._seats.require_open()
        whole, topics = self._ways.topics.beginning_with(prefix)
        self._read(topics, whole)

    def _read(self, topics: Sequence[Topic], prefix: str = "") -> None:
        if any("command" in member.order for member in self.members):
            raise UsageError(f"members in other languages keep their topics, as {self.name} does")
        self._refuse_to_read(topics)
        for topic in topics:
            topic.require_ours()
        for topic in topics:
            self._attach(topic)
        self._follow(prefix)
        self._topics = tuple(topics)
        for member in self.members:
            if not member.has_left:
                member.subscribe(topics, prefix)
        self.await_assigned()

    def _follow(self, prefix: str) -> None:
        """From now on, or no more."""
        followers = self._ways.topics.followers
        if self in followers:
            followers.remove(self)
        self.prefix = prefix
        if prefix:
            followers.append(self)

    def expect(self, name: str) -> None:
        """A topic with its prefix is about to be created: it is to be read as well from now on."""
        for member in self.members:
            if not member.has_left:
                member.expect(name)

    def take_on(self, topic: Topic) -> None:
        """It has been created."""
        self._attach(topic)
        self._topics = (*self._topics, topic)

    def give_up(self, name: str) -> None:
        """It has not."""
        for member in self.members:
            if not member.has_left:
                member.give_up(name)

    def _refuse_to_read(self, topics: Sequence[Topic]) -> None:
        """Raises UsageError for a topic that is named twice, and for one that members send to."""
        names = [topic.name for topic in topics]
        if len({*names}) < len(names):
            raise UsageError(f"expected topics for {self.name}, each once, saw {', '.join(names)}")
        own = [topic.name for topic in self._ways.into if topic in topics]
        if own:
            raise UsageError(f"expected {self.name} to read other topics than {own[0]}, its output")

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

        None: not known, as of what only a member has that is frozen. Who stands still hears of no
        new ones: to wait for all that is committed there is `await_caught_up`.
        """
        if not self._deal():
            return None
        lags = [member.lag_records for member in self._seats.running if member.assigned]
        return None if None in lags else sum(lag for lag in lags if lag is not None)

    @property
    def assigned(self) -> frozenset[TopicPartition]:
        """The partitions that some member reads."""
        return frozenset().union(*(member.assigned for member in self.members))

    def await_assigned(self, timeout_s: float = 60.0) -> None:
        """Wait until each partition is assigned to exactly one member that is not frozen.

        Others are given what a frozen one has when its session is over.
        """
        require_timeout(timeout_s)
        self._seats.require_open()
        what = f"the partitions of {self.name} to be assigned"
        wait_until(lambda: self._seats.are_well() and self._deal(), what, timeout_s)

    def _await_shared_out(self, timeout_s: float) -> None:
        """The same, and that each member has some: the first one there is given all at first."""
        wait_until(
            lambda: self._seats.are_well() and self._deal(shared_out=self._has_enough),
            f"the partitions of {self.name} to be assigned, and some to each member",
            timeout_s,
        )

    def _deal(self, *, shared_out: bool = False) -> Deal:
        hands = [Hand.of(each, each.assigned) for each in self.members]
        return Deal(self._wheres, hands, shared_out=shared_out)

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
            if not self._seats.are_well() or not fact():
                self._seats.require_open()
                if not self._seats.living:
                    raise PreconditionError(f"expected {self.name} {what}, saw all members killed")
                return False
            return True

        wait_until(is_so, f"the group {self.name} {what}", timeout_s)
