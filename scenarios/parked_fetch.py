"""Purgatory: what a leader does with a fetch for which it has nothing."""

from highwater.faults.watch_fetches import WatchFetches
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.at_first import one_everywhere
from highwater.scenarios.acts.fetches import Fetch, fetches

WAIT_MS, LATE_MS = 2000, 1500  # the second: what a busy machine may add


@scenario(
    source="replica.fetch.wait.max.ms, replica.fetch.min.bytes",
    claims=("lost-write", "stalled-sends"),
    replicas=2,
    settings={"replica.fetch.wait.max.ms": str(WAIT_MS)},
    topic_settings={"min.insync.replicas": "2"},
)
def parked_fetch(play: Play, partition: Partition) -> None:
    """A fetch that finds nothing waits with the leader, until a record or the clock wakes it.

    While nobody writes, every fetch is answered with nothing as soon as replica.fetch.wait.max.ms
    is over, and none before. Then a record is sent while such a fetch stands with the
    leader: the very same fetch is answered with it, and has not waited so long.
    """
    follower, where = partition.replicas[1], partition.where
    base = one_everywhere(partition)
    watched = play.inject(WatchFetches(where))

    def asked(offset: int) -> list[Fetch]:
        return [one for one in fetches(watched) if one.offset == offset]

    def answered(offset: int) -> list[float]:
        return [one.waited_ms for one in asked(offset) if one.waited_ms is not None]

    partition.await_state("two fetches found nothing", lambda: len(answered(base)) >= 2)
    empty, slow = min(answered(base)), max(answered(base))
    partition.require("neither was answered sooner", empty >= WAIT_MS - 1, shortest_ms=empty)
    partition.require("nor much later", slow < WAIT_MS + LATE_MS, longest_ms=slow)
    partition.await_state("another one waits", lambda: len(asked(base)) > len(answered(base)))
    parked = len(asked(base))
    partition.require_acked(partition.send(1))
    partition.await_state("the follower asks for more", lambda: bool(asked(base + 1)))
    woken = asked(base)[-1]
    partition.require(
        f"the fetch that waited got the record to broker {follower}",
        len(asked(base)) == parked and bool(woken.record_bytes),
        waited_ms=woken.waited_ms,
    )
    play.heal(watched)
