"""KAFKA-7164: a follower that missed an epoch goes on as if nothing had happened."""

from highwater.faults.block_link import BlockLink
from highwater.faults.hold_orders import HoldOrders
from highwater.faults.watch_orders import WatchOrders
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ProducerSettings

ACKS_ONE = ProducerSettings(acks="1")


@scenario(
    source="KAFKA-7164",
    plays_on=">=0.11",
    modes=("zookeeper",),
    reproduces=">=0.11,<=2.0.0",
    claims=("replica-divergence",),
    topic_settings={"min.insync.replicas": "1"},
)
def kafka7164_missed_epoch(play: Play) -> None:
    """Leadership goes to another broker and comes back, and one follower never hears of it.

    The first leader has a record that only one follower could fetch. The other follower leads for
    a while, and the first cuts that record off. Then the first leads again and writes another one
    in its place. The follower with the old record has heard of none of this: the controller's
    orders to it were held, and that controller is gone. Its successor tells it only of the newest
    epoch, with the leader that it follows already, and up to 2.0.0 it does nothing: it goes on
    fetching behind its old record and differs from its leader for ever.

    From 2.0.1 on a follower compares its log with the leader's at every new epoch.
    """
    first, second, deaf = play.replicas
    play.bring_controller_home()
    play.prefer(second, first, deaf)
    base = play.send(1).end_offset
    everywhere = dict.fromkeys(play.replicas, base)
    play.await_offsets("one record, committed on all three", everywhere, everywhere)
    late = play.inject(BlockLink(follower=second, leader=first))
    play.await_standing([late])
    play.send(1, ACKS_ONE, to=first)
    play.await_offsets("the second lacks one", {first: base + 1, second: base, deaf: base + 1})

    missed = play.inject(HoldOrders(deaf, play.cluster.controller))
    apart = play.inject(BlockLink(follower=deaf, leader=first))
    play.move_leader(second)
    play.await_leader(second, isr=play.replicas)
    play.heal(late)
    play.await_offsets("the first has cut it off", {first: base, second: base, deaf: base + 1})
    play.await_standing([missed])
    play.move_leader(first)
    play.await_leader(first, isr=play.replicas)
    play.require_acked(play.send(1, ACKS_ONE, to=first))
    play.require_offsets("one offset, two records", {first: base + 1, deaf: base + 1})

    order = play.inject(WatchOrders(deaf))
    play.fail_over_controller()
    order.await_seen()
    play.heal(missed, apart, order)
    play.require_acked(play.send(1, to=first))
