"""KIP-41: max.poll.records, of what one fetch has brought."""

from highwater.harness.clients.member import Member
from highwater.harness.clients.settings import ConsumerSettings
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario

BATCH = 60
# A member takes a tenth of a second for what it is handed at once: its adapter sets
# max.poll.records to as many records as that is.
WORK_S = {5: 0.02, 20: 0.005}


@scenario(
    source="KIP-41: max.poll.records",
    plays_on=">=0.11",  # before, Java members cannot be lined up with ours
    claims=("unprocessed", "lost-write"),
    topic_settings={"min.insync.replicas": "2"},
)
def few_at_once(play: Play, partition: Partition) -> None:
    """Java's consumer fetches a batch of sixty records, and hands them out five at a time.

    It may hand out five in one poll. What it was handed is never more than five ahead of what it
    has processed; another one may hand out twenty, and is twenty ahead, of the same batch. No
    broker knows of the setting.
    """
    sent = partition.send(BATCH)
    partition.require_acked(sent)
    for most, processing_s in WORK_S.items():
        settings = ConsumerSettings(processing_s=processing_s)
        topic, name = play.topics[0], f"reads-{most}"
        with play.group(name, topic, settings=settings, client="java") as group:
            seen = _handed_at_once(partition, group.members[0])
            partition.require(f"{most} in one poll, and never more", seen == most, at_once=seen)


def _handed_at_once(partition: Partition, member: Member) -> int:
    """The most that it was handed and had not processed, until it has processed all."""
    where, most = partition.where, 0

    def is_over() -> bool:
        nonlocal most
        processed = member.processed.get(where, 0)
        most = max(most, member.positions.get(where, 0) - processed)
        return member.is_well() and processed >= BATCH

    partition.await_state(f"{member.name} has processed all", is_over, 60.0)
    return most
