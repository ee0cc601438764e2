"""Any client whose library commits by itself: nothing goes wrong with a group of it."""

from highwater.harness.foreign.lines import AUTOMATIC
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_member import any_member
from highwater.scenarios.acts.at_work import BY_ITSELF
from highwater.scenarios.acts.reading import reading
from highwater.scenarios.acts.settled_group import busy
from highwater.scenarios.acts.variants import calm


@calm()
@any_member(
    "Kafka's documentation, consumer configs: enable.auto.commit", gated_clients=True, who=AUTOMATIC
)
def client_commits_undisturbed(play: Play, partition: Partition) -> None:
    """A group whose library commits by itself processes each record, and all of it is committed.

    The control of client-commits-by-itself: what is violated here is no fault's doing.
    """
    with reading(play, partition, settings=BY_ITSELF) as billing:
        member = busy(partition, billing)
    partition.require("nobody else has had to do its work", billing.handed == member.handed)
