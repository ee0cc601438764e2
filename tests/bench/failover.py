"""How long partitions have no leader when their broker dies, by how many there are, step by step.

The broker leads all of them. It is killed and nothing else: nobody ends its session. When it was
missed is in the controller's log, when each new leader was written is in ZooKeeper's znodes or in
the batches of the metadata log, when brokers knew is asked of them, when followers had turned to
their new leaders is in the brokers' logs, and when leaders had these followers is seen by a record
for each partition that waits for them. Then another broker is told to stop.
`python -m tests.bench.failover [KAFKA ...]` keeps it in docs/results/failover.json.
"""

from __future__ import annotations

import itertools
import re
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from kazoo.client import KazooClient
from tests.bench.effort import FULL, Effort, on_each
from tests.bench.failover_client import Client
from tests.bench.failover_request import all_acknowledged_s
from tests.bench.keeping import MISSING, is_kept, keep

from highwater.harness.archive import ensure_archive
from highwater.harness.broker_logs import STAMP, STAMP_FORMAT
from highwater.harness.cluster import ClusterSpec
from highwater.harness.errors import InfrastructureError
from highwater.harness.jvm.runtime import Runtime
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.model import TopicPartition
from highwater.harness.probes.batches import log_batches
from highwater.harness.processes.node import ProcessNode
from highwater.harness.processes.site import ProcessSite
from highwater.harness.wait import wait_until

DEAD, SURVIVORS = 1, (2, 3)
PER_TOPIC = 1_000
HEAPS_MIB = (
    (10_000, 4_096),
    (3_000, 1_536),
)  # from so many on: none waits for a full heap's collector
PATIENCE_S = 600.0
WARM_S = 2.0
QUIET_S = 5.0  # after which no other follower turns
MISSED = re.compile(r"deleted brokers: 1\b|[Ff]encing broker 1\b")
MISSED_AS_WELL = re.compile(r"deleted brokers: [23]\b|[Ff]encing broker [23]\b")
FOLLOWS = re.compile(r"Added fetcher|added fetcher|Adding fetcher")

Figures = dict[str, object]


@dataclass(frozen=True, slots=True)
class Seen:
    """When what was so, in seconds since the epoch."""

    killed: float
    first_led: float  # as all survivors know
    all_led: float


def failover(folder: Path, effort: Effort) -> dict[str, object]:
    """By Kafka and number of partitions, all of which the broker leads that dies."""
    return on_each(effort.failover_kafkas, lambda found: _of_kafka(found, folder, effort))


def _of_kafka(found: Runtime, folder: Path, effort: Effort) -> Figures:
    ensure_archive(found)
    here = folder / found.kafka.name
    return {
        str(each): _measured(found, here / str(each), each) for each in effort.failover_partitions
    }


def _measured(found: Runtime, folder: Path, partitions: int) -> Figures:
    heap_mib = next((mib for least, mib in HEAPS_MIB if partitions >= least), None)
    spec = ClusterSpec(gated=False, heap_mib=heap_mib)  # its controller has no replica
    with KafkaCluster(ProcessSite(found, folder), spec) as cluster:
        began_s = time.monotonic()
        wheres = _created(cluster, partitions)
        created_s = time.monotonic() - began_s
        with ExitStack() as stack:
            client = stack.enter_context(Client(cluster.bootstrap, wheres[0]))
            client.await_acked(WARM_S)
            client.forget_gaps()
            seen = _killed(cluster, wheres)
            acknowledged_s = all_acknowledged_s(cluster, _leaders(cluster, wheres)) - seen.killed
            client.await_acked(WARM_S)
        decided = _decided(cluster, wheres, seen)
        return {
            "led_by_it": partitions,
            "created_s": round(created_s, 2),
            "files_on": _filesystem(folder),
            **_steps(cluster, seen, decided),
            "acknowledged_s": round(acknowledged_s, 3),
            "client_gap_s": round(client.longest_gap_s, 2),
            **_stopped(cluster, wheres),
        }


