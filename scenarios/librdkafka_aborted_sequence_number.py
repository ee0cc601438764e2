"""librdkafka: a record has the sequence number of one that was aborted, and is taken for it."""

from highwater.faults.hold_acknowledgements import HoldAcknowledgements
from highwater.faults.hold_asked import HoldAsked
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ProducerSettings

SETTINGS = ProducerSettings(delivery_timeout_s=60.0, transaction_timeout_s=60.0)


@scenario(
    source="enable.idempotence, KIP-98; librdkafka's rd_kafka_toppar_purge_queues",
    reproduces=">=0.11",
    claims=("lost-write",),
    plays_on=">=0.11",
    gated_clients=True,
    topic_settings={"min.insync.replicas": "2"},
)
def librdkafka_aborted_sequence_number(play: Play, partition: Partition) -> None:
    """A transaction is aborted after its connection ended, and a record of the next one is lost.

    The second record of a transaction is written on all replicas, and its producer does not hear of
    it: the connection ends. The record is to be sent again, and waits for a new connection (the
    gate holds its first request). Meanwhile the application aborts. The library drops what waits
    to be sent, and gives its sequence number to the next record, as if the dropped one had never
    left. It did: to the broker the record of the next transaction is the same one again. The broker
    acknowledges it, the transaction is committed, and the record is nowhere.
    """
    where, leader = partition.where, partition.replicas[0]
    with play.transactions(SETTINGS) as producer:
        producer.begin()
        producer.send(where)
        unheard = play.inject(HoldAcknowledgements(producer.name))
        producer.send(where, wait=False)
        play.await_standing([unheard])
        partition.await_offsets("two are written", dict.fromkeys(partition.replicas, 2))
        connecting = play.inject(HoldAsked("ApiVersions", producer.name, broker=leader))
        play.heal(unheard)  # and the connection ends
        play.await_standing([connecting])
        producer.abort()
        play.heal(connecting)
        producer.begin()
        producer.send(where)
        producer.commit()
