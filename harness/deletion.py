"""A topic is deleted in the middle of a play, and may be created again under its name.

What is known of it is on the record before it is deleted, under a name that no other topic has:
whatever is killed when, no row has to be changed. See docs/adr/0048.
"""

from __future__ import annotations

from collections.abc import Callable

from highwater.harness import evidence
from highwater.harness.cluster import running
from highwater.harness.errors import UsageError
from highwater.harness.scene import Scene
from highwater.harness.topic import Topic
from highwater.harness.wait import wait_until

GONE_TIMEOUT_S = 60.0


def delete_topic(scene: Scene, topic: Topic, forget: Callable[[], None]) -> None:
    """Settle it, read it to its end, keep what its replicas hold, and delete it.

    `forget` is called when nothing more is to be recorded of it. Raises UsageError before anything
    happens, and DeadlineError where it does not settle, or some broker does not let go of it.
    """
    _require_deletable(scene, topic)
    scene.step(f"{topic.name} is going to be deleted: it settles, and is read to its end")
    evidence.settle(scene, topic)
    evidence.read(scene, topic)
    scene.record.history.close_topic(topic.told_as)
    topic.retire()
    forget()  # before anything is kept: nothing of it is kept twice
    evidence.keep(scene, [topic], settled=True)
    scene.record.flush()  # what was read last waits in memory for the next part
    scene.sampler.forget(topic.wheres)
    scene.moves.forget(topic.wheres)
    scene.cluster.metadata.delete_topic(topic.name)
    wait_until(lambda: _is_gone(scene, topic), f"{topic.name} to be gone", GONE_TIMEOUT_S)
    scene.note(f"{topic.name} has been deleted, and no broker knows it any more")


def _require_deletable(scene: Scene, topic: Topic) -> None:
    """Raises UsageError while somebody may still write, or has replicas and does not run."""
    if topic.clients:
        raise UsageError(
            f"expected {topic.name} to have no clients any more when it is deleted, saw "
            f"{', '.join(dict.fromkeys(topic.clients))}; leave their `with` first"
        )
    waiting = scene.waiting(topic.told_as)
    if waiting:
        raise UsageError(
            f"expected an outcome of all that was sent to {topic.name} before it is deleted, saw "
            f"that of {waiting} records missing"
        )
    brokers = {broker for partition in topic for broker in partition.replicas}
    away = sorted(brokers - {*running(scene.cluster, brokers)})
    if away:
        raise UsageError(
            f"expected all brokers with replicas of {topic.name} to run when it is deleted, saw "
            f"that {', '.join(map(str, away))} does not; start it, or let others have its replicas "
            "by move_replicas"
        )


def _is_gone(scene: Scene, topic: Topic) -> bool:
    """Nobody answers for it: a look at another topic of its name would see this one instead."""
    if not scene.cluster.metadata.is_free(topic.name):
        return False
    return not any(
        state.log_end_offset is not None
        for broker in running(scene.cluster, scene.cluster.brokers)
        for state in scene.cluster.probe(broker).states(broker, topic.wheres)
    )
