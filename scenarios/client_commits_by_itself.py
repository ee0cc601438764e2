"""Any client whose library commits by itself: a member dies at work that it has not finished."""

from highwater.harness.foreign.lines import AUTOMATIC
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.any_member import any_member
from highwater.scenarios.acts.at_work import BY_ITSELF, await_at_work
from highwater.scenarios.acts.reading import RECORDS, reading
from highwater.scenarios.acts.settled_group import busy
from highwater.scenarios.acts.variants import calm, failing

BUSY_S = 25.0  # longer than it lives


@calm("client-commits-undisturbed")
@failing("aiokafka", "confluent-kafka", "confluent-kafka:2.3.0", ours=">=0.11")  # librdkafka#2609
@any_member(
    "Kafka's documentation, consumer configs: enable.auto.commit", gated_clients=True, who=AUTOMATIC
)
def client_commits_by_itself(play: Play, partition: Partition) -> None:
    """A library commits what it has handed out, or what its application has come back from.

    Two members, one partition, and a library that commits five times a second by itself
    (enable.auto.commit). The member that has the partition is at a record for a long time, and is
    killed at it. A library that commits when it is asked for more has not committed that record,
    and the other member is handed it again. One that commits in the background what it has handed
    out has committed it meanwhile: then nobody processes it. No adapter hears of these commits: the
    gate between clients and brokers sees them.
    """
    with reading(play, partition, settings=BY_ITSELF) as billing:
        first = busy(partition, billing)
        first.keep_busy(BUSY_S)
        await_at_work(partition, first)
        left = RECORDS - first.handed
        partition.require("there is more for it to ask for", left > 0)
        first.kill()
        billing.await_assigned()
        heir = busy(partition, billing)
        partition.require("another one has it", heir is not first)
