"""Every move that a schedule can have: when it fits, what it does, and what shows that it did."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import ClassVar

from highwater.exploration.coordinators import prefer
from highwater.exploration.ground import BLIND, DEPOSED, ENGROSSED, QUORUM, Ground
from highwater.exploration.plot import Plot
from highwater.exploration.steps import Move, move
from highwater.exploration.views import View
from highwater.faults.block_link import BlockLink
from highwater.faults.hold_answers import HoldAnswers
from highwater.faults.kill import Kill
from highwater.faults.stop import Stop
from highwater.harness.errors import HighwaterError, UsageError
from highwater.harness.model import TopicPartition
from highwater.harness.partition import Partition
from highwater.harness.probes.wire import AnswerError
from highwater.harness.workloads.requests import Acks

APPENDED_S = 1.0
STANDS_S = 0.4
ELECTED_S = 1.5
OUT_S = 3.5
DEPOSED_S = 12.0  # a session of several voters, after the election of one that leads
AT_MOST_DOWN = 1


class _OfAPartition(Move):
    """About one partition and no broker, link or order alone."""

    __slots__ = ()

    def plot_of(self, ground: Ground) -> Plot | None:
        """The partition that it is about; None where there is none."""
        return ground.plot

    def seen_in(self, view: View) -> View | None:
        """What is seen of that partition."""
        return view


@move
@dataclass(frozen=True, slots=True)
class Send(_OfAPartition):
    """One request to the leader."""

    records: int
    acks: str

    name: ClassVar[str] = "send"
    writes_records: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Raises UsageError for a request that nobody can send."""
        if self.records < 1 or self.acks not in {*Acks}:
            known = " or ".join(Acks)
            raise UsageError(f"expected records from 1 on and acks of {known}, saw {self}")

    def fits(self, ground: Ground, view: View) -> bool:
        seen = self.seen_in(view)
        if seen is None or seen.leader < 0:
            return False
        return seen.leader not in {*ground.down, *ground.frozen}

    def take(self, ground: Ground, view: View, *, waits: bool) -> None:  # noqa: ARG002
        """Always until it is appended or refused: one that was not sent is no step."""
        plot, seen = self.plot_of(ground), self.seen_in(view)
        assert plot is not None
        assert seen is not None
        leader, before = seen.leader, plot.partition.log_end_offset(seen.leader)
        sent = plot.send(self.records, Acks(self.acks))
        probe, where = ground.play.cluster.probe(leader), plot.partition.where
        ground.soon(lambda: sent.is_over or probe.log_end_offset(where) > before, APPENDED_S)


@move
@dataclass(frozen=True, slots=True)
class Cut(Move):
    """A follower fetches from nobody, and nobody notices."""

    broker: int

    name: ClassVar[str] = "cut"

    def fits(self, ground: Ground, view: View) -> bool:  # noqa: ARG002
        return (self.name, self.broker) not in ground.links

    def take(self, ground: Ground, view: View, *, waits: bool) -> None:
        cut = ground.open(self.name, self.broker, BlockLink(self.broker))
        if waits and _fetches(ground, view, self.broker):
            with suppress(HighwaterError):
                cut.rule.standing(STANDS_S)


@move
@dataclass(frozen=True, slots=True)
class Mute(Move):
    """Answers to a follower are held, at once or from the one behind the next with records on."""

    broker: int
    after_records: bool

    name: ClassVar[str] = "mute"

    def fits(self, ground: Ground, view: View) -> bool:  # noqa: ARG002
        return (self.name, self.broker) not in ground.links

    def take(self, ground: Ground, view: View, *, waits: bool) -> None:
        held = HoldAnswers(None, self.broker, after_records=self.after_records)
        mute = ground.open(self.name, self.broker, held)
        if waits and not self.after_records and _fetches(ground, view, self.broker):
            with suppress(HighwaterError):
                mute.rule.standing(STANDS_S)


@move
@dataclass(frozen=True, slots=True)
class Release(Move):
    """What another move has opened ends; what stands is delivered, or discarded."""

    of: str
    broker: int
    deliver: bool

    name: ClassVar[str] = "release"

    def fits(self, ground: Ground, view: View) -> bool:  # noqa: ARG002
        return (self.of, self.broker) in ground.links

    def take(self, ground: Ground, view: View, *, waits: bool) -> None:  # noqa: ARG002
        ground.release(self.of, self.broker, deliver=self.deliver)


