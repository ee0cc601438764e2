"""`adapter check`: an adapter is held against the protocol, on a cluster of its own."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from highwater import console
from highwater.adopting import kafka_named
from highwater.backends import Backend, make_site
from highwater.fetching import runtime_with_progress
from highwater.harness.cluster import ClusterSpec
from highwater.harness.foreign.conformance import Conformance, Found
from highwater.harness.foreign.ground import Ground
from highwater.harness.foreign.programs import command_of
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.workloads import contents
from highwater.workshop import workshop

TOPIC = "conformance"


def check(words: Sequence[str], version: str, backend: Backend, *, as_json: bool) -> int:
    """Exit code 1 where it breaks a rule; `words` are a command, or the name of an adapter."""
    kafka = kafka_named(version)
    client = words[0] if len(words) == 1 and ("/" not in words[0]) else words
    command = command_of(client, kafka)
    runtime = runtime_with_progress(kafka, offline=False)
    with workshop() as place:
        with console.err.status(f"Kafka {kafka.name}: a broker"):
            site = make_site(backend, runtime, place / "cluster", lambda _text: None)
        with KafkaCluster(site, ClusterSpec(brokers=1)) as cluster:
            contents.create(cluster.bootstrap, TOPIC, replicas=1)
            read = partial(contents.read, cluster.bootstrap, TOPIC)
            committed = partial(contents.committed, cluster.bootstrap, TOPIC)
            ground = Ground(kafka, cluster.bootstrap, TOPIC, read, committed)
            tried = Conformance(command, ground)
            found = []
            for each in tried.findings():
                found.append(each)
                if not as_json:
                    _tell(each)
    if as_json:
        console.print_json([each._asdict() for each in found])
    return int(any(each.wrong for each in found))


def _tell(found: Found) -> None:
    mark = "[bold red]broken[/]" if found.wrong else "[green]kept[/]  "
    console.out.print(mark, found.rule)
    if found.wrong:
        console.out.print(f"        {found.wrong}", markup=False, soft_wrap=True)
