"""A topic is deleted and created again while a broker that had a replica of it is away."""

from collections.abc import Mapping, Sequence

from highwater.harness.partition import Partition
from highwater.harness.play import Play

REFUSALS = ("InconsistentTopicId", "does not match the topic ID")  # of KRaft, and with ZooKeeper


def recreated(
    play: Play, partition: Partition, there: Sequence[int], settings: Mapping[str, str]
) -> Partition:
    """Take the replica from who is away, delete the topic, and create it on all brokers."""
    directories = {
        each: play.cluster.files.log_dir(each) / str(partition.where) for each in partition.replicas
    }
    partition.await_isr(*there)
    partition.move_replicas(*there)
    left = [each for each in directories if each not in there]
    (topic,) = (each for each in play.topics if partition in each)
    topic.delete()
    (again,) = play.topic(settings=settings)
    again.require(
        "who is away has the directory of the first one",
        all(directories[each].exists() for each in left),
    )
    return again


def comes_back(play: Play, partition: Partition, away: int) -> bool:
    """Wait until it is in the ISR, or says that its directory is of another topic."""
    log = play.cluster.files.server_log(away)

    def refuses() -> bool:
        return any(each in log.read_text(errors="replace") for each in REFUSALS)

    partition.await_state(
        f"broker {away} is in sync, or refuses what it finds on its disk",
        lambda: away in partition.state().isr or refuses(),
    )
    return away in partition.state().isr
