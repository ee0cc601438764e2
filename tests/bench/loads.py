"""A load and a group of three through a kill, a pause and a rolling restart, all of it recorded."""

from __future__ import annotations

import resource
import time
from pathlib import Path

from tests.bench.effort import Effort

from highwater.checkers.judge import judge
from highwater.faults.kill import Kill
from highwater.faults.pause import Pause
from highwater.harness.archive import ensure_archive
from highwater.harness.clients.group import Group
from highwater.harness.clients.load import Load
from highwater.harness.cluster import ClusterSpec
from highwater.harness.jvm.runtime import runtime
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.play import Play
from highwater.harness.processes.site import ProcessSite
from highwater.harness.record.reader import open_run
from highwater.harness.topic import Topic
from highwater.harness.trial import staged
from highwater.harness.versions.catalogue import find_kafka
from highwater.harness.workloads.producer import ProducerSettings

KAFKA = "4.1.1"
SETTINGS = ProducerSettings(linger_ms=10, size_bytes=100, delivery_timeout_s=60)
PHASES = 4  # between the faults, of equally many records
TIMEOUT_S = 900.0

Figures = dict[str, object]


def load_throughput(folder: Path, effort: Effort) -> Figures:
    """Three brokers, six partitions of three replicas, acks=all, idempotent, 100 bytes."""
    found = runtime(find_kafka(KAFKA))
    ensure_archive(found)
    spec = ClusterSpec(quiet_replication_links=False)
    identity = {"scenario": "bench", "kafka": KAFKA, "topic": "bench"}
    with KafkaCluster(ProcessSite(found, folder / "cluster"), spec) as cluster:
        with staged(cluster, folder / "run", identity) as stage:
            orders = stage.play.topic("orders", partitions=6)
            figures = _loaded(stage.play, orders, effort)
            ended_s, loaded_mib = time.monotonic(), peak_mib()
        closed_s = time.monotonic()
    run = open_run(folder / "run")
    verdicts = judge([run])[run.path]
    return {
        "kafka": KAFKA,
        **figures,
        "closing_s": round(closed_s - ended_s, 1),
        "judging_s": round(time.monotonic() - closed_s, 1),
        "complete": run.identity["played"]["complete"],
        "violated": [one.claim for one in verdicts if one.answer == "VIOLATED"],
        "harness_peak_mib": {"loaded": loaded_mib, "closed": peak_mib()},
    }


def _loaded(play: Play, orders: Topic, effort: Effort) -> Figures:
    """With a fault between one measured phase and the next."""
    began_s, records = time.monotonic(), effort.load_records // PHASES
    with (
        play.load(orders, effort.load_per_s, SETTINGS) as load,
        play.group("group", orders, members=3) as group,
    ):
        load.await_acked(records // 4, TIMEOUT_S)
        phases = {"before": _phase(load, group, records)}
        killed = play.inject(Kill(orders[0].leader))
        load.await_acked(1, TIMEOUT_S)
        play.heal(killed)
        phases["after a kill"] = _phase(load, group, records)
        paused = play.inject(Pause(orders[1].leader))
        load.await_acked(1, TIMEOUT_S)
        play.heal(paused)
        phases["after a pause"] = _phase(load, group, records)
        play.rolling_restart()
        phases["after a rolling restart"] = _phase(load, group, records)
    group_handed, seconds = group.handed, time.monotonic() - began_s
    return {
        "acked": load.acked,
        "not_acked": load.failed,
        "handed": group_handed,
        "longest_gap_s": round(load.longest_gap_s, 3),
        "loaded_s": round(seconds, 1),
        "records_per_s": phases,
    }


def _phase(load: Load, group: Group, records: int) -> dict[str, int]:
    """How many records a second were acknowledged, and handed out meanwhile."""
    began_s, acked, handed = time.monotonic(), load.acked, group.handed
    load.await_acked(records, TIMEOUT_S)
    seconds = time.monotonic() - began_s
    sent, seen = load.acked - acked, group.handed - handed
    return {"sent": round(sent / seconds), "handed": round(seen / seconds)}


def peak_mib() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
