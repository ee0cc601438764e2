"""How brokers of KRaft read the metadata log, and what it says."""

import uuid

from highwater.faults.at_the_gate import AtTheGate
from highwater.faults.watch_fetches import WatchFetches
from highwater.harness.gate.messages.schemas import Schemas
from highwater.harness.model import TopicPartition
from highwater.harness.play import Play
from highwater.harness.probes.metadata_log import MetadataLog
from highwater.harness.versions.jars import jars_named
from highwater.scenarios.acts.fetches import fetches

LOG = TopicPartition("__cluster_metadata")
TOPIC_ID = uuid.UUID(int=1)  # org.apache.kafka.common.Uuid.METADATA_TOPIC_ID


def watch_metadata_log(play: Play) -> AtTheGate:
    """Let the gate report its fetches; newer ones name it by its id."""
    play.cluster.gate.topic_id(LOG.topic, TOPIC_ID)
    return play.inject(WatchFetches(LOG))


def copy_of(play: Play, broker: int) -> MetadataLog:
    """The copy that a broker of KRaft has."""
    schemas = Schemas(jars_named(play.cluster.kafka, ["kafka-metadata"]))
    return MetadataLog(play.cluster.files.log_dir(broker), schemas)


def asked_by(watched: AtTheGate, broker: int) -> list[int]:
    """The offsets that a broker has asked for, in order."""
    return [each.offset for each in fetches(watched) if each.follower == broker]
