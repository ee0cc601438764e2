"""What a replica notes of leader epochs, in its file leader-epoch-checkpoint."""

from highwater.harness.log_dirs import replica_dir
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.probes.checkpoints import read_leader_epochs


def noted_epochs(play: Play, partition: Partition, broker: int) -> list[tuple[int, int]]:
    """Each leader epoch that it knows of, and the offset of the first record of it."""
    directory = replica_dir(play.cluster, broker, partition.where)
    return [(each.epoch, each.start_offset) for each in read_leader_epochs(directory)]
