"""KIP-279: replicas fork when leadership moves twice before anyone has truncated."""

from highwater.faults.kill import Kill
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ACKS_ONE
from highwater.scenarios.acts.unfetched_leaders import second_leads_unfetched

UNCUT = "older epochs' records are appended behind those that should have been cut"


@scenario(
    source="KIP-279, KAFKA-6361",
    plays_on=">=0.11",
    reproduces=">=0.11,<2.0",
    claims=("replica-divergence",),
    replicas=2,
    topic_settings={"min.insync.replicas": "1"},
    tolerates={"leader-epoch-order": UNCUT, "epoch-checkpoint": UNCUT},
)
def kip279_fast_failover(play: Play, partition: Partition) -> None:
    """Leadership moves away and back too fast, and the two logs differ for ever.

    Two replicas. The first leader takes ten records that the second one cannot fetch, then a
    preferred election makes the second one leader, which takes five records of its own. Before the
    first one could ask it where the epochs part, the second leader dies, and the first one leads
    again, never truncated, and appends. When the second one returns it asks where its epoch ended.
    The leader does not know that epoch and answers, up to 1.1, with the start of the next one it
    knows: beyond the second one's log, so nothing is cut, and five records differ in the ISR.

    From 2.0 on the leader also says to which epoch its answer belongs, and the logs are compared
    until a common one is found.
    """
    first, second = partition.replicas
    apart = second_leads_unfetched(play, partition)
    partition.send(5, ACKS_ONE, one_batch=False, to=second)
    play.await_standing([apart.back])
    partition.require_offsets(
        "each has records of its own, and the first has cut nothing",
        {first: apart.base + 10, second: apart.base + 5},
    )

    dead = play.inject(Kill(second))
    play.heal(apart.away, apart.back)
    partition.await_leader(first, isr=(first,))
    partition.require_acked(partition.send(1, to=first))
    partition.require_offsets("its log has never been cut", {first: apart.base + 11})
    play.heal(dead)
