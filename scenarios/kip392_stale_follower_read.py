"""KIP-392: who reads from the nearest replica sees what that one knows to be committed."""

from highwater.faults.hold_answers import HoldAnswers
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario


@scenario(
    source="KIP-392; replica.selector.class, client.rack",
    reproduces=">=2.4",
    claims=("stale-read",),
    replicas=2,
    settings={"replica.selector.class": "org.apache.kafka.common.replica.RackAwareReplicaSelector"},
    broker_settings={1: {"broker.rack": "east"}, 2: {"broker.rack": "west"}},
    topic_settings={"min.insync.replicas": "2"},
)
def kip392_stale_follower_read(play: Play, partition: Partition) -> None:
    """Acknowledged by two replicas of two, and not there for a reader next to one of them.

    The follower has fetched ten records, so the leader acknowledges them; the answer that would
    bring the follower the new high watermark is late. A reader in the follower's rack is sent to
    the follower and told that the log ends before the ten. A reader of the leader is handed all of
    them at the same time, and nothing is lost: to read near is to read a little of the past.

    Before 2.4 every reader reads from the leader.
    """
    leader, follower = partition.replicas
    base = partition.send(1)
    everywhere = dict.fromkeys(partition.replicas, base.end_offset)
    partition.await_offsets("one record, committed on both", everywhere, everywhere)

    unheard = play.inject(HoldAnswers(leader, follower))
    batch = partition.send(10, to=leader)
    partition.require_acked(batch)
    play.await_standing([unheard])
    partition.require_offsets(
        "both have the ten, only the leader knows that they are committed",
        ends=dict.fromkeys(partition.replicas, batch.end_offset),
        high_watermarks={leader: batch.end_offset, follower: base.end_offset},
    )
    partition.read_from_rack("west")
    partition.read()
