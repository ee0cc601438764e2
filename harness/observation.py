"""Looking at a partition, and asserting what is seen: what a play may know.

Methods named `await_...` raise DeadlineError, `require...` PreconditionError: either way the trial
is inconclusive, never a pass. What was seen goes into the record, met or not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from highwater.harness.cluster import Cluster
from highwater.harness.errors import DeadlineError, PreconditionError
from highwater.harness.model import PartitionState, TopicPartition
from highwater.harness.probes.checkpoints import (
    HIGH_WATERMARK_CHECKPOINT,
    read_offset_checkpoint,
)
from highwater.harness.record.writer import RunRecord
from highwater.harness.sampling import Look, Sampler
from highwater.harness.wait import wait_until
from highwater.harness.workloads.producer import Sent

Offsets = Mapping[int, int]
ABLATED_TIMEOUT_S = 3.0
NOBODY = -1  # leads


class Standing(Protocol):
    """A fault that holds frames at the gate."""

    def await_standing(self) -> Mapping[str, Any]: ...


class Observation:
    """One partition on a running cluster, and everything that can be asked of it."""

    without = ""  # the name of a fault that is left out: an ablation, in which less is demanded

    def __init__(
        self, cluster: Cluster, record: RunRecord, where: TopicPartition, replicas: int
    ) -> None:
        self.cluster = cluster
        self.record = record
        self.where = where
        self.replicas = cluster.brokers[:replicas]  # in assignment order: the first one leads
        self.sampler = Sampler(cluster, record, where, self.replicas)
        self._last: PartitionState | None = None  # as it was seen last

    # -- looking

    def look(self, *, quiet: bool | None = None) -> Look:
        """Every replica's log end offset and high watermark, and who leads.

        `quiet` puts on the record that nothing moves: every follower stands at the gate.
        """
        return self.sampler.look(quiet=quiet)

    def partition(self) -> PartitionState:
        self._last = self.cluster.partition_state(self.where)
        return self._last

    def high_watermark(self, broker: int) -> int:
        return self.cluster.probe(broker).high_watermark(self.where)

    def log_end_offset(self, broker: int) -> int:
        return self.cluster.probe(broker).log_end_offset(self.where)

    def checkpointed_high_watermark(self, broker: int) -> int:
        """The one on disk, with which a killed broker starts again; 0 where none was written."""
        checkpoint = self.cluster.log_dir(broker) / HIGH_WATERMARK_CHECKPOINT
        return read_offset_checkpoint(checkpoint).get((self.where.topic, self.where.partition), 0)

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

        It must have been in the last ISR (or ELR, KIP-966) seen before: every election in a play is
        a clean one unless the play says otherwise.
        """
        before = self._last
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
            self._require_clean(broker, before)
        return state

    def await_deposed(self, *brokers: int, clean: bool = True) -> PartitionState:
        """Wait until none of `brokers` leads: another one does, cleanly elected, or nobody (-1)."""
        return self._await_other(f"{self.where} is led by none of {set(brokers)}", brokers, clean)

    def await_elected(self, *, clean: bool = True) -> PartitionState:
        """Wait until anybody leads, cleanly elected."""
        return self._await_other(f"somebody leads {self.where}", (NOBODY,), clean)

    def await_isr(self, *members: int, timeout_s: float = 30.0) -> PartitionState:
        """Wait until the ISR has exactly these members."""
        wanted = tuple(sorted(members))
        self.await_state(
            f"the ISR is {set(members)}", lambda: self.partition().isr == wanted, timeout_s
        )
        return self._tell_partition()

    def await_checkpoint(self, broker: int, high_watermark: int) -> None:
        """Wait until the high watermark in the broker's checkpoint file is this one."""
        self.await_state(
            f"the high watermark in the checkpoint file of broker {broker} is {high_watermark}",
            lambda: self.checkpointed_high_watermark(broker) == high_watermark,
        )

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

    def _await_other(self, what: str, brokers: Sequence[int], clean: bool) -> PartitionState:
        before = self._last
        self._await(
            what, lambda: self.cluster.partition_state(self.where).leader not in brokers, 40.0
        )
        state = self._tell_partition()
        if before and clean and state.leader != NOBODY:
            self._require_clean(state.leader, before)
        return state

    def _require_clean(self, elected: int, before: PartitionState) -> None:
        others = f" or the ELR {set(before.elr)}" if before.elr else ""
        self.require(
            f"the new leader {elected} was in the ISR {set(before.isr)}{others}: a clean election",
            elected in {*before.isr, *before.elr},
        )

    def _tell_partition(self) -> PartitionState:
        state = self.partition()
        isr = f"ISR {set(state.isr)}" + (f", ELR {set(state.elr)}" if state.elr else "")
        self.record.event(
            "metadata",
            f"leader {state.leader}, leader epoch {state.leader_epoch}, {isr}",
            leader=state.leader,
            leader_epoch=state.leader_epoch,
            isr=list(state.isr),
            elr=list(state.elr),
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


def _shows(seen: Look, ends: Offsets, high_watermarks: Offsets) -> bool:
    now_ends, now_marks = seen.ends(), seen.high_watermarks()
    return all(now_ends.get(each) == end for each, end in ends.items()) and all(
        now_marks.get(each) == mark for each, mark in high_watermarks.items()
    )
