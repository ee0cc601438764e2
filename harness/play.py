"""The words of a scenario: send, look, require, inject, heal.

A play waits for states and asserts them; nothing in it sleeps or hopes. What it does and sees goes
into the run's record as it happens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from highwater.harness.cluster import Cluster
from highwater.harness.errors import DeadlineError, PreconditionError
from highwater.harness.model import Evidence, Fault, PartitionState, TopicPartition
from highwater.harness.open_faults import InjectedT, OpenFaults
from highwater.harness.record.writer import RunRecord
from highwater.harness.sampling import Look, look
from highwater.harness.wait import wait_until
from highwater.harness.workloads.payload import Values
from highwater.harness.workloads.producer import ProducerSettings, RecordingProducer, Sent

Offsets = Mapping[int, int]
ABLATED_TIMEOUT_S = 3.0


class Standing(Protocol):
    """A fault that holds frames at the gate."""

    def await_standing(self) -> Mapping[str, Any]: ...


class Play:
    """One partition on a running cluster, with everything that is done to it on the record.

    Methods named `await_...` raise DeadlineError, `require...` PreconditionError: either way the
    trial is inconclusive, never a pass.
    """

    def __init__(
        self, cluster: Cluster, record: RunRecord, where: TopicPartition, replicas: int
    ) -> None:
        self.cluster = cluster
        self.record = record
        self.where = where
        self.replicas = cluster.brokers[:replicas]  # in assignment order: the first one leads
        self.values = Values()
        self._isr: tuple[int, ...] = ()
        self._faults = OpenFaults(cluster, record)

    @property
    def without(self) -> str:
        """The name of a fault that an ablation leaves out."""
        return self._faults.without

    @without.setter
    def without(self, name: str) -> None:
        self._faults.without = name

    # -- doing

    def step(self, text: str) -> None:
        """Say what happens now; the report shows it on the timeline."""
        self.record.event("step", text)

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
        chosen = settings or ProducerSettings()
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
        return self._faults.inject(fault)

    def inject_each(self, faults: Iterable[Fault[InjectedT]]) -> list[InjectedT]:
        """The same for several faults at once."""
        return [self.inject(fault) for fault in faults]

    def heal(self, *injected: Evidence) -> None:
        """Heal these faults, or all that are open, newest first; then wait for their brokers."""
        try:
            self._faults.heal(*injected)
        finally:
            self._await_brokers()

    def abandon(self) -> None:
        """Heal what is open without waiting for anything: the cluster is about to end."""
        self._faults.heal()

    def restart(self, fault: Fault[InjectedT]) -> None:
        """Take a broker down by this fault, and bring it back."""
        self.heal(self.inject(fault))

    def fail_over_controller(self) -> None:
        """Let another broker become the controller (ZooKeeper mode)."""
        now = self.cluster.metadata.fail_over_controller()
        self.record.event("metadata", f"broker {now} is the controller now", controller=now)

    # -- looking

    def look(self, *, quiet: bool | None = None) -> Look:
        """Every replica's log end offset and high watermark, and who leads.

        `quiet` puts on the record that nothing moves: every follower stands at the gate.
        """
        return look(self.cluster, self.record, self.where, self.replicas, quiet=quiet)

    def partition(self) -> PartitionState:
        state = self.cluster.partition_state(self.where)
        self._isr = state.isr
        return state

    def high_watermark(self, broker: int) -> int:
        return self.cluster.probe(broker).high_watermark(self.where)

    def log_end_offset(self, broker: int) -> int:
        return self.cluster.probe(broker).log_end_offset(self.where)

    # -- asserting

    def require(self, what: str, fact: bool, **observed: Any) -> None:
        """Assert a precondition, and put it on the record with what was seen."""
        self._judge(what, fact, {**self.look().described(), **observed})

    def require_acked(self, sent: Sent) -> None:
        self.require(
            f"all {sent.records} records are acknowledged",
            sent.all_acked,
            errors=[*sent.failed, *sent.unknown],
        )

    def require_offsets(
        self,
        what: str,
        ends: Offsets,
        high_watermarks: Offsets | None = None,
        *,
        quiet: bool | None = None,
    ) -> None:
        """Assert log end offsets, and high watermarks where given, as they are at this moment."""
        seen = self.look(quiet=quiet)
        wanted = {"log_end_offsets": dict(ends), "high_watermarks": dict(high_watermarks or {})}
        met = _shows(seen, ends, high_watermarks or {})
        self._judge(what, met, seen.described(), expected=wanted)

    def await_offsets(
        self,
        what: str,
        ends: Offsets,
        high_watermarks: Offsets | None = None,
        timeout_s: float = 30.0,
    ) -> None:
        """Wait until replicas have these log end offsets and high watermarks."""
        self.await_state(what, lambda: _shows(self.look(), ends, high_watermarks or {}), timeout_s)

    def await_leader(
        self,
        broker: int,
        isr: Sequence[int] | None = None,
        *,
        clean: bool = True,
        timeout_s: float = 40.0,
    ) -> PartitionState:
        """Wait until `broker` leads by the metadata and by its own account.

        It must have been in the last ISR seen before: every election in a play is a clean one
        unless the play says otherwise.
        """
        before = self._isr
        wanted = None if isr is None or self.without else tuple(sorted(isr))

        def leads() -> bool:
            state = self.cluster.partition_state(self.where)
            return (
                state.leader == broker
                and wanted in {None, state.isr}
                and self.cluster.probe(broker).leads(self.where)
            )

        members = "" if wanted is None else f" with ISR {set(wanted)}"
        self._await(f"broker {broker} leads {self.where}{members}", leads, timeout_s)
        state = self._tell_partition()
        if before and clean:
            what = f"the new leader {broker} was in the ISR {set(before)}: a clean election"
            self.require(what, broker in before)
        return state

    def await_isr(self, *members: int, timeout_s: float = 30.0) -> PartitionState:
        """Wait until the ISR has exactly these members."""
        wanted = tuple(sorted(members))
        self.await_state(
            f"the ISR is {set(members)}", lambda: self.partition().isr == wanted, timeout_s
        )
        return self._tell_partition()

    def await_nobody_leads(self) -> None:
        """Wait until the partition is offline."""
        self.await_state("nobody leads", lambda: self.partition().leader == -1)

    def await_standing(self, held: Iterable[Standing]) -> None:
        """Wait until a frame stands at the gate for each of these faults."""
        for each in held:
            each.await_standing()

    def await_state(self, what: str, fact: Callable[[], bool], timeout_s: float = 30.0) -> None:
        """Wait for anything else that can be asked.

        In an ablation this is what may well never come, so it is given little time.
        """
        if not self.without:
            self._await(what, fact, timeout_s)
            return
        try:
            wait_until(fact, what, ABLATED_TIMEOUT_S)
        except DeadlineError:
            self._judge(what, False, self.look().described())

    def _judge(self, what: str, met: bool, seen: Mapping[str, Any], **more: Any) -> None:
        """A precondition that is not met ends the play, unless an ablation is the reason."""
        if not met and self.without:
            self.record.event("note", f"without {self.without}, not so: {what}", observed=seen)
            return
        self.record.event("precondition", what, met=met, observed=seen, **more)
        if not met:
            expected = f"expected {more['expected']}" if more else "not so"
            raise PreconditionError(f"{what}: {expected}; seen: {seen}")

    def _tell_partition(self) -> PartitionState:
        state = self.partition()
        self.record.event(
            "metadata",
            f"leader {state.leader}, leader epoch {state.leader_epoch}, ISR {set(state.isr)}",
            leader=state.leader,
            leader_epoch=state.leader_epoch,
            isr=list(state.isr),
        )
        return state

    def _await(self, what: str, fact: Callable[[], bool], timeout_s: float) -> None:
        try:
            wait_until(fact, what, timeout_s)
        except DeadlineError as error:
            seen = self.look().described()
            self.record.event("precondition", what, met=False, observed=seen)
            raise DeadlineError(f"{error}; the replicas: {seen}") from error
        self.record.event("precondition", what, met=True, observed=self.look().described())

    def _await_brokers(self) -> None:
        for broker in self.cluster.brokers:
            if self.cluster.running(broker):
                self.cluster.await_serving(broker)


def _shows(seen: Look, ends: Offsets, high_watermarks: Offsets) -> bool:
    now_ends, now_marks = seen.ends(), seen.high_watermarks()
    return all(now_ends.get(each) == end for each, end in ends.items()) and all(
        now_marks.get(each) == mark for each, mark in high_watermarks.items()
    )
