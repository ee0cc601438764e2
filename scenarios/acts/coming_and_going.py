"""How often a replica comes into the ISR."""

from highwater.harness.partition import Partition
from highwater.harness.play import Play


def await_joins(play: Play, partition: Partition, broker: int, *, often: int, for_s: float) -> int:
    """Watch until it has come in so often, or for so long; how often it has.

    By looks that are on the record: it is out for a tenth of a second, and others may miss that.
    """
    until_ns = play.record.now_ns() + int(for_s * 10**9)

    def in_sync() -> bool:
        state = partition.look().partition
        return state is not None and broker in state.isr

    joins, was_in = 0, in_sync()

    def seen_enough() -> bool:
        nonlocal joins, was_in
        is_in = in_sync()
        joins, was_in = joins + (is_in and not was_in), is_in
        return joins >= often or play.record.now_ns() > until_ns

    partition.await_state(
        f"broker {broker} has come into the ISR {often} times, or {for_s:.0f} s are over",
        seen_enough,
        timeout_s=2 * for_s,
    )
    return joins
