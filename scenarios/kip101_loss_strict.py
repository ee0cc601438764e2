"""KIP-101, scenario 1, with everything that people suggest as a cure already in place."""

from highwater.faults.block_link import BlockLink
from highwater.faults.delay_requests import DelayRequests
from highwater.faults.hold_answers import HoldAnswers
from highwater.faults.kill import Kill
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.nobody_cut_off import await_fetched_if_it_can


@scenario(
    source="KIP-101, KAFKA-1211",
    reproduces="<0.11",
    restored_by=("ibp=0.11.0-IV1",),
    ablations=("BlockLink",),
    claims=("lost-write",),
    topic_settings={"min.insync.replicas": "2"},
    tolerates={"committed-truncation": "it is how the records are lost"},
)
def kip101_loss_strict(play: Play, partition: Partition) -> None:
    """Acknowledged by three replicas of three, lost in two clean elections.

    Three replicas, acks=all, min.insync.replicas=2, no unclean election. The followers have the
    batch but have not heard that it is committed: their high watermark is one fetch behind. The
    leader dies; the laggard becomes a follower of the heir and, before 0.11, cuts its log back to
    that old high watermark, while it stays in the ISR. Then the heir dies as well, before the
    laggard could fetch from it, and the laggard is elected: cleanly, without the batch.

    From 0.11 on the laggard first asks the new leader where its epoch ended, and cuts nothing.
    """
    leader, heir, laggard = partition.replicas
    base = partition.send(1)
    everywhere = dict.fromkeys(partition.replicas, base.end_offset)
    partition.await_offsets("one record, committed on all three", everywhere, everywhere)

    play.inject(DelayRequests(leader, laggard))  # apart: see KAFKA-6653
    blocked = play.inject(BlockLink(follower=laggard, leader=heir))
    play.inject_each(HoldAnswers(leader, each) for each in (heir, laggard))
    batch = partition.send(10, to=leader)
    partition.require_acked(batch)
    end, behind = batch.end_offset, base.end_offset
    partition.require_offsets(
        "all three have the batch, only the leader knows that it is committed",
        ends=dict.fromkeys(partition.replicas, end),
        high_watermarks={leader: end, heir: behind, laggard: behind},
    )

    play.inject(Kill(leader))
    partition.await_leader(heir, isr=(heir, laggard))
    play.await_standing([blocked])
    await_fetched_if_it_can(partition, blocked, heir, end)
    partition.require_offsets("the heir has the batch", ends={heir: end})

    play.inject(Kill(heir))
    partition.await_leader(laggard, isr=(laggard,))
