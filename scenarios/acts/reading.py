"""A group that reads while something goes wrong, whichever library its members are made of."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager

from highwater.harness.clients.group import Group
from highwater.harness.clients.settings import ConsumerSettings
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.moved_coordinator import coordinator_is
from highwater.scenarios.acts.settled_group import await_settled

STUCK_S = 50  # the claim stuck-group says so from session.timeout.ms and 30 s on
RECORDS = 60
PROCESSING = ConsumerSettings(processing_s=0.1)  # ten records a second
IMPATIENT = ConsumerSettings(processing_s=0.1, max_poll_interval_s=7.0)
BUSY_S = 22.0  # until it is missed, and another one has done the rest


@contextmanager
def reading(
    play: Play,
    partition: Partition,
    coordinated_by: Sequence[int] = (),
    settings: ConsumerSettings = PROCESSING,
) -> Generator[Group]:
    """Two members of which one has work for six seconds; in the end all of it is committed.

    Both are in the group before that. Its coordinator is the first of these replicas, if any.
    """
    topic = play.topics[0]
    with play.group("billing", topic, 2, settings, client=play.client) as billing:
        if coordinated_by:
            coordinator_is(play, coordinated_by)
        await_settled(partition, billing)
        sent = partition.send(RECORDS)
        partition.require_acked(sent)
        billing.await_committed(5)
        yield billing
        await_committed(play, partition, billing, sent.end_offset)
    play.note(
        f"{billing.committed} are committed; {billing.handed} records were handed out, of {RECORDS}"
    )


def await_committed(play: Play, partition: Partition, group: Group, position: int) -> None:
    """Wait until it has committed so far, or moves no more for so long that the judge says so."""
    seen = [group.handed, group.committed, play.record.now_ns()]

    def is_over() -> bool:
        if [group.handed, group.committed] != seen[:2]:
            seen[:] = group.handed, group.committed, play.record.now_ns()
        stands_ns = play.record.now_ns() - seen[2]
        living = [each.is_well() for each in group.members]  # raises for one that ended by itself
        return bool(living) and (group.committed >= position or stands_ns > STUCK_S * 1e9)

    what = f"{group.name} has committed {position}, or is stuck"
    partition.await_state(what, is_over, 150.0)
