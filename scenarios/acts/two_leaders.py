"""Two leaders at once: the old one takes what it is sent, and nothing of it is left."""

from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.workloads.requests import Acks, Request

TAKEN, KEPT = 10, 5


def asked(play: Play, partition: Partition, old: int) -> tuple[Request, Request]:
    """Ten records with acks=1 and one with acks=all for the old leader, whether it answers now."""
    request = play.scene.request
    return (
        request(partition.where, old, TAKEN, Acks.ONE),
        request(partition.where, old, 1, Acks.ALL),
    )


def committed_by_another(play: Play, partition: Partition, old: int) -> None:
    """Another one is elected, and commits five records."""
    partition.await_state("another one leads", lambda: partition.leader not in {-1, old})
    kept = play.scene.request(partition.where, partition.leader, KEPT, Acks.ALL)
    partition.await_state("which commits", lambda: bool(kept.acked), timeout_s=30.0)
    isr = partition.state().isr
    partition.require("the old one is out of the ISR", old not in isr, isr=isr)


def took_and_committed_nothing(
    play: Play, partition: Partition, old: int, base: int, sent: tuple[Request, Request]
) -> None:
    """It has answered ten with acks=1, and does not commit; it leads on as far as it knows."""
    alone, waiting = sent
    over = "the old one is asked no more"
    partition.await_state(over, lambda: alone.is_over and waiting.is_over, timeout_s=60.0)
    partition.require("it took ten with acks=1", alone.offset >= base, error=alone.error)
    partition.require("none with acks=all", not waiting.acked, error=waiting.error)
    partition.require("it leads on", play.cluster.probe(old).leads(partition.where))


def cut_off(partition: Partition, base: int) -> None:
    """All are in sync, with what the other one committed and nothing else."""
    partition.await_isr(*partition.replicas)
    end = dict.fromkeys(partition.replicas, base + KEPT)
    partition.await_offsets("what it took is gone", end, end)


def one_on_all(partition: Partition) -> int:
    """One record, committed on all replicas; where they end."""
    base = partition.send(1).end_offset
    everywhere = dict.fromkeys(partition.replicas, base)
    partition.await_offsets("one record, committed on all three", everywhere, everywhere)
    return base
