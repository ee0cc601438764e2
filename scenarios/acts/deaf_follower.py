"""A follower misses two leader epochs."""

from dataclasses import dataclass

from highwater.faults.at_the_gate import AtTheGate
from highwater.faults.block_link import BlockLink
from highwater.faults.hold_orders import HoldOrders
from highwater.faults.watch_orders import WatchOrders
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.workloads.producer import ACKS_ONE


@dataclass(frozen=True, slots=True)
class Deaf:
    """What keeps the follower from hearing its controller, and from fetching."""

    orders: AtTheGate
    link: AtTheGate
    end_offset: int


def leadership_goes_and_comes_back(play: Play, partition: Partition) -> Deaf:
    """The first replica leads again; it and the last one hold different records at one offset.

    The first has a record that only the last one could fetch. The second leads for a while, and the
    first cuts that record off; then it leads again, and writes another in its place.
    """
    first, second, deaf = partition.replicas
    play.bring_controller_home()
    partition.prefer(second, first, deaf)
    base = partition.send(1).end_offset
    everywhere = dict.fromkeys(partition.replicas, base)
    partition.await_offsets("one record, committed on all three", everywhere, everywhere)
    late = play.inject(BlockLink(follower=second, leader=first))
    play.await_standing([late])
    partition.send(1, ACKS_ONE, to=first)
    partition.await_offsets("the second lacks one", {first: base + 1, second: base, deaf: base + 1})

    missed = play.inject(HoldOrders(deaf, play.cluster.nodes.controller))
    apart = play.inject(BlockLink(follower=deaf, leader=first))
    partition.move_leader(second)
    partition.await_leader(second, isr=partition.replicas)
    play.heal(late)
    partition.await_offsets("the first has cut it off", {first: base, second: base, deaf: base + 1})
    play.await_standing([missed])
    partition.move_leader(first)
    partition.await_leader(first, isr=partition.replicas)
    partition.require_acked(partition.send(1, ACKS_ONE, to=first))
    partition.require_offsets("one offset, two records", {first: base + 1, deaf: base + 1})
    return Deaf(missed, apart, base + 1)


def next_controller_tells(play: Play, partition: Partition, deaf: Deaf) -> None:
    """The controller is succeeded by one whose orders pass; what is held is dropped."""
    order = play.inject(WatchOrders(partition.replicas[-1]))
    play.fail_over_controller()
    order.await_seen()
    play.heal(deaf.orders, deaf.link, order)
