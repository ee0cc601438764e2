"""What a broker has answered to its controller: each answer names the partitions it was about."""

from collections.abc import Mapping

from highwater.faults.at_the_gate import AtTheGate

BY_TOPIC = 5  # from this version of LeaderAndIsr on a topic is named once, by its id


def has_taken_all(orders: AtTheGate, partitions: Mapping[str, int]) -> bool:
    """Whether one answer that a WatchOrders has seen is as long as one about all of these.

    Each entry of an answer is as long as any other of its topic: one that lacks some is shorter.
    """
    seen = [event for event in orders.rule.events() if event["event"] == "seen"]
    return any(e["frame_bytes"] >= _bytes(e["api_version"], partitions) for e in seen)


def _bytes(version: int, partitions: Mapping[str, int]) -> int:
    """With the length of the frame, its header, and an error of all; entries: number, error."""
    if version < BY_TOPIC:
        return 14 + sum(many * (len(topic) + 8) for topic, many in partitions.items())
    return 13 + sum(18 + 7 * many for many in partitions.values())
