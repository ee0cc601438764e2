"""`adapter check`: an adapter is held against the protocol, on a cluster of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from highwater import console
from highwater.adopting import kafka_named
from highwater.backends import Backend, make_site
from highwater.fetching import runtime_with_progress
from highwater.harness.cluster import ClusterSpec
from highwater.harness.creation import create_topic
from highwater.harness.foreign.conformance import Conformance, Found
from highwater.harness.foreign.ground import PARTITIONS, Ground, Headed
from highwater.harness.foreign.programs import command_of
from highwater.harness.foreign.watching import Watch
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.probes.batches import log_batches
from highwater.harness.versions.jars import message_jars
from highwater.harness.workloads import contents
from highwater.workshop import workshop

TOPIC, SPREAD, HEADED = "conformance", "conformance-spread", "conformance-headed"
BROKER = 1


def check(words: Sequence[str], version: str, backend: Backend, *, as_json: bool) -> int:
    """Exit code 1 where it breaks a rule; `words` are a command, or the name of an adapter."""
    kafka = kafka_named(version)
    client = words[0] if len(words) == 1 and ("/" not in words[0]) else words
    command = command_of(client, kafka)
    runtime = runtime_with_progress(kafka, offline=False)
    with workshop() as place:
        with console.err.status(f"Kafka {kafka.name}: a broker"):
            site = make_site(backend, runtime, place / "cluster", lambda _text: None)
        spec = ClusterSpec(brokers=1, gated_clients=kafka.has_named_listeners)
        with KafkaCluster(site, spec) as cluster, _ground(cluster) as ground:
            tried = Conformance(command, ground)
            found = []
            for each in tried.findings():
                found.append(each)
                if not as_json:
                    _tell(each)
    if as_json:
        console.print_json([each._asdict() for each in found])
    return int(any(each.wrong for each in found))


@contextmanager
def _ground(cluster: KafkaCluster) -> Iterator[Ground]:
    """Who looks goes past the gate, so that it sees nobody but the adapter."""
    own, watch = cluster.bootstrap, Watch(cluster.gate)
    for topic, partitions in ((TOPIC, 1), (SPREAD, PARTITIONS), (HEADED, 1)):
        create_topic(cluster, topic, [[BROKER]] * partitions, {"min.insync.replicas": "1"})
    has_gate = cluster.spec.gated_clients
    ground = Ground(
        kafka=cluster.kafka,
        bootstrap=cluster.client_bootstrap if has_gate else own,
        topic=TOPIC,
        read=partial(contents.read, own, TOPIC),
        committed=partial(contents.committed, own, TOPIC),
        spread=SPREAD,
        codecs=partial(_codecs, cluster),
        gate=watch if has_gate else None,
        headed=Headed(
            HEADED, partial(contents.headers, own, HEADED), partial(contents.put, own, HEADED)
        ),
    )
    if not has_gate:
        yield ground
        return
    with watch.watching(message_jars()):
        yield ground


def _codecs(cluster: KafkaCluster, partition: int, first: int) -> frozenset[str]:
    """By which batches are compressed from this offset on, as they lie in the broker's log."""
    lies = log_batches(cluster.files.log_dir(BROKER) / f"{SPREAD}-{partition}")
    return frozenset(batch.codec for batch in lies if batch.last_offset >= first)


def _tell(found: Found) -> None:
    mark = "[bold red]broken[/]" if found.wrong else "[green]kept[/]  "
    console.out.print(mark, found.rule)
    if found.wrong:
        console.out.print(f"        {found.wrong}", markup=False, soft_wrap=True)
