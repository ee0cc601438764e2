"""KAFKA-17507: a transaction that is committed commits the positions of the next one as well."""

from highwater.faults.targets import OFFSETS
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.probes.positions import group_position
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.long_to_read import OTHERS, TWO, is_being_read, is_long, named_into
from highwater.scenarios.acts.moved_coordinator import coordinator_is
from highwater.scenarios.acts.next_transaction import follows_while
from highwater.scenarios.acts.positions import await_position
from highwater.scenarios.acts.positions_in_transactions import positioning


@scenario(
    source="KAFKA-17507; brought by KAFKA-6917",
    reproduces="==0.11.0.3 or ==1.0.2 or >=1.1.1,<3.9.1",
    plays_on=">=0.11",
    claims=("unprocessed",),
    settings=TWO,
    topic_settings={"min.insync.replicas": "2"},
)
def kafka17507_position_of_the_next(play: Play, partition: Partition) -> None:
    """A group passes over ten records that nobody has processed: their transaction was aborted.

    A producer commits positions of a group in transactions, and the group's coordinator becomes
    that of other groups, whose log takes seconds to read. A transaction is committed, and its
    marker is written. Since KAFKA-6917 its positions are put into effect later, by the thread that
    reads, and the marker is answered at once: the next transaction begins, with a position ten
    records on. When all is read, what the producer has left there by now is put into effect. The
    next one is aborted, and its position stays. From 3.9.1 on the answer waits for that thread.
    """
    coordinator, other, _ = partition.replicas
    home, topic = play.cluster.metadata.partition(OFFSETS).replicas, play.topics[0]
    group, others = named_into(OFFSETS, topic.name), named_into(OTHERS, topic.name)
    name = group.removeprefix(f"{topic.name}-")
    coordinator_is(play, (coordinator, other))
    coordinator_is(play, (other, coordinator), OTHERS)
    is_long(play, others)
    partition.require_acked(partition.send(10))
    with play.group(name, topic) as reads:
        await_position(partition, reads, 10)
    partition.require_acked(partition.send(10))
    with positioning(play, topic.name, group, coordinator) as producer:
        producer.begin()
        producer.commit_position(partition.where, 10)
        coordinator_is(play, (coordinator, other), OTHERS)
        follows_while(partition, producer, lambda: is_being_read(producer.coordinator, others))
        seen = group_position(producer.coordinator, group, partition.where)
        play.step(f"all is read, the next transaction is open, and the position is {seen}")
        producer.end(commit=False)
    with play.group(name, topic) as again:
        partition.require_acked(partition.send(5))
        await_position(partition, again, 25)
    coordinator_is(play, home)
    coordinator_is(play, home, OTHERS)
