"""KIP-211: a group that waits for records a day long loses its position while it waits."""

from highwater.faults.jump_clock import JumpClock
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.kept_positions import KeptPositions, kept_for_a_day

A_DAY_AND_AN_HOUR_S = 25 * 3600


@kept_for_a_day(source="KIP-211; KAFKA-4682", reproduces="<2.1", ablations=("JumpClock",))
def kip211_forgotten_position(play: Play, partition: Partition) -> None:
    """A member waits at the end of a quiet topic, and is handed everything again when it restarts.

    Two groups have read ten records and committed. One has no member any more; the other one's
    member waits for an eleventh record, and so has nothing to commit. The coordinator's clock goes
    on by a day and an hour. Up to 2.0 a position is forgotten a day after it was committed,
    whether anybody counts on it or not: once the waiting member is restarted, its group begins
    where auto.offset.reset says.

    From 2.1 on a group keeps its positions for as long as it has members, and a day after that.
    """
    topic = play.topics[0]
    end = partition.send(10).end_offset
    with play.group("left", topic) as left:
        left.await_committed(end)
    with play.group("waits", topic) as waits:
        waits.await_committed(end)
        positions = KeptPositions(play, partition)
        both = [positions.of("left"), positions.of("waits")]
        partition.require("both positions are known", both == [end, end])
        play.inject(JumpClock(positions.coordinator, A_DAY_AND_AN_HOUR_S))
        partition.await_state(
            "the position of the group without members is forgotten",
            lambda: not positions.of("left"),
        )
        (member,) = waits.members
        partition.require("the other group has its member", partition.where in member.assigned)
        play.step(f"the position of the group whose member waits is {positions.of('waits')}")
    with play.group("waits", topic) as again:
        again.await_caught_up()
