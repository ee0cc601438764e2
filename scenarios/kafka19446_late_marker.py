"""KAFKA-19446: the end of a transaction comes a second time, and ends the next one as well."""

from highwater.faults.late_marker import LateMarker
from highwater.faults.targets import TRANSACTIONS
from highwater.harness.clients.settings import Transactions
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.stability import last_stable_offset, undecided
from highwater.scenarios.acts.moved_coordinator import coordinator_is

RATE_PER_S, EACH = 25, Transactions(records=100, abort_every=2)  # four seconds long


@scenario(
    source="KIP-1228; KAFKA-19446; KIP-890",
    reproduces=">=4.0,<4.2",
    modes=("kraft",),
    plays_on=">=4.0",  # transactions v2
    ablations=("LateMarker",),
    claims=("unseen", "aborted-read"),
    settings={"request.timeout.ms": "2000"},
    topic_settings={"min.insync.replicas": "2"},
)
def kafka19446_late_marker(play: Play, partition: Partition) -> None:
    """What a producer committed and was told so of is aborted to every reader, up to an old marker.

    A Java producer commits one transaction and aborts the next. The marker of the abort is under
    way for longer than its coordinator waits, which sends it again; that one is written, and the
    next transaction begins. Now the first marker arrives. Both transactions have one epoch there:
    with transactions v2 it is raised when a transaction is decided, and the marker already has the
    new one. Up to 4.1 the leader writes it, and what the open transaction has there by now is
    aborted. Its producer never hears of that, and commits; readers of committed records are handed
    the rest of it.

    From 4.2 on the request says which protocol its transaction has, and a marker of the epoch that
    the leader knows already is refused.
    """
    leader, coordinator, other = partition.replicas
    with play.load(play.topics[0], RATE_PER_S, None, EACH, client="java") as load:
        load.await_acked(EACH.records)
        coordinator_is(play, (coordinator, other, leader), TRANSACTIONS)
        load.await_acked(EACH.records)
        late = play.inject(LateMarker(coordinator, leader))
        play.await_standing([late])
        play.step("the first marker stands at the gate, another one is written in its place")
        first = partition.log_end_offset(leader) + 1  # of the next one, behind the other marker
        partition.await_state(
            "a transaction has ended", lambda: (last_stable_offset(partition) or 0) >= first
        )
        partition.await_state("the next one is open", lambda: (undecided(partition) or 0) > 10)
        partition.require("and is the one after it", last_stable_offset(partition) == first)
        play.heal(late)
        load.await_acked(EACH.records)
