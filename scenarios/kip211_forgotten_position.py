"""KIP-211: a group that waits for records a day long loses its position while it waits."""

from highwater.faults.jump_clock import JumpClock
from highwater.faults.targets import OFFSETS
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario

A_DAY_AND_AN_HOUR_S = 25 * 3600


@scenario(
    source="KIP-211; KAFKA-4682",
    reproduces="<2.1",
    ablations=("JumpClock",),
    claims=("handed-again",),
    plays_on=">=0.10.1",  # before, a broker's timers go by the clock that is set (KAFKA-4051)
    fake_clock=True,
    settings={
        "offsets.retention.minutes": "1440",  # a day, the default up to 1.1
        "offsets.retention.check.interval.ms": "500",
    },
    topic_settings={"min.insync.replicas": "2"},
)
def kip211_forgotten_position(play: Play, partition: Partition) -> None:
    """A member waits at the end of a quiet topic, and is handed everything again when it restarts.

    Two groups have read ten records and committed. One has no member any more; the other one's
    member waits for an eleventh record, and so has nothing to commit. The coordinator's clock goes
    on by a day and an hour. Up to 2.0 a position is forgotten a day after it was committed,
    whether anybody counts on it or not: once the waiting member is restarted, its group begins
    where auto.offset.reset says.

    From 2.1 on a group keeps its positions for as long as it has members, and a day after that.
    """
    topic, where = play.topics[0], partition.where
    end = partition.send(10).end_offset
    with play.group("left", topic) as left:
        left.await_committed(end)
    with play.group("waits", topic) as waits:
        waits.await_committed(end)
        coordinator = play.cluster.metadata.partition(OFFSETS).leader
        asked = play.cluster.probe(coordinator)

        def position(name: str) -> int | None:
            return asked.group_position(f"{topic.name}-{name}", where)

        partition.require("both positions are known", position("left") == position("waits") == end)
        play.inject(JumpClock(coordinator, A_DAY_AND_AN_HOUR_S))
        partition.await_state(
            "the position of the group without members is forgotten", lambda: not position("left")
        )
        (member,) = waits.members
        partition.require("the other group has its member", where in member.assigned)
        play.step(f"the position of the group whose member waits is {position('waits')}")
    with play.group("waits", topic) as again:
        again.await_caught_up()
