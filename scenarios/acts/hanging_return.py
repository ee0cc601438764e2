"""A dead broker is started, and joins the ISR again or hangs."""

from collections.abc import Mapping

from highwater.checkers.claims.stuck_broker import STUCK_NS
from highwater.harness.partition import Partition
from highwater.harness.play import Play

STUCK = {"running": True, "registered": True, "answers": False}
LONG_ENOUGH_NS = STUCK_NS + 1e9  # a second more than the claim asks for


def returns_and_hangs(play: Play, partition: Partition, broker: int) -> bool:
    """Start a dead broker and watch it, until it is in the ISR or has been silent too long.

    Every look goes into the table `liveness`.
    """
    play.cluster.nodes.start(broker)
    looks: list[tuple[int, Mapping[str, bool]]] = []

    def decided() -> bool:
        looks.append((play.record.now_ns(), look_at(play, broker)))
        silent_since = looks[-1][0]
        for at_ns, seen in reversed(looks):
            if seen != STUCK:
                break
            silent_since = at_ns
        stuck = looks[-1][0] - silent_since > LONG_ENOUGH_NS
        return stuck or broker in partition.state().isr

    partition.await_state(f"broker {broker} is back, or hangs", decided, timeout_s=60)
    return looks[-1][1] == STUCK


def look_at(play: Play, broker: int) -> Mapping[str, bool]:
    """Whether a broker lives, whether the cluster counts on it, and whether it answers."""
    try:
        answers = bool(play.cluster.probe(broker).metadata())
    except (OSError, LookupError):
        answers = False
    seen = {
        "running": play.cluster.nodes.running(broker),
        "registered": broker in play.cluster.metadata.registered(),
        "answers": answers,
    }
    play.record.liveness({"broker": broker, **seen})
    return seen
