"""KAFKA-16352: an answer from before takes away the end of a transaction that was begun again."""

from highwater.faults.hold_markers import HoldMarkers
from highwater.faults.late_marker_answers import LateMarkerAnswers
from highwater.faults.targets import TRANSACTIONS
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ProducerSettings
from highwater.scenarios.acts.completion import becomes_complete
from highwater.scenarios.acts.moved_coordinator import coordinator_is
from highwater.scenarios.acts.transactions_by_hand import await_transaction

# Time enough to find a coordinator that has moved.
SETTINGS = ProducerSettings(delivery_timeout_s=20.0, transaction_timeout_s=60.0)


@scenario(
    source="KAFKA-16352",
    reproduces="<3.8",
    plays_on=">=3.0",  # DescribeTransactions
    ablations=("LateMarkerAnswers",),
    claims=("stuck-transaction",),
    topic_settings={"min.insync.replicas": "2"},
)
def kafka16352_stuck_transaction(play: Play, partition: Partition) -> None:
    """A transaction is committed, its marker is written, and its coordinator never ends it.

    A leader writes the marker of a transaction, and its answer is under way while another broker
    becomes the coordinator, whose marker does not arrive, and then the first one again. That one
    has read from its log that the transaction is to be committed, and sends the marker once more.
    Now the answer of before arrives. Up to 3.7 the coordinator takes it for one of today, sees that
    it is not, and forgets that it waits for another one: to the answer to its second marker nothing
    belongs any more. The transaction stays in PrepareCommit, and its producer, which was told that
    it is committed, is told CONCURRENT_TRANSACTIONS when it goes on, for as long as this broker is
    the coordinator. Another one reads the log, and ends it.
    """
    leader, coordinator, other = partition.replicas
    with play.transactions(SETTINGS) as producer:
        coordinator_is(play, (coordinator, other, leader), TRANSACTIONS)
        producer.begin()
        producer.send(partition.where)
        end = partition.log_end_offset(leader)
        answer = play.inject(LateMarkerAnswers(coordinator, leader))
        markers = play.inject(HoldMarkers(other, leader))
        producer.commit()
        play.await_standing([answer])
        partition.await_offsets("the marker is written", {leader: end + 1})
        coordinator_is(play, (other, coordinator, leader), TRANSACTIONS)
        partition.await_state("the other one sends its own", lambda: markers.proof["held"] > 0)
        coordinator_is(play, (coordinator, other, leader), TRANSACTIONS)
        await_transaction(play, partition, producer.name, "PrepareCommit")
        play.step("the answer of before arrives")
        play.heal(answer)
        play.heal(markers)
        ends = becomes_complete(play, producer.name, timeout_s=50)
        play.step("the transaction is " + ("complete" if ends else "stuck"))
        coordinator_is(play, (other, coordinator, leader), TRANSACTIONS)
        await_transaction(play, partition, producer.name, "CompleteCommit")
