"""Segments of a replica, and the index beside each."""

from itertools import pairwise
from pathlib import Path

from highwater.harness.partition import Partition
from highwater.harness.probes.indexes import Indexed, index_of, read_index
from highwater.harness.probes.segments import base_offset_of, read_entries

EVERY_BYTES, BATCH_BYTES = 4_096, 5_500


def entries_of(partition: Partition, segment: Path) -> int:
    """How many entries its index has; each has to be the place of a batch with such an offset."""
    places = {each.position: each.base_offset for each in read_entries(segment)}
    first, entries = base_offset_of(segment), [*read_index(index_of(segment))]
    partition.require("it is named by its first offset", places[0] == first, first=places[0])
    for before, each in pairwise([Indexed(first, 0), *entries]):
        found = places.get(each.position, each.offset + 1) <= each.offset
        apart = each.position - before.position > EVERY_BYTES
        partition.require("it is a batch's place, 4 kB on", found and apart, entry=each)
    return len(entries)


def is_dense(segment: Path) -> bool:
    """There is an entry wherever one is due, be it that of the next batch."""
    places = [0, *(each.position for each in read_index(index_of(segment)))]
    most = EVERY_BYTES + 2 * BATCH_BYTES
    return all(later - at <= most for at, later in pairwise([*places, segment.stat().st_size]))
