"""A replica that is started forgets that a producer was fenced, and takes its late record."""

from highwater.faults.hold_produce import HoldProduce
from highwater.faults.stop import Stop
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.stability import becomes_stable
from highwater.harness.workloads.producer import ProducerSettings
from highwater.scenarios.acts.owners_by_hand import begins_anew

SETTINGS = ProducerSettings(delivery_timeout_s=60.0, transaction_timeout_s=15.0)


@scenario(
    source="KAFKA-9144; KAFKA-5494",
    reproduces=">=1.0,<2.4.1",
    ablations=("Stop",),
    claims=("aborted-read", "stuck-reader", "hanging-transaction"),
    plays_on=">=0.11",  # transactions (KIP-98)
    gated_clients=True,
    topic_settings={"min.insync.replicas": "2"},
)
def kafka9144_forgotten_fence(play: Play, partition: Partition) -> None:
    """The first record of a transaction comes to its partition when that transaction is over.

    It is under way while another producer with the same transactional.id begins. The coordinator
    aborts the transaction, and its marker tells all three replicas of a higher epoch: the producer
    of the late record is fenced. A follower is stopped and started in order, and leads. The record
    arrives there.

    What a stopping broker writes down of a producer has the time of its last record, and a marker
    is none from 1.0 up to 2.4.0: of a producer without records all is forgotten when the broker
    starts, as of one that has been silent for days. So the record begins a transaction that nobody
    will end, and readers of committed records stand still in front of it. Otherwise it is refused.
    """
    base = partition.send(1).end_offset
    heir = partition.replicas[1]
    with play.transactions(SETTINGS) as producer:
        producer.begin()
        late = play.inject(HoldProduce(producer.name))
        producer.send(partition.where, wait=False)
        play.await_standing([late])
        begins_anew(play, partition, producer.name)
        ended = dict.fromkeys(partition.replicas, base + 1)
        partition.await_offsets("nothing but the abort marker, on all three", ended, ended)
        play.restart(Stop(heir))
        partition.await_isr(*partition.replicas)
        partition.move_leader(heir)
        partition.await_leader(heir, isr=partition.replicas)
        play.heal(late)
        partition.require_acked(partition.send(5))
        partition.read()
        moves = becomes_stable(partition, timeout_s=40)
        play.step("the last stable offset " + ("moves" if moves else "stands still"))
        producer.renew()
        producer.begin()
        producer.send(partition.where)
        producer.commit()
