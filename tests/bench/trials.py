"""Seconds per trial of kip101-loss-no-crash on a warm cluster, start not included."""

from __future__ import annotations

import statistics
from pathlib import Path

from highwater.harness.archive import ensure_archive
from highwater.harness.cluster import ClusterSpec
from highwater.harness.jvm.runtime import runtime
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.processes.site import ProcessSite
from highwater.harness.trial import play_once
from highwater.harness.versions.catalogue import every_kafka
from highwater.scenarios.catalogue import find_scenario

TRIALS = 5


def trial_seconds(folder: Path) -> dict[str, object]:
    scenario = find_scenario("kip101-loss-no-crash")
    results: dict[str, object] = {}
    for kafka in every_kafka():
        found = runtime(kafka)
        ensure_archive(found)
        spec = ClusterSpec(settings=scenario.settings)
        with KafkaCluster(ProcessSite(found, folder / "cluster"), spec) as cluster:
            taken = [
                play_once(
                    scenario,
                    cluster,
                    folder / "runs" / kafka.name / str(number),
                    {"scenario": scenario.name, "topic": f"bench-{number}"},
                ).seconds
                for number in range(TRIALS + 1)
            ][1:]  # the first one warms the cluster up
        results[kafka.name] = {"seconds": taken, "median": statistics.median(taken)}
    return results