def _stopped(cluster: KafkaCluster, wheres: Sequence[TopicPartition]) -> Figures:
    """A broker that is told to stop hands over what it leads, and closes all of its logs."""
    leads = len(_leaders(cluster, wheres).get(SURVIVORS[0], ()))
    began_s = time.monotonic()
    node = cluster.nodes[SURVIVORS[0]]
    assert isinstance(node, ProcessNode)
    node.terminate(PATIENCE_S)
    return {"shutdown_s": round(time.monotonic() - began_s, 2), "shut_down_led": leads}


def _filesystem(folder: Path) -> str:
    """As mounts call it: ext4, tmpfs."""
    mounts = [line.split()[1:3] for line in Path("/proc/mounts").read_text().splitlines()]
    around = [(len(at), kind) for at, kind in mounts if folder.resolve().is_relative_to(at)]
    return max(around)[1]


def _created(cluster: KafkaCluster, partitions: int) -> list[TopicPartition]:
    """In topics of a thousand; returns when all replicas are in sync, and there.

    KRaft calls new replicas in sync before their brokers have made them: one that still makes
    others knows of no new leader either.
    """
    wheres: list[TopicPartition] = []
    for first in range(0, partitions, PER_TOPIC):
        count, topic = min(PER_TOPIC, partitions - first), f"many-{first}"
        placed = [(DEAD, *SURVIVORS[:: 1 - 2 * (number % 2)]) for number in range(count)]
        cluster.metadata.create_topic(topic, placed, {"min.insync.replicas": "2"})
        wheres += [TopicPartition(topic, number) for number in range(count)]
    wait_until(
        lambda: all(_has(cluster, broker, wheres) for broker in cluster.brokers),
        f"{partitions} partitions to be in sync, and on every broker",
        PATIENCE_S,
        interval_s=0.2,
    )
    return wheres


def _has(cluster: KafkaCluster, broker: int, wheres: Sequence[TopicPartition]) -> bool:
    """Whether a broker knows of a leader for each, and has its own replica of each."""
    if _led(cluster, broker, wheres, in_sync=3) < len(wheres):
        return False
    return len(cluster.probe(broker).log_start_offsets(wheres)) == len(wheres)


def _led(cluster: KafkaCluster, broker: int, wheres: Sequence[TopicPartition], in_sync: int) -> int:
    known = cluster.probe(broker).metadata(*sorted({where.topic for where in wheres}))
    return sum(
        each.leader >= 0 and len(each.isr) >= in_sync and (in_sync == 3 or each.leader != DEAD)
        for each in known.partitions
    )


def _killed(cluster: KafkaCluster, wheres: Sequence[TopicPartition]) -> Seen:
    leads = len(_leaders(cluster, wheres).get(DEAD, ()))  # to ask for thousands takes a while
    if leads < len(wheres):
        raise InfrastructureError(f"broker {DEAD} leads {leads} of {len(wheres)} partitions")
    killed, first = time.time(), 0.0
    cluster.nodes.kill(DEAD)

    def all_led() -> bool:
        nonlocal first
        least = min(_led(cluster, each, wheres, in_sync=1) for each in SURVIVORS)
        first = first or (time.time() if least else 0.0)
        return least == len(wheres)

    wait_until(all_led, "all partitions to be led again", PATIENCE_S, interval_s=0.05)
    return Seen(killed, first, time.time())


def _leaders(
    cluster: KafkaCluster, wheres: Sequence[TopicPartition]
) -> dict[int, list[TopicPartition]]:
    """What each leads, as a survivor says."""
    known = cluster.probe(SURVIVORS[0]).metadata(*sorted({where.topic for where in wheres}))
    found: dict[int, list[TopicPartition]] = {}
    for each in known.partitions:
        found.setdefault(each.leader, []).append(TopicPartition(each.topic, each.partition))
    return found


