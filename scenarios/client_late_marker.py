"""Any client: its transaction is committed, and the marker of that is late."""

from highwater.faults.hold_markers import HoldMarkers
from highwater.faults.targets import TRANSACTIONS
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_transactions import SHORT, any_transactions

RATE_PER_S = 100
LATE_NS = 3e9  # six transactions would have come and gone


@any_transactions("KIP-98: WriteTxnMarkers, CONCURRENT_TRANSACTIONS")
def client_late_marker(play: Play, partition: Partition) -> None:
    """A producer that begins its next transaction too soon waits, and all that it commits is read.

    The coordinator has answered that a transaction is committed, and its marker stands on the way
    to the partition's leader for three seconds. The next transaction is for the same partition: the
    coordinator refuses it (CONCURRENT_TRANSACTIONS) until the marker is there. The producer is to
    ask again, and each record is read once in the end.
    """
    with play.load(play.topics[0], RATE_PER_S, transactions=SHORT, client=play.client) as load:
        load.await_acked(SHORT.records)
        coordinator = play.cluster.metadata.partition(TRANSACTIONS).leader
        leader = next(each for each in partition.replicas if each != coordinator)
        partition.move_leader(leader)
        partition.await_leader(leader)
        load.await_acked(load.acked + SHORT.records)
        late = play.inject(HoldMarkers(coordinator, leader))
        play.await_standing([late])
        since_ns, acked = play.record.now_ns(), load.acked
        what = "the marker has been late for three seconds"
        partition.await_state(what, lambda: play.record.now_ns() > since_ns + LATE_NS)
        more = load.acked - acked
        partition.require("the next transaction is waited with", more <= SHORT.records, acked=more)
        play.heal(late)
        load.await_acked(load.acked + 3 * SHORT.records)
