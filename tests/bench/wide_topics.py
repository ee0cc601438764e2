"""What a partition costs: topics of few and of many, created, loaded, looked at, closed, judged."""

from __future__ import annotations

import statistics
import time
from pathlib import Path

from tests.bench.effort import Effort
from tests.bench.loads import peak_mib

from highwater.checkers.judge import judge
from highwater.harness.archive import ensure_archive
from highwater.harness.cluster import ClusterSpec
from highwater.harness.jvm.runtime import Runtime, runtime
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.play import Play
from highwater.harness.processes.node import ProcessNode
from highwater.harness.processes.site import ProcessSite
from highwater.harness.record.reader import open_run
from highwater.harness.topic import Topic
from highwater.harness.trial import staged
from highwater.harness.versions.catalogue import find_kafka

KAFKA = "4.1.1"
RATE_PER_S = 25.0  # five requests at a time, each of one partition: no more gets through thousands
RECORDS = 250
LOOKS = 25
ALONE = 100  # times that one broker is asked while nobody asks anything else

Figures = dict[str, object]


def wide_topics(folder: Path, effort: Effort) -> Figures:
    """By number of partitions, of three replicas on a cluster of its own; all are gated."""
    found = runtime(find_kafka(KAFKA))
    ensure_archive(found)
    return {str(each): _measured(found, folder / str(each), each) for each in effort.partitions}


def _measured(found: Runtime, folder: Path, partitions: int) -> Figures:
    identity = {"scenario": "bench", "kafka": KAFKA, "topic": "bench"}
    site = ProcessSite(found, folder / "cluster")
    with KafkaCluster(site, ClusterSpec(quiet_replication_links=False)) as cluster:
        with staged(cluster, folder / "run", identity) as stage:
            before_mib, began_s = _resident_mib(site, cluster), time.monotonic()
            wide = stage.play.topic("wide", partitions=partitions)
            created_s = time.monotonic() - began_s
            _load(stage.play, wide)
            look_s, alone_s = _look_s(stage.play, wide), _alone_s(stage.play, wide)
            more_mib, ended_s = _resident_mib(site, cluster) - before_mib, time.monotonic()
        closed_s = time.monotonic() - ended_s
        assert stage.played is not None
    began_s, run = time.monotonic(), open_run(folder / "run")
    verdicts = judge([run])[run.path]
    judged_s = time.monotonic() - began_s
    return {
        "created_s": round(created_s, 2),
        "look_ms": round(look_s * 1000, 1),
        "alone_ms": round(statistics.median(alone_s) * 1000, 1),
        "alone_least_ms": round(min(alone_s) * 1000, 1),
        "closing_s": round(closed_s, 2),
        "judging_s": round(judged_s, 2),
        "violated": [one.claim for one in verdicts if one.answer == "VIOLATED"],
        "brokers_grew_mib": more_mib,
        "harness_peak_mib": peak_mib(),
        "complete": stage.played.complete,
    }


def _load(play: Play, wide: Topic) -> None:
    with play.load(wide, RATE_PER_S) as load:
        load.await_acked(RECORDS)


def _look_s(play: Play, wide: Topic) -> float:
    """At all replicas of all partitions."""
    wheres, seconds = [partition.where for partition in wide], []
    for _ in range(LOOKS):
        began_s = time.monotonic()
        play.scene.sampler.look_at(wheres)
        seconds.append(time.monotonic() - began_s)
    return statistics.median(seconds)


def _alone_s(play: Play, wide: Topic) -> list[float]:
    """What one broker takes to answer for its replicas: no look at these takes less.

    Nobody asks meanwhile but the sampler, at its own rate.
    """
    wheres, seconds = [partition.where for partition in wide], []
    broker, probe = wide[0].replicas[0], play.cluster.probe(wide[0].replicas[0])
    for _ in range(ALONE):
        began_s = time.monotonic()
        probe.states(broker, wheres)
        seconds.append(time.monotonic() - began_s)
    return seconds


def _resident_mib(site: ProcessSite, cluster: KafkaCluster) -> int:
    """Of all brokers together."""
    brokers: list[ProcessNode] = [site.nodes[each] for each in cluster.brokers]
    return sum(each.resident_mib() for each in brokers)
