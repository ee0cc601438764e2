"""Any client: a member of a group dies at its work, and the other one takes over."""

from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_member import any_member
from highwater.scenarios.acts.at_work import SLOW
from highwater.scenarios.acts.reading import reading
from highwater.scenarios.acts.settled_group import at_work, busy
from highwater.scenarios.acts.variants import calm


@calm("client-slow-group-undisturbed")
@any_member("Kafka's documentation, 4.5: The Consumer; KIP-62: session.timeout.ms")
def client_member_dies(play: Play, partition: Partition) -> None:
    """What a member was at when it was killed is done by who takes over, and nothing is left out.

    Two members, one partition. The one that has it commits what it has processed, and is killed
    when it was handed more than that. The coordinator misses it when its session is over. The other
    one begins at the position that was committed: it may do again what was done, and leaves nothing
    undone.
    """
    with reading(play, partition, settings=SLOW) as billing:
        first = busy(partition, billing)
        handed = at_work(partition, first)
        first.kill()
        processed = first.processed.get(partition.where, 0)
        what = "it had been handed more than it had processed"
        partition.require(what, handed > processed, handed=handed, processed=processed)
        billing.await_assigned()
        heir = busy(partition, billing)
        partition.require("another one has it", heir is not first)
