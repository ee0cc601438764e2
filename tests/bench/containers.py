"""How long an image takes to be built from cached jars, and four containers until they serve."""

from __future__ import annotations

import statistics
import time
from pathlib import Path

from tests.bench.effort import Effort, on_each

from highwater.backends import DOCKER, Backend, make_site
from highwater.compose.images import LABEL, engine, ensure_image
from highwater.harness.cluster import ClusterSpec
from highwater.harness.jvm.runtime import Runtime
from highwater.harness.kafka_cluster import KafkaCluster

KAFKAS = ("0.10.2.2", "0.11.0.3", "4.1.1")
FOUR = ClusterSpec(quiet_replication_links=False)  # three brokers, and ZooKeeper or a controller


def containers(folder: Path, effort: Effort) -> dict[str, object]:
    chosen = [name for name in KAFKAS if name in effort.kafkas]
    return on_each(chosen, lambda found: _measure(found, folder, effort.rounds))


def _measure(found: Runtime, folder: Path, rounds: int) -> dict[str, object]:
    place = folder / found.kafka.name
    builds = [_build(found) for _ in range(rounds)]
    starts = []
    for _ in range(rounds):
        site = make_site(Backend(DOCKER), found, place, lambda _text: None)
        started = time.monotonic()
        with KafkaCluster(site, FOUR):
            starts.append(round(time.monotonic() - started, 2))
    return {
        "image_build_s": statistics.median(builds),
        "four_containers_ready_s": statistics.median(starts),
        "all": {"builds": builds, "starts": starts},
    }


def _build(found: Runtime) -> float:
    """Seconds to build it anew, without the layers that were cached for it."""
    with engine() as client:
        client.images.remove(ensure_image(found.kafka, found.jars).name, force=True)
        client.images.remove(f"highwater/kafka:{found.kafka.version}", force=True)
        client.images.prune(filters={"dangling": True, "label": LABEL})
    started = time.monotonic()
    ensure_image(found.kafka, found.jars)
    return round(time.monotonic() - started, 2)
