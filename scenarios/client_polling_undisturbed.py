"""Any client: nothing goes wrong with a group that has to ask for more every few seconds."""

from highwater.harness.foreign.lines import POLLING
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_member import any_member
from highwater.scenarios.acts.reading import IMPATIENT, reading
from highwater.scenarios.acts.settled_group import busy
from highwater.scenarios.acts.variants import calm


@calm()
@any_member("KIP-62: max.poll.interval.ms", who=POLLING)
def client_polling_undisturbed(play: Play, partition: Partition) -> None:
    """A member that asks for more within max.poll.interval.ms stays in its group, and does it all.

    It has less than its session for that, and is never busy for so long. The control of
    client-member-stalls: what is violated here is no fault's doing.
    """
    with reading(play, partition, settings=IMPATIENT) as billing:
        member = busy(partition, billing)
    partition.require("nobody else has had to do its work", billing.handed == member.handed)
