"""KAFKA-13091: the ISR has shrunk, and nobody looks again at what was waiting for that."""

from highwater.faults.hold_requests import HoldRequests
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.harness.workloads.producer import ProducerSettings

PATIENT = ProducerSettings(delivery_timeout_s=60, request_timeout_s=55)


@scenario(
    source="KAFKA-13091; KIP-497",
    reproduces=">=2.7,<3.1",
    ablations=("HoldRequests",),
    claims=("stalled-sends",),
    settings={
        "replica.lag.time.max.ms": "3000",
        "replica.socket.timeout.ms": "45000",  # when the late one asks anew all is looked at again
        "request.timeout.ms": "45000",
    },
    topic_settings={"min.insync.replicas": "2"},
)
def kafka13091_shrunk_isr(play: Play, partition: Partition) -> None:
    """Who was late is out of the ISR, all others have the record, and it is never acknowledged.

    A record is sent with acks=all, and nothing after it. One follower does not fetch; the leader
    takes it out of the ISR. The record is on every replica that is left, and may be acknowledged:
    so it is, until 2.6 in the same moment. With KIP-497 the leader asks the controller for the
    smaller ISR, and up to 3.0 it does nothing else when it is told that it has it: the
    high watermark stands until something else happens to the partition, and nothing does.
    """
    leader, quick, late = partition.replicas
    old = dict.fromkeys(partition.replicas, partition.send(1).end_offset)
    partition.await_offsets("one record, committed on all three", old, old)
    held = play.inject(HoldRequests(leader, late, partition.where))
    play.await_standing([held])
    sent = partition.send(1, PATIENT)
    partition.await_isr(leader, quick)
    ends = {leader: 2, quick: 2, late: 1}
    said = "acknowledged" if sent.all_acked else "not acknowledged"
    partition.require_offsets(f"whoever is in sync has the record; it is {said}", ends)
    play.heal(held)
