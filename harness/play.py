"""The words of a scenario: send, look, require, inject, heal.

A play waits for states and asserts them; nothing in it sleeps or hopes. What it does and sees goes
into the run's record as it happens.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from highwater.harness.cluster import Cluster, Fault
from highwater.harness.endings import end_all
from highwater.harness.model import Evidence, TopicPartition
from highwater.harness.observation import Observation
from highwater.harness.open_faults import InjectedT, OpenFaults
from highwater.harness.record.writer import RunRecord
from highwater.harness.workloads.loyal_reader import LoyalReader
from highwater.harness.workloads.payload import Values
from highwater.harness.workloads.producer import ProducerSettings, RecordingProducer, Sent
from highwater.harness.workloads.reader import Source, read_from_rack, read_or_stall
from highwater.harness.workloads.transactions import TransactionalProducer


class Play(Observation):
    """One partition on a running cluster, with everything that is done to it on the record."""

    def __init__(
        self, cluster: Cluster, record: RunRecord, where: TopicPartition, replicas: int
    ) -> None:
        super().__init__(cluster, record, where, replicas)
        self.values = Values()
        self._faults = OpenFaults(cluster, record)

    def step(self, text: str) -> None:
        """Say what happens now; the report shows it on the timeline."""
        self.record.event("step", text)

    def note(self, text: str) -> None:
        """Say what is no step of the play, and should be known all the same."""
        self.record.event("note", text)

    @property
    def source(self) -> Source:
        """What readers read from, and record into."""
        return Source(self.cluster.bootstrap, self.record.history, self.note)

    def create(self, settings: Mapping[str, str]) -> None:
        """Create the topic and wait until every replica serves it."""
        self.cluster.create_topic(self.where.topic, self.replicas, settings)
        self.await_leader(self.replicas[0], isr=self.replicas)
        self.await_offsets("the new topic is on every replica", dict.fromkeys(self.replicas, 0))

    def send(
        self,
        count: int,
        settings: ProducerSettings | None = None,
        *,
        one_batch: bool = True,
        to: int | None = None,
    ) -> Sent:
        """Send records and wait for their outcomes; `to` asks one broker for the metadata.

        `one_batch` makes them a single batch, otherwise each is a batch of its own.
        """
        chosen = (settings or ProducerSettings()).on(self.cluster.kafka)
        linger_ms, batch_records = (1000.0, 10_000) if one_batch else (0.0, 1)
        bootstrap = self.cluster.bootstrap if to is None else self.cluster.address(to)
        tuned = replace(chosen, linger_ms=linger_ms, batch_records=batch_records)
        with RecordingProducer(bootstrap, self.record.history, tuned, self.values) as producer:
            sent = producer.send(self.where, count)
        span = f"offsets {sent.first_offset} to {sent.end_offset - 1}" if sent.acked else "none"
        self.record.event(
            "send",
            f"sent {count} with acks={tuned.acks}: {sent.acked} acknowledged ({span})",
            client=producer.name,
            acks=tuned.acks,
            records=count,
            acked=sent.acked,
            first_offset=sent.first_offset if sent.acked else None,
            end_offset=sent.end_offset if sent.acked else None,
            errors=sorted({*sent.failed, *sent.unknown}),
        )
        return sent

    def transactions(self) -> TransactionalProducer:
        """A producer of transactions, for a `with`."""
        return TransactionalProducer(self.cluster.bootstrap, self.record.history, self.values)

    def read(self, timeout_s: float = 3.0) -> None:
        """Read to the high watermark as it is now; not to get there in time is recorded."""
        position, end = read_or_stall(self.source, self.where, timeout_s)
        stuck = f", and stuck there: the high watermark is {end}" if position < end else ""
        self.step(f"a reader got to offset {position}{stuck}")

    def reading_from(self, broker: int, offset: int) -> LoyalReader:
        """A consumer that stays with this broker, whoever leads; for a `with`."""
        return LoyalReader(
            self.cluster.kafka,
            replace(self.source, bootstrap=self.cluster.address(broker)),
            self.where,
            offset,
        )

    def read_from_rack(self, rack: str) -> None:
        """Read from the replica in a rack (KIP-392), up to what that one calls the end."""
        position = read_from_rack(self.source, self.where, rack)
        self.step(f"a reader in the rack {rack} was told that offset {position} is the end")

    def move_leader(self, to: int) -> None:
        """Make `to` the preferred replica and ask for its election; does not wait for it."""
        now = self.partition().replicas
        order = (to, *(each for each in now if each != to))
        if order != now:
            self.cluster.metadata.reorder(self.where, order)
        self.step(f"preferred leader election: {to} shall lead {self.where}")
        self.cluster.metadata.elect_preferred(self.where)

    def prefer(self, *order: int) -> None:
        """Put the replicas into this order of preference; the leader stays."""
        self.cluster.metadata.reorder(self.where, order)
        self.step(f"replicas of {self.where} in order of preference: {order}")

    def inject(self, fault: Fault[InjectedT]) -> InjectedT:
        """Let something go wrong until `heal`; returns what the fault has to show."""
        return self._faults.inject(fault, left_out=self.without)

    def inject_each(self, faults: Iterable[Fault[InjectedT]]) -> list[InjectedT]:
        """The same for several faults at once."""
        return [self.inject(fault) for fault in faults]

    def heal(self, *injected: Evidence) -> None:
        """Heal these faults, or all that are open, newest first; then wait for their brokers."""
        end_all([partial(self._faults.heal, *injected), self._await_brokers])

    @property
    def unhealed(self) -> Sequence[str]:
        """The faults whose healing has failed: no other play is to find them."""
        return self._faults.unhealed

    def abandon(self) -> None:
        """Heal what is open without waiting for anything: the cluster is about to end."""
        self._faults.heal()

    def restart(self, fault: Fault[InjectedT]) -> None:
        """Take a broker down by this fault, and bring it back."""
        self.heal(self.inject(fault))

    def bring_controller_home(self) -> None:
        """Make the broker without replicas the controller again, if a play has changed that."""
        self.cluster.metadata.move_controller(self.cluster.controller)

    def fail_over_controller(self) -> None:
        """Let another broker become the controller (ZooKeeper mode)."""
        now = self.cluster.metadata.fail_over_controller()
        self.record.event("metadata", f"broker {now} is the controller now", controller=now)

    def _await_brokers(self) -> None:
        for broker in self.cluster.brokers:
            if self.cluster.running(broker):
                self.cluster.await_serving(broker)
