"""What a broker has answered to its controller: how much of it, as each answer names partitions."""

from highwater.faults.at_the_gate import AtTheGate


def answered_bytes(orders: AtTheGate) -> int:
    """Of all orders that a WatchOrders has seen a broker take."""
    seen = (event for event in orders.rule.events() if event["event"] == "seen")
    return sum(event["frame_bytes"] for event in seen)
