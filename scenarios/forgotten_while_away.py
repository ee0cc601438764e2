"""offsets.retention.minutes: a group that is down for three days begins again from nothing."""

from highwater.faults.jump_clock import JumpClock
from highwater.faults.targets import OFFSETS
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario

DAY_S = 24 * 3600


@scenario(
    source="Kafka's documentation: offsets.retention.minutes; KIP-186, KIP-211",
    reproduces=">=0.10.1",
    cured_by=("offsets-retention=10080",),
    claims=("handed-again",),
    plays_on=">=0.10.1",  # before, a broker's timers go by the clock that is set (KAFKA-4051)
    fake_clock=True,
    settings={
        "offsets.retention.minutes": "1440",  # a day, the default up to 1.1
        "offsets.retention.check.interval.ms": "500",
    },
    topic_settings={"min.insync.replicas": "2"},
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
    topic, where = play.topics[0], partition.where
    end = partition.send(10).end_offset
    with play.group("away", topic) as away:
        away.await_committed(end)
    coordinator = play.cluster.metadata.partition(OFFSETS).leader
    asked = play.cluster.probe(coordinator)
    asked.commit_position(f"{topic.name}-witness", where, end, kept_s=2 * DAY_S)

    def position(name: str) -> int | None:
        return asked.group_position(f"{topic.name}-{name}", where)

    partition.require("both positions are known", position("away") == position("witness") == end)
    play.inject(JumpClock(coordinator, 3 * DAY_S))
    partition.await_state(
        "what was to be kept for two days is forgotten", lambda: not position("witness")
    )
    play.step(f"after three days the position of the group that was away is {position('away')}")
    with play.group("away", topic) as again:
        again.await_caught_up()
