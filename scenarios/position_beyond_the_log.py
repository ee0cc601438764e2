"""KIP-320: a group's position lies in a part of the log that an unclean election has cut off."""

from highwater.harness.foreign.programs import OURS
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.cut_off import committing, reads_to, ten_cut_off
from highwater.scenarios.acts.read_and_cut import read_and_cut

GROUPS = {"librdkafka": (OURS, committing()), "java": ("java", committing())}


@read_and_cut("KIP-320; OffsetForLeaderEpoch, auto.offset.reset", also={})
def position_beyond_the_log(play: Play, partition: Partition) -> None:
    """Two groups have read ten records that are cut off, and twenty others come in their place.

    Both have committed position 11. One of librdkafka goes on there: it is never handed the first
    ten. Java's of 2.3 and later has committed a leader epoch, asks where that ended, and goes back.
    """

    def read(cut: int) -> None:
        both = [reads_to(play, partition, name, way, cut) for name, way in GROUPS.items()]
        partition.require("both have read all", both == [cut, cut], handed=both)

    parted, cut, end = ten_cut_off(play, partition, 20, read)
    back = parted if play.cluster.kafka.java_validates_positions else cut
    for name, since in {"librdkafka": cut, "java": back}.items():
        handed = reads_to(play, partition, name, GROUPS[name], end)
        partition.require(f"{name} begins at {since}", handed == end - since, handed=handed)
