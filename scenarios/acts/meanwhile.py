"""A topic is sent to all the time, by somebody who does not give up."""

from collections.abc import Generator
from contextlib import contextmanager

from highwater.harness.clients.load import Load
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.topic import Topic
from highwater.harness.workloads.producer import ProducerSettings

PERSISTENT = ProducerSettings(retries=100_000, delivery_timeout_s=60)
LEADER_MOVES = {  # where its next leader is another broker
    "stalled-sends": "on 0.10.0.1 a leader that gives its replica up leaves what it has parked to "
    "the timeout of the request",
    "duplicate": "librdkafka 2.16 may send a record to the new leader before others that it has to "
    "send once more; refused as out of order, it sends all of them again with another epoch",
}
RATE_PER_S = ENOUGH_RECORDS = 100


@contextmanager
def sent_to_meanwhile(play: Play, topic: Topic, partition: Partition) -> Generator[Load]:
    """Records are acknowledged before what happens inside, and after it; none of them fails."""
    with play.load(topic, RATE_PER_S, PERSISTENT) as load:
        load.await_acked(ENOUGH_RECORDS)
        yield load
        load.await_acked(ENOUGH_RECORDS)
    partition.require("no record has failed", load.failed == 0, failed=load.failed)
