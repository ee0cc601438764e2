"""Where a log begins when its first records have been deleted, and who notices."""

from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.probes.many import OFFSET_OUT_OF_RANGE
from highwater.harness.probes.topics import delete_records
from highwater.harness.probes.wire import AnswerError
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.by_hand import wires
from highwater.scenarios.acts.positions import await_position, await_refused, resets


@scenario(
    source="KIP-107; Kafka's documentation, 3.4: auto.offset.reset",
    plays_on=">=0.11",  # no broker deletes records when asked to before
    claims=("replica-divergence", "corrupt-value", "inconsistent-offsets"),
    topic_settings={"min.insync.replicas": "2"},
)
def log_start_offset(play: Play, partition: Partition) -> None:
    """Seven of ten records are deleted: the log begins at offset 7, on every replica.

    The leader moves its log start offset, and followers hear of it with their next fetches; high
    watermark and log end stay where they are. Three groups had committed 4, which is gone. They
    begin at 7, at the end, or are told of an error, as their auto.offset.reset says.
    """
    topic, leader = play.topics[0], partition.replicas[0]
    four = partition.send(4).end_offset
    wanted = ("earliest", "latest", "error")
    for name in wanted:
        with play.group(name, topic) as group:
            await_position(partition, group, four)
    end = partition.send(6).end_offset
    everywhere = dict.fromkeys(partition.replicas, end)
    partition.await_offsets("ten records on all three", everywhere, everywhere)
    with wires(play, leader) as (wire,):
        low = delete_records(wire, partition.where, 7)
    probes = [play.cluster.probe(each) for each in partition.replicas]
    starts = [probe.log_start_offset(partition.where) for probe in probes]
    partition.require("all logs begin at 7", [low, *starts] == [7, 7, 7, 7], log_starts=starts)
    partition.require_offsets("and end where they did", everywhere, everywhere)
    try:
        partition.require("6 is gone", not probes[0].committed(partition.where, 6))
    except AnswerError as error:
        partition.require("6 is out of range", error.code == OFFSET_OUT_OF_RANGE)
    with play.group("earliest", topic, settings=resets("earliest")) as first:
        await_position(partition, first, end)
        partition.require("earliest: the three that are left", first.handed == 3)
    with (
        play.group("latest", topic, settings=resets("latest")) as last,
        play.group("error", topic, settings=resets("error")) as neither,
    ):
        last.await_caught_up()
        partition.require("latest: nothing", last.handed == 0)
        await_refused(partition, neither)
