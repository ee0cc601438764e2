"""What stories begin with: a record that every replica has."""

from highwater.harness.partition import Partition


def one_everywhere(partition: Partition) -> int:
    """Send one record, and wait until it is committed on every replica; returns the log's end."""
    end = partition.send(1).end_offset
    everywhere = dict.fromkeys(partition.replicas, end)
    partition.await_offsets("one record, committed on every replica", everywhere, everywhere)
    return end
