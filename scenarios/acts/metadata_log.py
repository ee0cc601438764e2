"""How brokers of KRaft read the metadata log."""

import uuid

from highwater.faults.at_the_gate import AtTheGate
from highwater.faults.watch_fetches import WatchFetches
from highwater.harness.model import TopicPartition
from highwater.harness.play import Play
from highwater.scenarios.acts.fetches import fetches

LOG = TopicPartition("__cluster_metadata")
TOPIC_ID = uuid.UUID(int=1)  # org.apache.kafka.common.Uuid.METADATA_TOPIC_ID


def watch_metadata_log(play: Play) -> AtTheGate:
    """Let the gate report its fetches; newer ones name it by its id."""
    play.cluster.gate.topic_id(LOG.topic, TOPIC_ID)
    return play.inject(WatchFetches(LOG))


def asked_by(watched: AtTheGate, broker: int) -> list[int]:
    """The offsets that a broker has asked for, in order."""
    return [each.offset for each in fetches(watched) if each.follower == broker]
