"""What a new controller sends to brokers that know everything."""

from highwater.faults.kill_metadata import KillMetadata
from highwater.faults.watch_orders import WatchOrders
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.metadata_log import asked_by, watch_metadata_log
from highwater.scenarios.acts.orders_taken import has_taken_all

PARTITIONS = 50


@scenario(
    source="Kafka Detailed Replication Design V3; KafkaController.onControllerFailover; KIP-500",
    claims=("lost-write", "replica-divergence"),
    voters=3,
    gated_metadata=True,
    topic_settings={"min.insync.replicas": "2"},
)
def new_controller_tells(play: Play, partition: Partition) -> None:
    """Nothing has happened to any partition; with ZooKeeper all brokers are told all the same.

    The new controller orders each of them to lead, or to follow, in all of its partitions, whatever
    they know. With KRaft a broker asks: it goes on in the metadata log where it was with the last
    controller, and is told nothing a second time.
    """
    metadata, brokers = play.cluster.metadata, partition.replicas
    wheres = play.topic("many", partitions=PARTITIONS).wheres
    partition.require_acked(partition.send(1))
    before = metadata.partitions(wheres)
    many = {wheres[0].topic: PARTITIONS, partition.where.topic: 1}
    if play.cluster.kafka.kraft:
        old = play.await_quorum_leader()
        watched = watch_metadata_log(play)
        partition.await_state("all ask", lambda: all(asked_by(watched, each) for each in brokers))
        known = {each: max(asked_by(watched, each)) for each in brokers}
        dead = play.inject(KillMetadata())
        play.await_quorum_leader(other_than=old)
        play.topic("marker")
        partition.await_state(
            "all have read on",
            lambda: all(asked_by(watched, each)[-1] > known[each] for each in brokers),
        )
        asked = {each: asked_by(watched, each) for each in brokers}
        going_on = all(offsets == sorted(offsets) for offsets in asked.values())
        partition.require("nobody has gone back", going_on, asked=asked)
        play.heal(dead, watched)
    else:
        orders = play.inject_each(WatchOrders(each) for each in brokers)
        play.fail_over_controller()
        partition.await_state(
            f"each has been told of all {PARTITIONS}",
            lambda: all(has_taken_all(each, many) for each in orders),
        )
        play.heal(*orders)
    partition.require("nothing has changed", metadata.partitions(wheres) == before)
