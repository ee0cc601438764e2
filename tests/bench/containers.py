"""How long an image takes to be built from cached jars, and four containers until they serve."""

from __future__ import annotations

import statistics
import time
from pathlib import Path

from highwater.backends import DOCKER, Backend, make_site
from highwater.compose.images import LABEL, engine, ensure_image
from highwater.harness.cluster import ClusterSpec
from highwater.harness.jvm.runtime import Runtime, runtime
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.versions.catalogue import find_kafka

KAFKAS = ("0.10.2.2", "0.11.0.3", "4.1.1")
ROUNDS = 3
FOUR = ClusterSpec(quiet_replication_links=False)  # three brokers, and ZooKeeper or a controller


def containers(folder: Path) -> dict[str, object]:
    measured: dict[str, object] = {}
    for name in KAFKAS:
        found = runtime(find_kafka(name))
        builds = [_build(found) for _ in range(ROUNDS)]
        site = make_site(Backend(DOCKER), found, folder / name, lambda _text: None)
        starts = []
        for _ in range(ROUNDS):
            started = time.monotonic()
            with KafkaCluster(site, FOUR):
                starts.append(round(time.monotonic() - started, 2))
            site = make_site(Backend(DOCKER), found, folder / name, lambda _text: None)
        measured[name] = {
            "image_build_s": statistics.median(builds),
            "four_containers_ready_s": statistics.median(starts),
            "all": {"builds": builds, "starts": starts},
        }
    return measured


def _build(found: Runtime) -> float:
    """Seconds to build it anew, without the layers that were cached for it."""
    with engine() as client:
        client.images.remove(ensure_image(found.kafka, found.jars).name, force=True)
        client.images.remove(f"highwater/kafka:{found.kafka.version}", force=True)
        client.images.prune(filters={"dangling": True, "label": LABEL})
    started = time.monotonic()
    ensure_image(found.kafka, found.jars)
    return round(time.monotonic() - started, 2)
