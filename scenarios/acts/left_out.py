"""A replica whose broker lives comes into the ISR, or is left out for longer than it may be."""

from highwater.checkers.left_behind import LONG_NS
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.hanging_return import look_at

WELL = {"running": True, "registered": True, "answers": True}
LONG_ENOUGH_NS = LONG_NS + 3e9  # looks are not at one moment


def comes_in_or_is_left(play: Play, partition: Partition, broker: int) -> bool:
    """Watch a broker until it is in the ISR, or has been well for too long without.

    Whether it is in the ISR. Every look goes into the table `liveness`.
    """
    since_ns = play.record.now_ns()

    def decided() -> bool:
        nonlocal since_ns
        if look_at(play, broker) != WELL:
            since_ns = play.record.now_ns()
        is_left = play.record.now_ns() - since_ns > LONG_ENOUGH_NS
        return is_left or broker in partition.state().isr

    partition.await_state(f"broker {broker} is in the ISR, or left out", decided, timeout_s=90)
    return broker in partition.state().isr
