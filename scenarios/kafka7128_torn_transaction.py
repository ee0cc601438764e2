"""KAFKA-7128 in __transaction_state: a commit that was confirmed is decided again, otherwise."""

from highwater.faults.block_link import BlockLink
from highwater.faults.hold_answers import HoldAnswers
from highwater.faults.hold_markers import HoldMarkers
from highwater.faults.targets import TRANSACTIONS
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.isr_admission import heir_decides
from highwater.scenarios.acts.isr_expansion import IMPATIENT_LEADER
from highwater.scenarios.acts.moved_coordinator import await_alike, coordinator_is


@scenario(
    source="KAFKA-7128; KIP-98",
    plays_on=">=0.11,<2.1",
    reproduces=">=0.11,<=2.0.0",
    claims=("torn-transaction",),
    settings={"transaction.state.log.min.isr": "2"},
    broker_settings=IMPATIENT_LEADER,
    replicas=1,  # nothing but transactions' states goes from broker to broker
    tolerates={
        "committed-truncation": "it is how the decision is lost",
        "unseen": "the aborted record is there, and no reader is handed it",
    },
)
def kafka7128_torn_transaction(play: Play, partition: Partition) -> None:
    """A producer is told that its transaction is committed; half of it is aborted afterwards.

    The decision is on the coordinator and its heir. One of two partitions has the marker, and a
    reader is handed its record; the other one's marker is held. Leadership moves to the heir, which
    takes a latecomer into the ISR that lacks the decision, and on to that one: it aborts the open
    transaction when its producer comes back.

    From 2.0.1 on nobody joins before having reached the start of the leader's own epoch.
    """
    (other,) = play.topics[0].add_partitions()
    leader, heir, latecomer = brokers = play.cluster.brokers
    with play.transactions() as producer:
        coordinator_is(play, brokers, TRANSACTIONS)
        states = Partition(play.scene, TRANSACTIONS, brokers)
        states.prefer(heir, latecomer, leader)
        producer.begin()
        producer.send(partition.where)
        producer.send(other.where)
        await_alike(states)
        late = play.inject(BlockLink(follower=latecomer, leader=leader))
        states.await_isr(leader, heir)
        deaf = play.inject(HoldAnswers(leader, heir))
        held = play.inject_each(HoldMarkers(each, other.leader) for each in (leader, heir))
        producer.commit()
        partition.await_offsets("a record and its marker", {partition.leader: 2})
        play.await_standing(held[:1])
        partition.read()
        if heir_decides(play, states, deaf, late).admitted:
            states.move_leader(latecomer)
            states.await_leader(latecomer)
        play.heal()
        producer.renew()
