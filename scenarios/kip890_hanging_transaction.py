"""KIP-890: a record comes too late for its transaction, and begins one that nobody ends."""

from highwater.faults.hold_produce import HoldProduce
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.stability import becomes_stable
from highwater.harness.workloads.producer import ProducerSettings

SETTINGS = ProducerSettings(delivery_timeout_s=3.0, transaction_timeout_s=15.0)


@scenario(
    source="KIP-890; KAFKA-14402",
    reproduces="<3.6",
    restored_by=("verification=off",),
    ablations=("HoldProduce",),
    claims=("aborted-read", "stuck-reader", "hanging-transaction"),
    plays_on=">=2.5",  # before KIP-360 a producer that gave up on a record cannot go on
    gated_clients=True,
    topic_settings={"min.insync.replicas": "2"},
)
def kip890_hanging_transaction(play: Play, partition: Partition) -> None:
    """An aborted record blocks every reader, and comes to light with the next commit.

    A transaction has one record in the log and another one under way when its producer gives up.
    The coordinator confirms the abort, the marker is in the log. Now the late record arrives, and
    up to 3.5 the leader takes it: to the partition, that is how a transaction begins. To the
    coordinator there is none, so none will end. Readers of committed records stand still in front
    of it, whatever is written behind, for longer than any transaction may last. The next
    transaction of this transactional.id commits, and its marker commits the aborted record as well.

    From 3.6 on the leader asks the coordinator whether the transaction is there, and refuses.
    """
    base = partition.send(1).end_offset
    with play.transactions(SETTINGS) as producer:
        producer.begin()
        producer.send(partition.where)
        late = play.inject(HoldProduce(producer.name))
        producer.send(partition.where, wait=False)
        play.await_standing([late])
        play.step("the transaction is aborted while its second record is under way")
        producer.abort()
        ended = dict.fromkeys(partition.replicas, base + 2)
        partition.await_offsets("one record and the abort marker, on all three", ended, ended)
        play.heal(late)
        taken = partition.log_end_offset(partition.replicas[0]) > base + 2
        play.step(f"the late record is {'in the log' if taken else 'refused'}")

        partition.require_acked(partition.send(5))
        partition.read()
        moves = becomes_stable(partition, timeout_s=40)
        play.step("the last stable offset " + ("moves" if moves else "stands still"))
        play.step("the next transaction of its id is committed")
        producer.renew()  # or librdkafka may send the late one's sequence number once more
        producer.begin()
        producer.send(partition.where)
        producer.commit()
