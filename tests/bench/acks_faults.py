"""What befalls the leader that the matrix of acks sends to, and is healed again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from highwater.faults.block_link import BlockLink
from highwater.faults.cut_tail import CutTail
from highwater.faults.kill import Kill
from highwater.faults.pause import Pause
from highwater.faults.stop import Stop
from highwater.harness.cluster import Fault
from highwater.harness.model import Evidence
from highwater.harness.partition import Partition
from highwater.harness.play import Play

LEADER, FOLLOWERS, NEWCOMER = 1, (2, 3), 4
LAG_MS = 3_000  # replica.lag.time.max.ms
APART_S = 90.0

Partitions = Sequence[Partition]


def nothing(play: Play, partitions: Partitions) -> None:
    del play, partitions


def kill(play: Play, partitions: Partitions) -> None:
    _deposed_by(play, partitions, Kill(LEADER))


def pause(play: Play, partitions: Partitions) -> None:
    _deposed_by(play, partitions, Pause(LEADER))


def stop(play: Play, partitions: Partitions) -> None:
    _deposed_by(play, partitions, Stop(LEADER))


def power(play: Play, partitions: Partitions) -> None:
    """Of a leader that is alone in the ISR, and loses what its followers do not have."""
    apart = play.inject_each(BlockLink(each, LEADER) for each in FOLLOWERS)
    for each in partitions:
        each.await_isr(LEADER, timeout_s=APART_S)
    alone = [each for each in partitions if "one" in each.where.topic]
    ends = [each.log_end_offset(LEADER) for each in alone]
    for each, end in zip(alone, ends, strict=True):
        each.await_state("it takes more", lambda one=each, at=end: one.log_end_offset(LEADER) > at)  # type: ignore[misc]
    # By the longer: before 2.0.1 (KAFKA-7414) one that has more than its leader ends itself.
    ends_at = {each: max(map(each.log_end_offset, FOLLOWERS)) for each in partitions}
    # With acks=all and min.insync.replicas=2 nothing is taken meanwhile, and nothing is lost.
    longer = [each for each in partitions if each.log_end_offset(LEADER) > ends_at[each]]
    dead = play.inject(Kill(LEADER))
    for each in longer:
        play.inject(CutTail(LEADER, each.where, ends_at[each]))
    play.heal(dead, *apart)
    for each in partitions:
        each.await_elected(clean=False)


def elect(play: Play, partitions: Partitions) -> None:
    """The preferred leader is another one, and is elected."""
    for each in partitions:
        each.move_leader(FOLLOWERS[0])
    for each in partitions:
        each.await_leader(FOLLOWERS[0])


def move(play: Play, partitions: Partitions) -> None:
    """The leader's replica goes to another broker."""
    for each in partitions:
        each.move_replicas(*FOLLOWERS, NEWCOMER)


FAULTS: Mapping[str, Callable[[Play, Partitions], None]] = {
    "nothing": nothing,
    "preferred election": elect,
    "controlled shutdown": stop,
    "reassignment": move,
    "kill": kill,
    "pause": pause,
    "power loss, alone in the ISR": power,
}


def _deposed_by(play: Play, partitions: Partitions, fault: Fault[Evidence]) -> None:
    injected = play.inject(fault)
    for each in partitions:
        each.await_deposed(LEADER)
    play.heal(injected)
