"""Seconds per trial of kip101-loss-no-crash on a warm cluster, start not included."""

from __future__ import annotations

import statistics
from pathlib import Path

from tests.bench.effort import Effort, on_each

from highwater.harness.archive import ensure_archive
from highwater.harness.cluster import ClusterSpec
from highwater.harness.jvm.runtime import Runtime
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.processes.site import ProcessSite
from highwater.harness.trial import play_once
from highwater.scenarios.catalogue import find_scenario


def trial_seconds(folder: Path, effort: Effort) -> dict[str, object]:
    return on_each(effort.kafkas, lambda found: _measure(found, folder, effort.trials))


def _measure(found: Runtime, folder: Path, trials: int) -> dict[str, object]:
    scenario = find_scenario("kip101-loss-no-crash")
    ensure_archive(found)
    spec = ClusterSpec(settings=scenario.settings)
    with KafkaCluster(ProcessSite(found, folder / "cluster"), spec) as cluster:
        taken = [
            play_once(
                scenario,
                cluster,
                folder / "runs" / found.kafka.name / str(number),
                {"scenario": scenario.name, "topic": f"bench-{number}"},
            ).seconds
            for number in range(trials + 1)
        ][1:]  # the first one warms the cluster up
    return {"seconds": taken, "median": statistics.median(taken)}
