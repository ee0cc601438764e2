"""Records per second that a load sends and a group of three is handed, all of them recorded."""

from __future__ import annotations

import resource
import time
from pathlib import Path

from tests.bench.effort import Effort

from highwater.harness.archive import ensure_archive
from highwater.harness.cluster import ClusterSpec
from highwater.harness.jvm.runtime import runtime
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.play import Play
from highwater.harness.processes.site import ProcessSite
from highwater.harness.record.writer import RunRecord
from highwater.harness.versions.catalogue import find_kafka
from highwater.harness.workloads.producer import ProducerSettings

KAFKA = "4.1.1"
SETTINGS = ProducerSettings(linger_ms=10, size_bytes=100, delivery_timeout_s=60)


def load_throughput(folder: Path, effort: Effort) -> dict[str, object]:
    """Three brokers, six partitions of three replicas, acks=all, idempotent, 100 bytes."""
    found = runtime(find_kafka(KAFKA))
    ensure_archive(found)
    spec = ClusterSpec(quiet_replication_links=False)
    with (
        KafkaCluster(ProcessSite(found, folder / "cluster"), spec) as cluster,
        RunRecord(folder / "run", {"scenario": "bench"}) as record,
        Play(cluster, record, "bench") as play,
    ):
        rounds = [_round(play, f"round-{each}", effort.records) for each in range(effort.rounds)]
    peak_mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return {"kafka": KAFKA, "rounds": rounds, "harness_peak_mib": peak_mib}


def _round(play: Play, name: str, records: int) -> dict[str, float]:
    """Sent as fast as it is taken; the clock runs while both go on."""
    topic = play.topic(name, partitions=6)
    with (
        play.load(topic, settings=SETTINGS) as load,
        play.group(f"group-{name}", topic, members=3) as group,
    ):
        load.await_acked(records // 4, timeout_s=120)
        began_s, acked, handed = time.monotonic(), load.acked, group.handed
        load.await_acked(records, timeout_s=300)
        seconds = time.monotonic() - began_s
        acked, handed = load.acked - acked, group.handed - handed
    return {
        "sent_per_s": round(acked / seconds),
        "handed_per_s": round(handed / seconds),
        "longest_gap_s": round(load.longest_gap_s, 3),
    }
