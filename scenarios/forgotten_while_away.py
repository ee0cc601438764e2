"""offsets.retention.minutes: a group that is down for three days begins again from nothing."""

from highwater.faults.jump_clock import JumpClock
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.kept_positions import KeptPositions, kept_for_a_day

DAY_S = 24 * 3600


@kept_for_a_day(
    source="Kafka's documentation: offsets.retention.minutes; KIP-186, KIP-211",
    reproduces=">=0.10.1",
    cured_by=("offsets-retention=10080",),
)
def forgotten_while_away(play: Play, partition: Partition) -> None:
    """An application is down over a long weekend, and is handed everything once more.

    A group has read ten records, has committed, and has no member for three days. Its coordinator
    keeps a position for offsets.retention.minutes after a group was left. With a day, the default
    up to 1.1, it is forgotten, and the group begins where auto.offset.reset says: at the beginning
    what was processed is handed out again, at the end what came meanwhile is skipped.

    With a week, the default from 2.0 on, the group goes on where it was. A position that was
    committed to be kept for two days shows that the coordinator has looked for what is over.
    """
    topic = play.topics[0]
    end = partition.send(10).end_offset
    with play.group("away", topic) as away:
        away.await_committed(end)
    positions = KeptPositions(play, partition)
    positions.commit("witness", end, kept_s=2 * DAY_S)
    both = [positions.of("away"), positions.of("witness")]
    partition.require("both positions are known", both == [end, end])
    play.inject(JumpClock(positions.coordinator, 3 * DAY_S))
    partition.await_state(
        "what was to be kept for two days is forgotten", lambda: not positions.of("witness")
    )
    play.step(f"after three days the position of the group that was away is {positions.of('away')}")
    with play.group("away", topic) as again:
        again.await_caught_up()
