"""KIP-320: a group's position lies beyond the end of a log that an unclean election has cut."""

from highwater.harness.foreign.programs import OURS
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.scenarios.acts.cut_off import committing, reads_to, ten_cut_off
from highwater.scenarios.acts.kept_positions import KeptPositions
from highwater.scenarios.acts.positions import await_refused, await_standing_at
from highwater.scenarios.acts.read_and_cut import read_and_cut

CLIENTS = {"librdkafka": OURS, "java": "java"}
RESETS = ("earliest", "latest")
READERS = {f"{n}-{to}": (c, committing(to)) for n, c in CLIENTS.items() for to in RESETS}


@read_and_cut(
    "KIP-320; KAFKA-19902; Kafka's documentation, 3.4: auto.offset.reset",
    also={"handed-again": "who is out of range may begin at the earliest record"},
)
def beyond_the_new_end(play: Play, partition: Partition) -> None:
    """Groups have committed 11, and the log ends at 4: the setting decides, or where logs parted.

    To librdkafka a position is a number, and this one out of range: the reader begins at
    the earliest record, at the end, or is handed an error. Java's of 2.3 and
    later has committed the epoch, and asks where that ended: whatever it resets to, it goes on at
    1, where the logs part.
    """

    def read(cut: int) -> None:
        for name, (client, _) in {**READERS, "told": (OURS, None)}.items():
            handed = reads_to(play, partition, name, (client, committing()), cut)
            partition.require(f"{name} has read all", handed == cut, handed=handed)

    parted, cut, end = ten_cut_off(play, partition, 3, read)
    at = KeptPositions(play, partition).of  # a coordinator that has just begun answers later
    partition.await_state(
        f"all are at {cut}, beyond {end}", lambda: {*map(at, (*READERS, "told"))} == {cut}
    )
    with play.group("told", play.topics[0], settings=committing("error")) as told:
        await_refused(partition, told)
    validates = play.cluster.kafka.java_validates_positions
    for name, (client, settings) in READERS.items():
        since = {"earliest": 0, "latest": end}[settings.begins_at]
        if client != OURS and validates:
            since = parted
        with play.group(name, play.topics[0], settings=settings, client=client) as group:
            await_standing_at(partition, group, end)
            handed = group.handed
        partition.require(f"{name} begins at {since}", handed == end - since, handed=handed)
