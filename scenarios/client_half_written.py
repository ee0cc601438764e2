"""Any client: records expire while the request that has them is half written."""

from highwater.harness.clients.loading import as_told
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_client import any_client
from highwater.scenarios.acts.giving_up import await_given_up
from highwater.scenarios.acts.half_written import (
    AGED_S,
    BUFFERS,
    LARGE,
    PATIENCE_S,
    RATE_PER_S,
    half_written,
)
from highwater.scenarios.acts.sending import await_more
from highwater.scenarios.acts.variants import LIBRDKAFKA, calm, tolerating, without

# Whose requests had one record here, or three, of five that are needed.
OF_FEW_RECORDS = ("aiokafka", "kafka-go", "kafkajs", "platformatic", "sarama")


@calm("client-large-undisturbed")
@without("confluent", *LIBRDKAFKA, *OF_FEW_RECORDS)
@tolerating("stalled-sends", "one answer and one request stand for thirty seconds together")
@any_client(
    "KAFKA-19012; delivery.timeout.ms (KIP-91)",
    reproduces_with=("java", "java:2.8.2", "java:3.9.1"),
)
def client_half_written(play: Play, partition: Partition) -> None:
    """What a client gives up in the middle of a request is not overwritten there by other records.

    A broker that does not lead this topic is late with one answer, and what waits for it grows old.
    Then it reads the beginning of the next request, and no more. Its records are given up before
    the request is, and others are sent to this topic, which somebody else leads. The broker reads
    on: in the rest of the request there are to be the records that were meant for it. One whose
    requests are so small that both sides' buffers have room for them cannot be lined up here, such
    as librdkafka: each of its requests has records of one partition.
    """
    asked, earlier = partition.replicas[1], play.topic("earlier", partitions=30)
    told = as_told(play.client, play.cluster.kafka, LARGE)
    with play.load(earlier, RATE_PER_S, told, client=play.client) as load:
        await_more(play, partition, load, 2 * len(earlier))
        stalled, records = half_written(play, partition, load, asked)
        since_ns = play.record.now_ns()
        load.turn_to(play.topics[0])
        await_given_up(play, partition, load, AGED_S + 4, records)
        await_more(play, partition, load, BUFFERS)
        stood_s = (play.record.now_ns() - since_ns) / 1e9
        what = "it has not given the request up as well"
        partition.require(what, stood_s < PATIENCE_S, stood_s=stood_s)
        play.heal(stalled)
        await_more(play, partition, load, BUFFERS)
    play.note(f"{load.acked} records are acknowledged, and {load.failed} ended in another way")
