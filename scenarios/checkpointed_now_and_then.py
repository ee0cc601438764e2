"""How often brokers write their high watermarks down."""

from highwater.faults.stop import Stop
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.probes.checkpoints import HIGH_WATERMARK_CHECKPOINT
from highwater.harness.scenario import scenario

INTERVAL = "replica.high.watermark.checkpoint.interval.ms"
OFTEN, BY_DEFAULT = 1000, 5000
TIMES = 2  # that the file is written by default's interval


@scenario(
    source="replica.high.watermark.checkpoint.interval.ms; ReplicaManager.checkpointHighWatermarks",
    claims=("lost-write", "replica-divergence"),
    broker_settings={1: {INTERVAL: str(OFTEN)}, 2: {INTERVAL: str(BY_DEFAULT)}},
    topic_settings={"min.insync.replicas": "2"},
)
def checkpointed_now_and_then(play: Play, partition: Partition) -> None:
    """Three brokers, three intervals: the file is written every second, every five, and not at all.

    One broker has an interval of a second, one of five, which is the default, and one of an hour.
    While the second one writes its file twice, five seconds apart, the first does so oftener, with
    nothing new. All three know that the records are committed; the file of the third does not say
    so, until that broker is asked to stop.
    """
    often, by_default, hourly = partition.replicas
    files = {
        each: play.cluster.files.log_dir(each) / HIGH_WATERMARK_CHECKPOINT
        for each in partition.replicas
    }
    end = partition.send(10).end_offset
    everywhere = dict.fromkeys(partition.replicas, end)
    partition.await_offsets("all know that ten records are committed", everywhere, everywhere)
    written: dict[int, set[int]] = {each: set() for each in partition.replicas}

    def times(broker: int) -> int:
        """How often its file has been written since it was looked at first."""
        for each, seen in written.items():
            seen.add(files[each].stat().st_mtime_ns if files[each].exists() else 0)
        return len(written[broker]) - 1

    partition.await_state(f"it is written {TIMES} times", lambda: times(by_default) >= TIMES)
    first, second = sorted(written[by_default])[1:3]
    apart_s = (second - first) / 1e9
    partition.require("some five seconds apart", 4 < apart_s < 9, apart_s=apart_s)
    more = times(often)
    partition.require(f"broker {often} has oftener", more >= 2 * TIMES, times=more)
    partition.require("and the third never", times(hourly) == 0)
    partition.await_checkpoint(often, end)
    partition.await_checkpoint(by_default, end)
    noted = partition.checkpointed_high_watermark(hourly)
    partition.require("its file does not say what it knows", noted < end, noted=noted)
    stopped = play.inject(Stop(hourly))
    noted = partition.checkpointed_high_watermark(hourly)
    partition.require("an orderly shutdown has written it", noted == end, noted=noted)
    play.heal(stopped)
