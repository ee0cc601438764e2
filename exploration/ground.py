"""What a schedule is played on: a play with one partition, its requests, and what is open in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TypeVar

from highwater.exploration.coordinators import COORDINATED_S, as_at_first
from highwater.exploration.logs import of_payload
from highwater.exploration.plot import Plot
from highwater.exploration.positions import Positions
from highwater.exploration.pouring import Pouring
from highwater.exploration.transacted import Transacted
from highwater.exploration.transactors import TIMEOUT_MS, Transactor
from highwater.exploration.views import Promised, View
from highwater.faults.at_the_gate import AtTheGate
from highwater.faults.kill import Kill
from highwater.faults.targets import TRANSACTIONS
from highwater.harness.cluster import Fault
from highwater.harness.errors import DeadlineError
from highwater.harness.model import Evidence, ReplicaState
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.wait import wait_until
from highwater.harness.workloads.requests import Acks

T = TypeVar("T")
Opened = TypeVar("Opened", bound=Evidence)
CALM_S = 0.6  # how long the replicas may take until nothing moves any more
BETWEEN_LOOKS_S = 0.06  # a fetch and a half apart
ANSWERED_S = 3.0
SETTLED_S = 12.0
CLAIMED_S = 12.0  # for the next producer of an id, once everything is healed
HANGS_S = TIMEOUT_MS / 1000 + 25.0  # more than the claims about transactions wait for
STUCK_S = 45.0
FROZEN, BLIND, DEPOSED, ENGROSSED = "freeze", "blind", "depose", "engross"
QUORUM = 0  # in the place of a broker: what is open around whoever leads the voters
WITHHELD, DELAYED = MARKERS = ("withhold", "delay_marker")  # what holds markers is called so


class Ground:
    """A partition of a play, or two; `impatient` brokers soon take who lags out of the ISR."""

    def __init__(
        self,
        play: Play,
        partition: Partition,
        impatient: AbstractSet[int] = frozenset(),
        *,
        of_groups: bool = False,
    ) -> None:
        """With `of_groups` what is looked at and moved is the log of what groups commit of it."""
        self.play = play
        self.positions = Positions(play, partition.where) if of_groups else None
        kept = self.positions.kept() if self.positions else partition
        value_of = self.positions.value_of if self.positions else of_payload
        self.plot = Plot(play, kept, value_of)
        self.neighbour: Plot | None = None  # another partition on these brokers
        self.topic_settings: Mapping[str, str] = {}  # where the topic is created anew
        self.kafka = play.cluster.kafka
        self.links: dict[tuple[str, int], Evidence] = {}  # by move and broker
        self.down: dict[int, Evidence] = {}  # brokers that were killed or stopped
        self.injected: dict[str, list[Evidence]] = {}  # faults of a scenario's, by their text
        self.pouring: list[Pouring] = []  # sends that go on meanwhile, to each partition
        self.transactors: dict[int, Transactor] = {}
        self._has_topic = True  # or it is half deleted, and nobody can be asked about it
        self._stuck: tuple[str, ...] = ()  # of them, when all was healed
        self._unclosed: tuple[str, ...] = ()
        self._impatient = impatient

    @property
    def partition(self) -> Partition:
        return self.plot.partition

    @property
    def _plots(self) -> list[Plot]:
        return [self.plot] if self.neighbour is None else [self.plot, self.neighbour]

    # -- looking

    def view(self) -> View:
        """What is there at this moment; nobody leads where nobody knows."""
        seen = self.plot.look()
        bare = self.plot.bare(seen)
        if seen is not None and self.transactors and bare.leader in seen.replicas:
            bare = replace(bare, transacted=self._transacted(seen.replicas[bare.leader]))
        view = self._view(bare, self.plot, self._promised())
        if self.positions is not None:
            view = replace(view, positioned=self.positions.seen(self.plot.logs))
        if self.neighbour is None:
            return view
        beside = self.neighbour.bare(self.neighbour.look())
        return replace(view, beside=self._view(beside, self.neighbour, self.neighbour.promised))

    def _view(self, bare: View, plot: Plot, promised: Promised) -> View:
        """What was promised is known before the logs are read, and so is in them."""
        return replace(
            bare,
            logs=plot.read(),
            promised=promised,
            dead=frozenset(self.down),
            troubles=self._troubles(),
            impatient=self._impatient,
            quorum=self.quorum,
        )

    def _transacted(self, leader: ReplicaState) -> Transacted:
        log, producers = self.plot.logs[leader.broker], self.transactors.values()
        self.plot.read()
        values = [each.cargo.values for each in producers]
        held = [] if self.positions else [value for _, value, _ in log.kept if value is not None]
        sent = {value for each in values for value in each.sent}
        return Transacted(
            standings=tuple((number, str(each)) for number, each in self.transactors.items()),
            last_stable=leader.last_stable_offset,
            mark=leader.high_watermark,
            committed=frozenset().union(*(each.committed for each in values)),
            aborted=frozenset().union(*(each.aborted for each in values)),
            visible=frozenset() if self.positions else log.visible,
            doubtful=tuple(each for of_one in values for each in of_one.doubtful),
            there=frozenset(held),
            repeated=frozenset(each for each, times in Counter(held).items() if times > 1) & sent,
            are_alike=bool(self.positions)
            or len({each.visible for each in self.plot.logs.values()}) == 1,
            unclosed=self._unclosed,
            is_withheld=any(name in MARKERS for name, _ in self.links),
            delayed=tuple(broker for broker, each in self._delayed() if each.proof["held"]),
            stuck=self._stuck,
        )

    def _delayed(self) -> Iterator[tuple[int, Evidence]]:
        return ((broker, each) for (name, broker), each in self.links.items() if name == DELAYED)

    def _promised(self) -> Promised:
        if self.positions is not None:
            logs = self.plot.logs.items()
            return self.positions.promised({each: log.kept for each, log in logs})
        return self.plot.promised

    def _troubles(self) -> dict[int, str]:
        found: dict[int, str] = {}
        for name, broker in sorted(self.links):
            found[broker] = f"{found[broker]}+{name}" if broker in found else name
        return found

    def calm(self) -> View:
        """As soon as two looks in a row are the same, or CALM_S are over."""
        seen = [self.view()]

        def still() -> bool:
            seen.append(self.view())
            return seen[-1].is_as(seen[-2])

        with suppress(DeadlineError):
            wait_until(still, "replicas that do not move", CALM_S, interval_s=BETWEEN_LOOKS_S)
        return seen[-1]

    def soon(self, fact: Callable[[], T], timeout_s: float) -> None:
        """Wait for what may well never come."""
        with suppress(DeadlineError):
            wait_until(fact, "the effect of a step", timeout_s)

    # -- acting

    def pour(self, gap_ms: int) -> None:
        """Send one record after another, so long apart, until `heal`."""
        for each in self._plots:
            self.pouring.append(Pouring(partial(each.send, 1, Acks.ALL), gap_ms / 1000))

    def recreate(self) -> None:
        """Another topic of its name, on all brokers, in the place of the one that is played on."""
        (topic,) = (each for each in self.play.topics if self.partition in each)
        self._has_topic = False
        topic.delete()
        again = self.play.topic(replicas=topic.replicas, settings=self.topic_settings)
        self.plot.begin_anew(again[0])
        self._has_topic = True

    @property
    def frozen(self) -> list[int]:
        return [broker for name, broker in self.links if name == FROZEN]

    @property
    def quorum(self) -> str:
        """What is wrong with the voters; nothing as a rule."""
        return next((name for name, broker in self.links if broker == QUORUM), "")

    @property
    def is_at_odds(self) -> bool:
        """The voters are, or a broker does not hear them: who starts now would not be known."""
        return any(broker == QUORUM or name == BLIND for name, broker in self.links)

    def transactor(self, number: int) -> Transactor:
        """The producer of this number, which begins with nothing."""
        if number not in self.transactors:
            group = self.positions.of(number) if self.positions else None
            producer = Transactor(self.play, self.partition.where, number, group)
            self.soon(producer.asking.is_coordinated, COORDINATED_S)
            if not self.transactors:
                as_at_first(self.play.cluster, TRANSACTIONS)
            self.transactors[number] = producer
        return self.transactors[number]

    def open(self, name: str, broker: int, fault: Fault[Opened]) -> Opened:
        """Let something stand around a broker until `release`."""
        opened = self.links[name, broker] = self.play.inject(fault)
        return opened

    def release(self, name: str, broker: int, *, deliver: bool) -> None:
        """End what was opened; what stands at the gate is delivered, or discarded."""
        opened = self.links.pop((name, broker))
        if deliver and isinstance(opened, AtTheGate):
            opened.rule.pass_on()
        # A broker that is blind does not find the next voter that leads: its session ends.
        (self.play.abandon if self.is_at_odds else self.play.heal)(opened)

    def take_down(self, broker: int, fault: Fault[Evidence]) -> None:
        self.down[broker] = self.play.inject(fault)

    def bring_back(self, broker: int) -> None:
        self.play.heal(self.down.pop(broker))

    def heal(self) -> None:
        """End all that is open, and wait for the answers that are still to come."""
        for sends in self.pouring:
            sends.end()
        self._deliver_markers()
        self._gather_voters()
        self.links.clear()
        self.down.clear()
        self.injected.clear()
        self.play.heal()
        self.soon(lambda: all(each.has_settled() for each in self._plots), ANSWERED_S)
        for number, each in self.transactors.items():
            each.close(CLAIMED_S)
            if self.positions is not None:
                self.positions.of(number).is_undecided = not each.has_closed
        if self.positions is not None:
            self.positions.learn(CLAIMED_S)
        producers = self.transactors.values()
        self._stuck = tuple(each.name for each in producers if each.is_stuck)
        self._unclosed = tuple(each.name for each in producers if not each.has_closed)

    def _deliver_markers(self) -> None:
        """One that is lost is sent again after half a minute, and everybody would wait for it."""
        for (name, _), opened in self.links.items():
            if name == WITHHELD and isinstance(opened, AtTheGate):
                opened.rule.pass_on()

    def _gather_voters(self) -> None:
        """Before brokers start: they register with the voters, and are told by them."""
        named = [each for each in self.links if each[1] == QUORUM or each[0] == BLIND]
        if named:
            self.play.heal(*(self.links[each] for each in named))

    def revive(self) -> None:
        """Kill brokers that do not answer any more, and start them again.

        An old broker that finds its log longer than its leader's exits, and may hang in that
        (KAFKA-4039): nobody would see what the replicas have in the end.
        """
        if self.positions is not None:
            self.positions.succeed()
        self.soon(lambda: self.view().is_settled, SETTLED_S)
        if self.transactors:  # what hangs is charged when that has lasted
            self.soon(self._is_decided, STUCK_S if self._stuck else HANGS_S)
            self._unblock()
        silent = self._silent()
        if silent:
            told = f"brokers {silent} answer no more: they are killed and started again"
            self.play.step(told)
            self.play.heal(*self.play.inject_each(Kill(broker) for broker in silent))
        if self.positions is not None:
            self.soon(lambda: self.view().is_settled, SETTLED_S)
            self.positions.succeed_elsewhere(CLAIMED_S)

    def _unblock(self) -> None:
        if not self._is_decided():
            self.play.step("every producer aborts another transaction, so that readers can go on")
            for each in self.transactors.values():
                each.unblock()

    def _is_decided(self) -> bool:
        transacted = self.view().transacted
        return transacted is not None and transacted.is_stable and not self._stuck

    def _silent(self) -> list[int]:
        ends = self.view().ends if self._has_topic else {}
        return [broker for broker, end in ends.items() if end is None]
