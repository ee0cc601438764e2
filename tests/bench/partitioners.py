"""To which partitions releases of Java's client send records (KIP-480, KIP-794; murmur2).

One program sends bursts without keys, each when the one before has been acknowledged, and then a
record of each of some keys, with the jars of each release in turn.
`python -m tests.bench.partitioners` keeps it in docs/results/partitioners.json.
"""

from __future__ import annotations

import statistics
import subprocess
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path

import numpy as np
from tests.bench.effort import FULL, Effort
from tests.bench.keeping import KEPT

from highwater.harness.archive import ensure_archive
from highwater.harness.cluster import ClusterSpec
from highwater.harness.creation import create_topic
from highwater.harness.foreign.java import JVM, NEEDED
from highwater.harness.jvm.java import find_java
from highwater.harness.jvm.runtime import runtime
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.processes.site import ProcessSite
from highwater.harness.record.files import write_json
from highwater.harness.versions.catalogue import find_kafka
from highwater.harness.versions.jars import jars_named
from highwater.harness.workloads.hashing import partitions_of

KAFKA = "4.1.1"  # all of these releases can talk to it: Produce has been there since 2.1
PROGRAM = Path(__file__).parent / "programs" / "Chosen.java"
PARTITIONS, RECORDS, SIZE_BYTES = 12, 20, 100  # in a burst; a batch takes some 140 of them
KEYS = 500
TIMEOUT_S = 120


def partitioners(folder: Path, effort: Effort) -> dict[str, object]:
    """By release: partitions of a burst, and records in a row to one, in the median."""
    found = runtime(find_kafka(KAFKA))
    ensure_archive(found)
    with KafkaCluster(ProcessSite(found, folder / "cluster"), ClusterSpec()) as cluster:
        told: dict[str, object] = {}
        for number, release in enumerate(effort.partitioner_releases):
            topic = f"keyless-{number}"
            placed = [(1 + each % 3,) for each in range(PARTITIONS)]
            create_topic(cluster, topic, placed, {"min.insync.replicas": "1"})
            words = [cluster.client_bootstrap, topic, str(effort.bursts)]
            told[release] = figures(_sent(release, folder, words))
    return told


def figures(rows_of_partitions: Sequence[Sequence[int]]) -> dict[str, float]:
    """Of the partitions that each burst went to, and last those of the keys."""
    *bursts, keyed = rows_of_partitions
    keys = [f"key-{number:03}".encode() for number in range(len(keyed))]
    every = [each for burst in bursts for each in burst]
    rows = [len([*row]) for _, row in groupby(every)]
    shares = [every.count(each) / len(every) for each in range(PARTITIONS)]
    return {
        "records": len(every),
        "partitions_of_a_burst": statistics.median(len({*burst}) for burst in bursts),
        "records_in_a_row": statistics.median(rows),
        "least_share": round(min(shares), 3),
        "largest_share": round(max(shares), 3),
        "keyed": len(keyed),
        "keyed_by_murmur2": int((partitions_of(keys, PARTITIONS) == np.array(keyed)).sum()),
    }


def _sent(release: str, folder: Path, words: Sequence[str]) -> list[list[int]]:
    """A row for each burst."""
    path = ":".join(map(str, jars_named(find_kafka(release), NEEDED)))
    classes, java = folder / release, Path(find_java().path)
    javac = [str(java.with_name("javac")), "-nowarn", "-cp", path, "-d", str(classes)]
    subprocess.run([*javac, str(PROGRAM)], check=True, timeout=TIMEOUT_S)
    line = [str(java), *JVM, "-cp", f"{classes}:{path}", "Chosen", *words]
    line += [str(RECORDS), str(SIZE_BYTES), str(KEYS)]
    done = subprocess.run(line, check=True, capture_output=True, text=True, timeout=TIMEOUT_S)
    return [[int(each) for each in burst.split()] for burst in done.stdout.splitlines()]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        measured = partitioners(Path(folder), FULL)
    today = datetime.now(UTC).date().isoformat()
    command = "python -m tests.bench.partitioners"
    told = {"command": command, "played_on": today, "kafka": KAFKA, "releases": measured}
    write_json(KEPT / "partitioners.json", told)


if __name__ == "__main__":
    main()
