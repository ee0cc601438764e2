"""Where a group begins that has no position: auto.offset.reset."""

from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.scenario import scenario
from highwater.scenarios.acts.positions import await_position, await_refused, resets


@scenario(
    source="Kafka's documentation, 3.4: auto.offset.reset",
    claims=("lost-write", "commit-regression", "unprocessed"),
    topic_settings={"min.insync.replicas": "2"},
)
def reset_where_nothing_is(play: Play, partition: Partition) -> None:
    """The earliest record, the end of the log, or an error: three groups, one setting.

    Ten records have been read and committed by another group, and five more come after. A group
    that resets to the latest begins behind all fifteen: what others have read is nothing to it. One
    that is told not to reset (`none` in Java, `error` in librdkafka) is handed an error and nothing
    else, whatever comes. Once a group has a position, nobody asks for the setting any more.
    """
    topic, where = play.topics[0], partition.where
    ten = partition.send(10).end_offset
    with play.group("others", topic) as others:
        await_position(partition, others, ten)
    end = partition.send(5).end_offset
    with play.group("first", topic, settings=resets("earliest")) as first:
        await_position(partition, first, end)
        partition.require("earliest: all are handed out", first.handed == end)
    with (
        play.group("last", topic, settings=resets("latest")) as last,
        play.group("neither", topic, settings=resets("error")) as neither,
    ):
        last.await_caught_up()
        partition.require(
            f"latest: it stands at the end, {end}, not where others were, {ten}",
            last.members[0].positions == {where: end} and last.handed == 0,
        )
        partition.require_acked(partition.send(1))
        await_position(partition, last, end + 1)
        partition.require("the latest has one record", last.handed == 1)
        await_refused(partition, neither)
    with play.group("others", topic, settings=resets("latest")) as others:
        await_position(partition, others, end + 1)
        partition.require(f"it goes on from {ten}", others.handed == end + 1 - ten)
