"""Who leads a partition, and whether the one before was rightly followed."""

from __future__ import annotations

from collections.abc import Sequence

from highwater.harness.model import PartitionState, TopicPartition
from highwater.harness.scene import Looking, Scene

NOBODY = -1  # leads
TIMEOUT_S = 40.0


class Elections:
    """Of one partition, as the metadata tells them; each one waited for must have been clean.

    Clean is an election of a member of the last ISR, or ELR (KIP-966), that was seen before.
    """

    def __init__(self, scene: Scene, where: TopicPartition, looking: Looking) -> None:
        self._scene = scene
        self._where = where
        self._looking = looking
        self._last: PartitionState | None = None  # as it was seen last

    def state(self) -> PartitionState:
        self._last = self._scene.cluster.metadata.partition(self._where)
        return self._last

    def saw(self, state: PartitionState) -> None:
        """Somebody else has asked who leads."""
        self._last = state

    def note_state(self) -> PartitionState:
        """Put on the record who leads now."""
        state = self.state()
        isr = f"ISR {set(state.isr)}" + (f", ELR {set(state.elr)}" if state.elr else "")
        self._scene.record.event(
            "metadata",
            f"leader {state.leader}, leader epoch {state.leader_epoch}, {isr}",
            leader=state.leader,
            leader_epoch=state.leader_epoch,
            isr=list(state.isr),
            elr=list(state.elr),
        )
        return state

    def await_leader(
        self, broker: int, isr: Sequence[int] | None, *, clean: bool, timeout_s: float
    ) -> PartitionState:
        before = self._last
        wanted = None if isr is None or self._scene.without else tuple(sorted(isr))

        def leads() -> bool:
            state = self._scene.cluster.metadata.partition(self._where)
            return (
                state.leader == broker
                and wanted in {None, state.isr}
                and self._scene.cluster.probe(broker).leads(self._where)
            )

        members = "" if wanted is None else f" with ISR {set(wanted)}"
        what = f"broker {broker} leads {self._where}{members}"
        self._scene.demand(what, leads, timeout_s, self._looking)
        state = self.note_state()
        if before and clean:
            self._require_clean(broker, before)
        return state

    def await_deposed(self, *brokers: int, clean: bool) -> PartitionState:
        return self._await_other(f"{self._where} is led by none of {set(brokers)}", brokers, clean)

    def await_elected(self, *, clean: bool) -> PartitionState:
        return self._await_other(f"somebody leads {self._where}", (NOBODY,), clean)

    def _await_other(self, what: str, brokers: Sequence[int], clean: bool) -> PartitionState:
        before, scene = self._last, self._scene
        scene.demand(
            what,
            lambda: scene.cluster.metadata.partition(self._where).leader not in brokers,
            TIMEOUT_S,
            self._looking,
        )
        state = self.note_state()
        if before and clean and state.leader != NOBODY:
            self._require_clean(state.leader, before)
        return state

    def _require_clean(self, elected: int, before: PartitionState) -> None:
        others = f" or the ELR {set(before.elr)}" if before.elr else ""
        what = (
            f"the new leader {elected} was in the ISR {set(before.isr)}{others}: a clean election"
        )
        self._scene.judge(what, elected in {*before.isr, *before.elr}, self._looking())