@move
@dataclass(frozen=True, slots=True)
class Lead(_OfAPartition):
    """A member of the ISR is made the leader by a preferred election."""

    broker: int

    name: ClassVar[str] = "lead"

    def fits(self, ground: Ground, view: View) -> bool:
        seen = self.seen_in(view)
        if seen is None or self.broker == seen.leader or self.broker in ground.down:
            return False
        return self.broker in seen.isr and _is_decided(ground)

    def take(self, ground: Ground, view: View, *, waits: bool) -> None:  # noqa: ARG002
        plot = self.plot_of(ground)
        assert plot is not None
        elect(ground, plot.partition.where, self.broker, "lead")
        if waits:
            ground.soon(lambda: self._leads(ground, plot.partition), ELECTED_S)

    def _leads(self, ground: Ground, partition: Partition) -> bool:
        if partition.leader != self.broker:
            return False
        knows = ground.play.cluster.probe(self.broker).leads(partition.where)
        unheard = {("deafen", self.broker), (BLIND, self.broker)}
        return knows or not unheard.isdisjoint(ground.links)


@move
@dataclass(frozen=True, slots=True)
class Prefer(Move):
    """Another replica becomes the preferred one; the leader stays."""

    broker: int

    name: ClassVar[str] = "prefer"

    def fits(self, ground: Ground, view: View) -> bool:
        if view.partition is None or ground.down or not _is_decided(ground):
            return False
        return self.broker in view.partition.replicas[1:]

    def take(self, ground: Ground, view: View, *, waits: bool) -> None:  # noqa: ARG002
        prefer(ground.play.cluster, ground.partition.where, self.broker)


@move
@dataclass(frozen=True, slots=True)
class Shrink(Move):
    """A follower that is cut leaves the ISR of a leader that is impatient."""

    name: ClassVar[str] = "shrink"

    def fits(self, ground: Ground, view: View) -> bool:
        cut = {broker for name, broker in ground.links if name == "cut"}
        return view.leader in view.impatient and bool(cut & {*view.in_sync_followers})

    def take(self, ground: Ground, view: View, *, waits: bool) -> None:  # noqa: ARG002
        ground.soon(lambda: ground.partition.state().isr != view.isr, OUT_S)


class _Down(Move):
    """A broker goes down."""

    __slots__ = ()
    broker: int

    def fits(self, ground: Ground, view: View) -> bool:  # noqa: ARG002
        # One that is blind would not come back, and one that is engrossed not come to its end.
        held = {(BLIND, self.broker), (ENGROSSED, self.broker)} & ground.links.keys()
        return not held and not ground.frozen and len(ground.down) < AT_MOST_DOWN

    def await_deposed(self, ground: Ground, view: View) -> None:
        if view.leader == self.broker:
            ground.soon(lambda: ground.partition.leader != self.broker, DEPOSED_S)


@move
@dataclass(frozen=True, slots=True)
class KillBroker(_Down):
    """A broker dies at once; its page cache survives."""

    broker: int

    name: ClassVar[str] = "kill"

    def take(self, ground: Ground, view: View, *, waits: bool) -> None:
        ground.take_down(self.broker, Kill(self.broker))
        if waits:
            self.await_deposed(ground, view)


@move
@dataclass(frozen=True, slots=True)
class StopBroker(_Down):
    """A broker shuts down in order."""

    broker: int

    name: ClassVar[str] = "stop"

    def take(self, ground: Ground, view: View, *, waits: bool) -> None:
        ground.take_down(self.broker, Stop(self.broker))
        if waits:
            self.await_deposed(ground, view)


@move
@dataclass(frozen=True, slots=True)
class StartBroker(Move):
    """A broker that is down comes back."""

    broker: int

    name: ClassVar[str] = "start"

    def fits(self, ground: Ground, view: View) -> bool:  # noqa: ARG002
        return self.broker in ground.down and not ground.is_at_odds

    def take(self, ground: Ground, view: View, *, waits: bool) -> None:  # noqa: ARG002
        ground.bring_back(self.broker)


def elect(ground: Ground, where: TopicPartition, broker: int, told: str) -> None:
    """Ask for this one to lead a partition, as the preferred replica; `told` is what it shall."""
    prefer(ground.play.cluster, where, broker)
    ground.play.step(f"preferred leader election: {broker} shall {told}")
    with suppress(AnswerError):  # the ISR may have changed meanwhile
        ground.play.cluster.metadata.elect_preferred(where)


def _is_decided(ground: Ground) -> bool:
    """Somebody carries out what is asked for: before 3.7 (KAFKA-15489) brokers stay with a leader
    that is deposed, and who asks hears nothing for most of a minute.
    """
    return (DEPOSED, QUORUM) not in ground.links or ground.kafka.at_least("3.7")


def _fetches(ground: Ground, view: View, broker: int) -> bool:
    return view.leader not in {-1, broker} and broker not in ground.down
