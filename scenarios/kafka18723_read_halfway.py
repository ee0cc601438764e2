"""KAFKA-18723: one answer has records of two leader epochs, and a follower takes both."""

from highwater.faults.block_link import BlockLink
from highwater.faults.hold_decisions import HoldDecisions
from highwater.faults.stall_answers import StallAnswers
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.pattern import Pattern
from highwater.harness.workloads.producer import ACKS_ONE
from highwater.scenarios.acts.at_first import one_everywhere
from highwater.scenarios.acts.noted_epochs import noted_epochs

RECORDS, MORE = 300, 320
ALIKE = Pattern("key", "." * 90_000)  # of one that is cut into the rest is as of any other
LARGE = {f"replica.fetch.{each}.bytes": "60000000" for each in ("max", "response.max")}


@scenario(
    source="KAFKA-18723",
    reproduces="<3.9.1 or ==4.0.0",  # 4.0.0 is older than 3.9.1
    plays_on=">=0.11",  # before, no batch says of which leader epoch it is
    ablations=("HoldDecisions",),
    claims=("replica-divergence",),
    gated_metadata=True,
    settings={**LARGE, "replica.lag.time.max.ms": "30000"},
    topic_settings={"min.insync.replicas": "1"},
)
def kafka18723_read_halfway(play: Play, partition: Partition) -> None:
    """While a follower reads what its leader answers, that one cuts its log and fills it anew.

    An answer of 27 MB is read in part; its rest is still in the leader's file. Another replica,
    which lacks these records, is elected. The old leader cuts its log, and takes others to the same
    place. The follower, which has heard of nothing, reads on: records of the old epoch, then of the
    new one. It takes all. When it hears of the new leader it asks where its last epoch ends: behind
    all of them. Since then no batch is taken of a later epoch than its leader's.
    """
    leader, heir, late = (partition := play.topic("alike", pattern=ALIKE)[0]).replicas
    play.bring_controller_home()
    base = one_everywhere(partition)
    apart = play.inject_each(BlockLink(each, leader) for each in (heir, late))
    play.await_standing(apart)
    partition.require_acked(partition.send(RECORDS, ACKS_ONE, one_batch=False, to=leader))
    answer = play.inject(StallAnswers(leader, late))
    play.heal(apart[1])
    play.await_standing([answer])
    play.inject(HoldDecisions(late))
    partition.move_leader(heir)
    partition.await_leader(heir)
    partition.require_offsets("neither has any of it", {heir: base, late: base})
    play.heal(apart[0])
    partition.require_acked(partition.send(MORE, ACKS_ONE, one_batch=False, to=heir))
    partition.await_offsets("cut, and filled anew", dict.fromkeys((leader, heir), base + MORE))
    partition.require_offsets("the follower has heard of nothing", {late: base})
    play.heal(answer)
    partition.await_state("the answer came", lambda: partition.log_end_offset(late) > base)
    taken, epochs = partition.log_end_offset(late) - base, noted_epochs(play, partition, late)
    partition.require("not all was on its way", taken < RECORDS or len(epochs) > 1, epochs=epochs)
    play.heal()
    partition.await_offsets("all have all", dict.fromkeys(partition.replicas, base + MORE))
