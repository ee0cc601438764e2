"""A partition in a play: sent to, read, moved, looked at, and asserted about.

Methods named `await_...` raise DeadlineError, `require...` PreconditionError: either way the trial
is inconclusive, never a pass. What was seen goes into the record, met or not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from highwater.harness.cluster import running
from highwater.harness.elections import Elections
from highwater.harness.log_dirs import checkpointed_high_watermark
from highwater.harness.model import PartitionState, TopicPartition
from highwater.harness.sampling import Look, Offsets
from highwater.harness.scene import Gone, Scene
from highwater.harness.workloads.loyal_reader import LoyalReader
from highwater.harness.workloads.producer import ProducerSettings
from highwater.harness.workloads.promises import require_brokers, require_send, require_timeout
from highwater.harness.workloads.reader import read_from_rack, read_or_stall
from highwater.harness.workloads.requests import Acks, Request, require_request
from highwater.harness.workloads.sent import Sent


class Partition:
    """Of a topic of a play; all that is done to it is on the record of the play.

    `replicas` are in assignment order: the first one leads when it has been created.
    """

    def __init__(self, scene: Scene, where: TopicPartition, replicas: Sequence[int]) -> None:
        self.where = where
        self.replicas = tuple(replicas)
        self._scene = scene
        scene.sampler.watch(where, self.replicas)
        self._elections = Elections(scene, where, self._seen)

    def retire(self) -> None:
        """Its topic is going to be deleted: whatever is asked of it raises UsageError."""
        self._scene = self._elections = cast("Any", Gone(f"{self.where} has been deleted"))

    # -- sending and reading

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
        cluster, record = self._scene.cluster, self._scene.record
        require_send(count, to, cluster.brokers)
        linger_ms, batch_records = (1000.0, 10_000) if one_batch else (0.0, 1)
        asked = ProducerSettings.of(settings, linger_ms=linger_ms, batch_records=batch_records)
        tuned = asked.into_one_partition(cluster.kafka)
        bootstrap = cluster.bootstrap if to is None else cluster.address(to)
        client, sent = self._scene.sends(self.where, count, tuned, bootstrap)
        told = f"sent {count} with acks={tuned.acks}: {sent.acked} acknowledged ({sent.span})"
        record.event("send", told, client=client, acks=tuned.acks, **sent.described())
        return sent

    def request(self, records: int, acks: Acks = Acks.ALL) -> Request:
        """One request to the leader, never repeated; who answers it, and when, is seen later."""
        require_request(records, acks)
        return self._scene.request(self.where, self.leader, records, acks)

    def read(self, timeout_s: float = 3.0) -> int:
        """Read to the high watermark as it is now; to get no further for so long is recorded.

        Returns the offset that comes next for the reader.
        """
        require_timeout(timeout_s)
        position, end = read_or_stall(self._scene.source, [self.where], timeout_s)[self.where]
        stuck = f", and stuck there: the high watermark is {end}" if position < end else ""
        self._scene.step(f"a reader got to offset {position}{stuck}")
        return position

    def reading_from(self, broker: int, offset: int) -> LoyalReader:
        """A consumer that stays with this broker, whoever leads; for a `with`."""
        cluster = self._scene.cluster
        require_brokers((broker,), cluster.brokers)
        source = replace(self._scene.source, bootstrap=cluster.address(broker))
        return LoyalReader(cluster.kafka, source, self.where, offset)

    def read_from_rack(self, rack: str) -> None:
        """Read from the replica in a rack (KIP-392), up to what that one calls the end."""
        position = read_from_rack(self._scene.source, self.where, rack)
        self._scene.step(f"a reader in the rack {rack} was told that offset {position} is the end")

    # -- moving

    def move_leader(self, to: int) -> None:
        """Make `to` the preferred replica and ask for its election; does not wait for it.

        Raises AnswerError when the controller refuses; one with ZooKeeper tells nobody.
        """
        require_brokers((to,), self._scene.cluster.brokers)
        now = self.state().replicas
        if (order := (to, *(each for each in now if each != to))) != now:
            self._scene.cluster.metadata.reassign(self.where, order)
        self._scene.step(f"preferred leader election: {to} shall lead {self.where}")
        self._scene.cluster.metadata.elect_preferred(self.where)

    def prefer(self, *order: int) -> None:
        """Put the replicas into this order of preference; the leader stays."""
        require_brokers(order, self._scene.cluster.brokers)
        self._scene.cluster.metadata.reassign(self.where, order)
        self._scene.step(f"replicas of {self.where} in order of preference: {order}")

    def move_replicas(self, *brokers: int, timeout_s: float = 120.0) -> None:
        """Let these brokers have its replicas, the preferred one first, and nobody else any more.

        Returns when all of them are in sync; clients live on meanwhile, and one of them leads.
        Raises UsageError for what no partition can have, DeadlineError where it takes longer.
        """
        require_timeout(timeout_s)
        require_brokers(brokers, self._scene.cluster.brokers)
        before = self.state().replicas
        moving = f"the replicas of {self.where} move from {before} to {brokers}"
        self._scene.step(moving, to=self.where.topic)
        self._scene.sampler.watch(self.where, sorted({*before, *brokers}))
        self._scene.moves.watch(self.where)
        self._scene.cluster.metadata.reassign(self.where, brokers, timeout_s)
        self.replicas = brokers
        self._scene.sampler.watch(self.where, brokers)
        self._scene.demand(
            f"the replicas of {self.where} are on {brokers}, all in sync, and one of them leads",
            lambda: self._has_moved(self.look()),
            timeout_s,
            self._seen,
        )
        self._elections.note_state()

    def _has_moved(self, seen: Look) -> bool:
        leads = seen.partition is not None and seen.partition.leader in self.replicas
        return leads and self.saw_full_isr(seen) and None not in seen.ends().values()

    # -- looking

    def look(self, *, quiet: bool | None = None) -> Look:
        """Every replica's log end offset and high watermark, and who leads.

        `quiet` puts on the record that nothing moves: every follower stands at the gate.
        """
        return self._scene.sampler.look(self.where, quiet=quiet)

    def state(self) -> PartitionState:
        """Who leads, in which leader epoch, and who is in sync."""
        return self._elections.state()

    @property
    def leader(self) -> int:
        """Who leads now; -1 for nobody."""
        return self.state().leader

    def high_watermark(self, broker: int) -> int:
        return self._scene.probe(broker).high_watermark(self.where)

    def log_end_offset(self, broker: int) -> int:
        return self._scene.probe(broker).log_end_offset(self.where)

    def checkpointed_high_watermark(self, broker: int) -> int:
        """The one on disk, with which a killed broker starts again; 0 where none was written."""
        require_brokers((broker,), self._scene.cluster.brokers)
        return checkpointed_high_watermark(self._scene.cluster, broker, self.where)

    def await_created(self) -> None:
        """Wait until every replica that can is empty and in sync, and the first of these leads."""
        self.await_leader(self._serving[0], isr=self._serving)
        self.await_offsets("the new topic is on every replica", dict.fromkeys(self._serving, 0))

    def saw_created(self, seen: Look) -> bool:
        """Whether that is so in a look that somebody else has taken."""
        state, there = seen.partition, self._serving
        if state is None or state.leader != there[0] or state.isr != tuple(sorted(there)):
            return False
        self._elections.saw(state)
        return seen.shows(dict.fromkeys(there, 0))

    @property
    def _serving(self) -> Sequence[int]:
        """The replicas whose brokers run."""
        return running(self._scene.cluster, self.replicas)

    def saw_led(self, seen: Look) -> bool:
        """Whether somebody leads, and whoever is in sync answers, in such a look."""
        state, ends = seen.partition, seen.ends()
        if state is None or state.leader not in state.isr:
            return False
        self._elections.saw(state)
        return all(ends.get(broker) is not None for broker in state.isr)

    def saw_full_isr(self, seen: Look) -> bool:
        """Whether every replica is in sync in a look that somebody else has taken."""
        state = seen.partition
        if state is None or state.isr != tuple(sorted(self.replicas)):
            return False
        self._elections.saw(state)
        return True

    # -- asserting

    def require(self, what: str, fact: bool, **observed: Any) -> None:
        """Assert a precondition, and put it on the record with what was seen."""
        self._scene.judge(what, fact, {**self._seen(), **observed})

    def require_acked(self, sent: Sent) -> None:
        self.require(
            f"all {sent.records} records are acknowledged",
            sent.all_acked,
            errors=dict(Counter([*sent.failed, *sent.unknown])),
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
        met = seen.shows(ends, high_watermarks)
        self._scene.judge(what, met, seen.described(), expected=wanted)

    def await_offsets(
        self,
        what: str,
        ends: Offsets,
        high_watermarks: Offsets | None = None,
        timeout_s: float = 30.0,
    ) -> None:
        """Wait until replicas have these log end offsets and high watermarks."""
        self.await_state(what, lambda: self.look().shows(ends, high_watermarks), timeout_s)

    def await_leader(
        self,
        broker: int,
        isr: Sequence[int] | None = None,
        *,
        clean: bool = True,
        timeout_s: float = 40.0,
    ) -> PartitionState:
        """Wait until `broker` leads by the metadata and by its own account.

        It must have been in the last ISR (or ELR, KIP-966) seen before: every election in a play is
        a clean one unless the play says otherwise.
        """
        return self._elections.await_leader(broker, isr, clean=clean, timeout_s=timeout_s)

    def await_deposed(self, *brokers: int, clean: bool = True) -> PartitionState:
        """Wait until none of `brokers` leads: another one does, cleanly elected, or nobody (-1)."""
        return self._elections.await_deposed(*brokers, clean=clean)

    def await_elected(self, *, clean: bool = True) -> PartitionState:
        """Wait until anybody leads, cleanly elected."""
        return self._elections.await_elected(clean=clean)

    def await_isr(self, *members: int, timeout_s: float = 30.0) -> PartitionState:
        """Wait until the ISR has exactly these members."""
        wanted = tuple(sorted(members))
        self.await_state(
            f"the ISR is {set(members)}", lambda: self.state().isr == wanted, timeout_s
        )
        return self._elections.note_state()

    def await_checkpoint(self, broker: int, high_watermark: int) -> None:
        """Wait until the high watermark in the broker's checkpoint file is this one."""
        self.await_state(
            f"the high watermark in the checkpoint file of broker {broker} is {high_watermark}",
            lambda: self.checkpointed_high_watermark(broker) == high_watermark,
        )

    def await_nobody_leads(self) -> None:
        """Wait until the partition is offline."""
        self.await_state("nobody leads", lambda: self.state().leader == -1)

    def await_state(self, what: str, fact: Callable[[], bool], timeout_s: float = 30.0) -> None:
        """Wait for anything else that can be asked.

        In an ablation this is what may well never come, so it is given little time.
        """
        self._scene.expect(what, fact, timeout_s, self._seen)

    def _seen(self) -> Mapping[str, Any]:
        return self.look().described()
