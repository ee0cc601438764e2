"""What is planted in looks at replicas and brokers."""

from __future__ import annotations

from tests.bed import BROKERS, MUCH_LATER_NS, NOWHERE, TOPIC, alive, look_at
from tests.garden import Garden


def plant_stuck_broker(garden: Garden) -> None:
    broker = garden.chance.choice(BROKERS[1:])
    for second in range(2, 8):
        garden.add("liveness", **alive(second, broker, answers=False))
    garden.expect("stuck-broker", broker=broker, since_ns=2 * 10**9)


def plant_leader_out_of_sync(garden: Garden) -> None:
    """At a look that tells nothing else."""
    partition, at_ns = garden.a_partition(), 1000 + garden.chance.randrange(1000)
    garden.add("replica_states", **{**look_at(partition, 3, at_ns), "isr": "2,3", "quiet": False})
    garden.expect("leader-out-of-sync", partition=partition, at_ns=at_ns, leader=1)


def plant_lagging_in_sync(garden: Garden) -> None:
    """At one look only, and not at the last."""
    partition, broker = garden.a_partition(), garden.chance.choice(BROKERS[1:])
    at_ns = MUCH_LATER_NS + garden.chance.randrange(1, 1000)
    look = {**look_at(partition, broker, at_ns), "quiet": False}
    garden.add("replica_states", **look, log_end_offset=garden.per_partition - 1)
    garden.expect("lagging-in-sync", partition=partition, broker=broker, at_ns=at_ns)


def plant_left_behind(garden: Garden) -> None:
    """In a topic of its own, on a broker of its own that is well."""
    value = garden.new_value()
    topic, broker = f"left-{value}", 9 + value - NOWHERE
    seen = {"topic": topic, "partition": 0, "broker": 1, "leader": 1, "leader_epoch": 0}
    ends = {"log_end_offset": 2, "high_watermark": 2, "isr": "1", "replicas": f"1,{broker}"}
    since_s = MUCH_LATER_NS // 10**9 + 1
    for second in range(since_s, since_s + 36, 5):
        garden.add("replica_states", **seen, **ends, at_ns=second * 10**9)
        garden.add("liveness", **alive(second, broker, answers=True))
    garden.expect("left-behind", topic=topic, broker=broker, since_ns=since_s * 10**9)


def plant_leader_high_watermark(garden: Garden) -> None:
    """A last look after the fetches of all followers: the leader counts less than they have."""
    partition = garden.a_partition()
    mine = garden.rows("replica_states", topic=TOPIC, partition=partition, broker=1, at_ns=25)
    garden.change("replica_states", mine, high_watermark=garden.per_partition - 1)
    garden.expect("leader-high-watermark", partition=partition, broker=1, at_ns=25)


def plant_high_watermark_regression(garden: Garden) -> None:
    """Seen at a moment when something moved, so that it tells nothing of who was told what."""
    partition = garden.a_partition()
    mine = garden.rows("replica_states", topic=TOPIC, partition=partition, broker=1, at_ns=20)
    garden.change("replica_states", mine, high_watermark=garden.per_partition - 1, quiet=False)
    garden.expect("high-watermark-regression", partition=partition, broker=1, at_ns=20)


def plant_follower_high_watermark(garden: Garden) -> None:
    partition, broker = garden.a_partition(), garden.chance.choice(BROKERS[1:])
    mine = garden.rows("replica_states", topic=TOPIC, partition=partition, broker=broker, at_ns=20)
    garden.change("replica_states", mine, high_watermark=garden.per_partition - 1)
    garden.expect("follower-high-watermark", partition=partition, broker=broker, at_ns=20)


def plant_flapping_isr(garden: Garden) -> None:
    """In a topic of its own, which nobody reads or writes."""
    topic = f"flapping-{garden.new_value()}"
    seen = {"topic": topic, "partition": 0, "broker": 1, "leader": 1, "leader_epoch": 0}
    for at in range(10):
        isr = "1,2" if at % 2 else "1"
        garden.add("replica_states", **seen, at_ns=MUCH_LATER_NS + at * 10**9, isr=isr)
    garden.expect("flapping-isr", topic=topic, broker=2, joins=5)


def plant_stuck_move(garden: Garden) -> None:
    """In a topic of its own: it is in sync where it goes, and stays where it was as well."""
    topic = f"moving-{garden.new_value()}"
    move = {"adding": "3", "removing": "1", "isr": "1,3", "replicas": "1,2,3", "leader": 1}
    since_s = MUCH_LATER_NS // 10**9 + 1
    for second in range(since_s, since_s + 36, 5):
        where = {"topic": topic, "partition": 0, "broker": 1, "at_ns": second * 10**9}
        garden.add("reassignments", **where, **move)
    garden.expect("stuck-move", topic=topic, since_ns=since_s * 10**9)
