"""KAFKA-20716: an unclean election loses the end of a transaction, and keeps its beginning."""

from highwater.faults.kill import Kill
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.transactions_by_hand import await_transaction


@scenario(
    source="KAFKA-20716; KIP-98",
    reproduces=">=3.1",
    plays_on=">=3.1",  # in 3.0 what waits for a smaller ISR waits on: KAFKA-13091
    modes=("zookeeper", "kraft>=3.9"),  # before, nobody is elected uncleanly: KAFKA-12670
    ablations=("Kill",),
    claims=("stuck-reader",),
    replicas=2,
    topic_settings={"min.insync.replicas": "1", "unclean.leader.election.enable": "true"},
    tolerates={
        "committed-truncation": "an unclean election takes what only the other replica had",
        "aborted-read": "the producer's next marker ends what was left open",
    },
)
def kafka20716_lost_marker(play: Play, partition: Partition) -> None:
    """A committed transaction is open again, and readers wait for an end that was already written.

    A follower has the record of a transaction and dies. The transaction is committed, with its
    marker on the leader alone. The leader dies, the follower returns and is elected uncleanly: it
    has the record without the marker. To the coordinator the transaction is over, so nobody will
    end it. Readers of committed records stand still in front of it, whatever is written behind.
    """
    leader, follower = partition.replicas
    base = partition.send(1).end_offset
    with play.transactions() as producer:
        producer.begin()
        producer.send(partition.where)
        both = dict.fromkeys(partition.replicas, base + 1)
        partition.await_offsets("the record is on both", both)
        absent = play.inject(Kill(follower))
        partition.await_leader(leader, isr=(leader,))
        producer.commit()
        partition.await_offsets("the marker is on the leader only", {leader: base + 2})
        await_transaction(play, partition, producer.name, "CompleteCommit")
        dead = play.inject(Kill(leader))
        play.heal(absent)
        partition.await_state("the follower is elected", lambda: partition.leader == follower)
        partition.await_offsets("the record without its marker", {follower: base + 1})
        play.heal(dead)
        partition.await_isr(*partition.replicas)

        partition.require_acked(partition.send(5))
        partition.read()
        play.step("the next transaction of the same producer ends both")
        producer.begin()
        producer.send(partition.where)
        producer.commit()
