"""Who leads partitions of coordinators; and how a leader is had that is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from highwater.harness.cluster import Cluster
from highwater.harness.errors import DeadlineError
from highwater.harness.model import TopicPartition
from highwater.harness.wait import wait_until

REASSIGNED_S = 3.0
COORDINATED_S = 15.0  # a topic of coordinators is created when somebody asks


def prefer(
    cluster: Cluster,
    where: TopicPartition,
    broker: int,
    replicas: Sequence[int] = (),
    timeout_s: float = REASSIGNED_S,
) -> None:
    """Have it come first among the replicas, the others in this order, or as they are now.

    The leader stays. Raises AnswerError for what is refused, DeadlineError, LookupError.
    """
    now = cluster.metadata.partition(where).replicas
    order = (broker, *(each for each in replicas or now if each != broker))
    if order != now:
        cluster.metadata.reassign(where, order, timeout_s)


def elect(cluster: Cluster, where: TopicPartition, broker: int) -> None:
    """Have the preferred one lead, if that comes about in time; raises what `prefer` does."""
    metadata = cluster.metadata
    if metadata.partition(where).leader != broker:
        metadata.elect_preferred(where)
        with suppress(DeadlineError):
            wait_until(
                lambda: metadata.partition(where).leader == broker,
                f"broker {broker} to lead {where}",
                COORDINATED_S,
            )


def as_at_first(cluster: Cluster, where: TopicPartition) -> None:
    """By the first broker: what a schedule comes to is not to hang on the one before it."""
    first = cluster.brokers[0]
    prefer(cluster, where, first, cluster.brokers, COORDINATED_S)
    elect(cluster, where, first)


def moved_on(cluster: Cluster, where: TopicPartition) -> None:
    """Another broker leads it, and has read what there is; who is alone goes on leading."""
    leader = cluster.metadata.partition(where).leader
    heir = next((each for each in cluster.brokers if each != leader), leader)
    prefer(cluster, where, heir)
    elect(cluster, where, heir)
