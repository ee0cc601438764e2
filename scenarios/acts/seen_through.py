"""What a controller had decided when it went, and the next one has brought about."""

from dataclasses import dataclass

from highwater.harness.model import Evidence, TopicPartition
from highwater.harness.partition import Partition
from highwater.harness.play import Play


@dataclass(frozen=True, slots=True)
class Halfway:
    """What was seen through: the new topic is led, and the replica has moved, to `heir`."""

    home: int  # who was the controller
    heir: int
    gone: Evidence
    beside: TopicPartition
    moved: Partition

    def require_seen_through(self, play: Play, partition: Partition) -> None:
        """All three are as they were decided."""
        leads = play.cluster.probe(self.heir).leads
        done = leads(partition.where), leads(self.beside), self.heir in self.moved.state().isr
        partition.require("all three are done", all(done), done=done)
