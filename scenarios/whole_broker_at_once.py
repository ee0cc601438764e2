"""What a pause, and a full disk, do to all that a broker has."""

from highwater.faults.full_disk import FullDisk
from highwater.faults.pause import Pause
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.topic import await_each
from highwater.harness.workloads.producer import ProducerSettings

KILOBYTE = ProducerSettings(size_bytes=1000, linger_ms=5, retries=100_000, delivery_timeout_s=60)
PARTITIONS = 6


@scenario(
    source="Kafka Detailed Replication Design V3; LogDirFailureChannel; KIP-112",
    claims=("lost-write", "replica-divergence"),
    settings={"replica.lag.time.max.ms": "3000"},
    topic_settings={"min.insync.replicas": "2"},
    tolerates={
        "stalled-sends": "in 2.7 to 3.0 what waited for a smaller ISR waits on (KAFKA-13091); "
        "before 1.1 who follows another leader waits for who is frozen (KAFKA-6051)"
    },
)
def whole_broker_at_once(play: Play, partition: Partition) -> None:
    """A broker stands still, and later a single append to it fails: all of its partitions go.

    Of six partitions it leads two and follows in four. Frozen, it leads none and is in the ISR of
    none. The same when its disk is full: the first of its logs that cannot grow takes the directory
    with it, and with its only directory the broker. The other brokers have all of it.
    """
    hit = partition.replicas[0]
    orders = play.topic("orders", partitions=PARTITIONS)
    led = [each for each in orders if each.leader == hit]
    partition.require("it leads two of six", len(led) == PARTITIONS // 3)

    def is_out_of_all() -> bool:
        states = play.cluster.metadata.partitions(orders.wheres).values()
        return len(states) == PARTITIONS and all(
            each.leader not in {hit, -1} and hit not in each.isr for each in states
        )

    with play.load(orders, 300, KILOBYTE) as load:
        load.await_acked(300)
        for fault in (Pause(hit), FullDisk(hit, led[0].where)):
            injected = play.inject(fault)
            partition.await_state("it is out of every ISR", is_out_of_all, timeout_s=60.0)
            load.await_acked(300)
            if isinstance(fault, FullDisk):
                partition.require("it has halted", not play.cluster.nodes.running(hit))
            play.heal(injected)
            await_each(play.scene, "all are in sync", orders, Partition.saw_full_isr)
            for each in led:
                each.move_leader(hit)
                each.await_leader(hit)
