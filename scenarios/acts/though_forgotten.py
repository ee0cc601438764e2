"""A move is done though its leader has forgotten what it wanted to ask (KAFKA-12686)."""

from collections.abc import Callable

from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.in_time import comes_in_time

SOON_S = 20.0  # for what is to be copied: less than a megabyte


def await_moved_though_forgotten(
    play: Play, moving: Partition, is_done: Callable[[], bool], preferred: int
) -> None:
    """Wait until the move is done: in 2.7 and 2.8 it may take an election of who is preferred.

    The next controller tells the leader of a new epoch, maybe while it asks for the new replica to
    be in the ISR. It may wait for ever then, and asks anew in its next epoch, or another does.
    """
    what = "the replica has moved"
    forgets = play.cluster.kafka.leaders_forget_to_ask
    if forgets and not comes_in_time(play, moving, what, is_done, SOON_S):
        now = moving.state()
        out = [each for each in now.replicas if each not in now.isr]
        moving.require("that is as one is not in the ISR", bool(out), out_of_the_isr=out)
        play.step(f"replica {preferred} is to lead: nobody asks to have {out} in the ISR")
        moving.move_leader(preferred)
    moving.await_state(what, is_done, timeout_s=90.0)
