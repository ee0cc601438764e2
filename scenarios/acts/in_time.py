"""Something comes within the time that it takes, or it is not going to come."""

from collections.abc import Callable
from contextlib import suppress

from highwater.harness.errors import ENVIRONMENT
from highwater.harness.partition import Partition
from highwater.harness.play import Play

STALLED_S = 33.0  # longer than stalled-sends lets a send wait


def comes_in_time(
    play: Play, partition: Partition, what: str, fact: Callable[[], bool], within_s: float
) -> bool:
    """Whether it does; returns as soon as that is known, and raises nothing where it does not."""
    until_ns = play.record.now_ns() + int(within_s * 1e9)
    seen = [False]

    def is_decided() -> bool:
        with suppress(*ENVIRONMENT):  # what nobody answers has not come
            seen.append(fact())
        return seen[-1] or play.record.now_ns() > until_ns

    partition.await_state(f"{what}, or {within_s:g} s are over", is_decided, within_s + 30.0)
    return seen[-1]
