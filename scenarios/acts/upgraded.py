"""All nodes get another release on the data that they have, up to a step of the upgrade."""

from highwater.faults.delay_requests import DelayRequests
from highwater.faults.hold_answers import HoldAnswers
from highwater.faults.hold_requests import HoldRequests
from highwater.faults.kill import Kill
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.versions.upgrading import Step


def up_to(play: Play, partition: Partition, release: str, until: Step) -> None:
    """The first replica leads again when this returns, and all replicas are in sync."""
    play.rolling_upgrade(release, until)
    first = partition.replicas[0]
    partition.move_leader(first)
    partition.await_leader(first, isr=partition.replicas)


def laggard_is_elected(play: Play, partition: Partition) -> None:
    """KIP-101, scenario 1, as in kip101-loss-strict; but whoever asks for an epoch is answered.

    There the laggard's link is blocked for good, and a question for the end of its epoch stands
    still with it: then nothing is cut, whatever the answer were. Here fetches alone stand still.
    """
    leader, heir, laggard = partition.replicas
    behind = partition.send(1).end_offset
    everywhere = dict.fromkeys(partition.replicas, behind)
    partition.await_offsets("one record, committed on all three", everywhere, everywhere)

    play.inject(DelayRequests(leader, laggard))  # apart: see KAFKA-6653
    kept = play.inject(HoldRequests(heir, laggard, partition.where))
    play.inject_each(HoldAnswers(leader, each) for each in (heir, laggard))
    batch = partition.send(10, to=leader)
    partition.require_acked(batch)
    partition.require_offsets(
        "all three have the batch, only the leader knows that it is committed",
        ends=dict.fromkeys(partition.replicas, batch.end_offset),
        high_watermarks={**everywhere, leader: batch.end_offset},
    )
    play.inject(Kill(leader))
    partition.await_leader(heir, isr=(heir, laggard))
    play.await_standing([kept])
    partition.require_offsets("the heir has the batch", ends={heir: batch.end_offset})
    play.inject(Kill(heir))
    partition.await_leader(laggard, isr=(laggard,))
