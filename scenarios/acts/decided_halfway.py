"""A controller is gone between what it has decided and what it would have brought about."""

from collections.abc import Callable

from highwater.faults.hold_decisions import HoldDecisions
from highwater.faults.hold_orders import HoldOrders
from highwater.harness.background import Background
from highwater.harness.creation import create_topic
from highwater.harness.model import Evidence, TopicPartition
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.meanwhile import sent_to_meanwhile
from highwater.scenarios.acts.seen_through import Halfway
from highwater.scenarios.acts.though_forgotten import await_moved_though_forgotten

SETTINGS = {"broker.session.timeout.ms": "60000"}


def decided_halfway(play: Play, partition: Partition, goes: Callable[[int], Evidence]) -> Halfway:
    """An election, a creation and a reassignment are written down, and `goes` takes the controller
    away, which is that broker, or leads the quorum. The next one sees all three through; it may
    come back then.
    """
    other, deaf = partition.replicas[1:]
    kafka, metadata, probe = play.cluster.kafka, play.cluster.metadata, play.cluster.probe
    beside, moving = TopicPartition(f"{partition.where.topic}-beside"), play.topic("m", replicas=2)
    play.bring_controller_home()
    partition.require_acked(partition.send(10))
    home = play.await_quorum_leader() if kafka.kraft else play.cluster.nodes.controller
    with sent_to_meanwhile(play, moving, partition):
        unheard = play.inject(HoldDecisions(deaf) if kafka.kraft else HoldOrders(deaf, home))
        partition.move_leader(deaf)
        create_topic(play.cluster, beside.topic, [(deaf, other)], {})
        thread = Background("reassignment")
        moved = thread.submit(moving[0].move_replicas, other, deaf)
        partition.await_state("one is written down", lambda: partition.leader == deaf)
        partition.await_state("and another", lambda: metadata.partition(beside).leader == deaf)
        moved_to = moving[0].state
        partition.await_state("all three are written down", lambda: deaf in moved_to().replicas)
        done = probe(deaf).leads(partition.where), probe(deaf).leads(beside), moved.done()
        partition.require("and nothing of it has been done", not any(done))
        gone = goes(home)
        play.heal(unheard)
        partition.await_leader(deaf, isr=partition.replicas)
        partition.await_state("the new topic is led", lambda: probe(deaf).leads(beside))
        await_moved_though_forgotten(play, moving[0], moved.done, other)
        moved.result()
        thread.close()
    return Halfway(home, deaf, gone, beside, moving[0])