def _decided(
    cluster: KafkaCluster, wheres: Sequence[TopicPartition], seen: Seen
) -> tuple[float, float]:
    """When the first and the last new leader was written down."""
    if not cluster.kafka.kraft:
        return _written_in_zookeeper(cluster, wheres, seen)
    log = cluster.files.log_dir(cluster.nodes.voters[0]) / "__cluster_metadata-0"
    later = [each for each in log_batches(log) if (each.max_timestamp_ms or 0) > seen.killed * 1e3]
    largest = max(later, key=lambda each: each.size_bytes)
    at_s = (largest.max_timestamp_ms or 0) / 1e3
    return at_s, at_s


def _written_in_zookeeper(
    cluster: KafkaCluster, wheres: Sequence[TopicPartition], seen: Seen
) -> tuple[float, float]:
    told = cluster.files.properties(SURVIVORS[0]).read_text()
    found = re.search(r"^zookeeper\.connect=(.*)$", told, re.MULTILINE)
    assert found is not None
    client = KazooClient(found[1])
    client.start()
    try:
        nodes = [
            f"/brokers/topics/{where.topic}/partitions/{where.partition}/state" for where in wheres
        ]
        at_s = [asked.get()[1].mtime / 1e3 for asked in map(client.get_async, nodes)]
    finally:
        client.stop()
        client.close()
    later = [each for each in at_s if each > seen.killed]
    return min(later), max(later)


def _steps(cluster: KafkaCluster, seen: Seen, decided: tuple[float, float]) -> Mapping[str, object]:
    """What each step took, in seconds; the last one's part may be over before all know."""
    missed = min(_required(cluster, MISSED, seen.killed))
    followed = _turned(cluster, seen.killed)
    first, last = decided
    return {
        "leaderless_s": round(seen.all_led - seen.killed, 2),
        "steps_s": {
            "missed": round(missed - seen.killed, 3),
            "until the first is written": round(first - missed, 3),
            "until the last is written": round(last - first, 3),
            "until all brokers know": round(max(0.0, seen.all_led - last), 3),
            "until all followers have turned": round(followed - seen.killed, 3),
        },
        "survivors_missed": len(_stamped(cluster, MISSED_AS_WELL, seen.killed)),
        "first_led_s": round(seen.first_led - seen.killed, 2),
    }


def _turned(cluster: KafkaCluster, after: float) -> float:
    """When the last follower had: brokers of thousands may still be at it when all know."""

    def last() -> float:
        """0 until then."""
        at = max(_stamped(cluster, FOLLOWS, after), default=time.time())
        return at if time.time() - at > QUIET_S else 0.0

    what = f"followers to have turned, {QUIET_S:g} s ago"
    return wait_until(last, what, PATIENCE_S, interval_s=0.5)


def _stamped(cluster: KafkaCluster, pattern: re.Pattern[str], after: float) -> list[float]:
    found = []
    for node in cluster.files.owners:
        for line in cluster.files.server_log(node).read_text(errors="replace").splitlines():
            stamp = STAMP.match(line)
            if stamp and pattern.search(line):
                at = datetime.strptime(stamp[1], STAMP_FORMAT).replace(tzinfo=UTC).timestamp()
                found += [at] if at > after else []
    return found


def _required(cluster: KafkaCluster, pattern: re.Pattern[str], after: float) -> list[float]:
    found = _stamped(cluster, pattern, after)
    if not found:
        raise InfrastructureError(f"no node has logged {pattern.pattern!r} after the kill")
    return found


def main() -> None:
    """With the word `missing` only what is not kept yet."""
    kafkas = tuple(word for word in sys.argv[1:] if word != MISSING) or FULL.failover_kafkas
    for kafka, partitions in itertools.product(kafkas, FULL.failover_partitions):
        if MISSING in sys.argv and is_kept("failover", kafka, str(partitions)):
            continue
        with tempfile.TemporaryDirectory() as folder:
            effort = replace(FULL, failover_kafkas=(kafka,), failover_partitions=(partitions,))
            measured = failover(Path(folder), effort)
        keep("failover", "python -m tests.bench.failover", kafka, str(partitions), measured)


if __name__ == "__main__":
    main()
