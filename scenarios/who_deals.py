"""Who decides which member of a group gets what."""

from highwater.harness.background import Background
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.probes.coordinators import (
    find_coordinator,
    heartbeat,
    join_group,
    sync_group,
)
from highwater.harness.scenario import scenario
from highwater.harness.wait import wait_until
from highwater.scenarios.acts.by_hand import wires


@scenario(
    source="Kafka's documentation, 5.4: Message Format of groups; KIP-62; KIP-848",
    claims=("lost-write", "replica-divergence"),
    turns_at=("4.0",),
    topic_settings={"min.insync.replicas": "2"},
)
def who_deals(play: Play, partition: Partition) -> None:
    """Two members join, one is told that it leads, and what it says is handed round unread.

    The leader alone is told who has joined. It sends two words that are no assignment at all, and
    the coordinator hands each member its word: it has never looked at them. With the protocol of
    KIP-848, final in 4.0, a member names a topic and is answered with partitions: nobody leads, the
    coordinator deals.
    """
    kafka, group = play.cluster.kafka, f"{play.topics[0].name}-by-hand"
    partition.require_acked(partition.send(1))
    leader = partition.replicas[0]
    with wires(play, leader) as (any_broker,):
        home = wait_until(lambda: find_coordinator(any_broker, group), "a coordinator")
    thread = Background("second member")
    with wires(play, home, home, home) as (one, other, third):
        first = join_group(kafka, one, group)
        partition.require(
            "who is alone leads", first.leader == first.member and first.members == (first.member,)
        )
        joining = thread.submit(join_group, kafka, other, group)
        partition.await_state(
            "the leader has joined anew, and is told of two members",
            lambda: len(join_group(kafka, one, group, first.member).members) == 2,
        )
        second = joining.result()
        partition.require("the other one is told none", not second.members)
        partition.require("both know who leads", second.leader == first.member)
        words = {first.member: b"anything", second.member: b"else"}
        heard = {
            each.member: sync_group(wire, group, (second.generation, each.member), shares)
            for wire, each, shares in ((one, first, words), (other, second, {}))
        }
        partition.require("each is handed the leader's word for it", heard == words)
        if kafka.assigns_partitions:
            three = play.topic("orders", partitions=3, replicas=1)
            dealt = heartbeat(third, f"{group}-848", three.name)
            partition.require("the coordinator deals", sorted(dealt) == [0, 1, 2], dealt=dealt)
    thread.close()
