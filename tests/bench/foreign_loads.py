"""What loads of other libraries come to through the JSON lines of adapters, and what costs most.

An adapter that answers at once shows what the protocol alone lets through. Clients that have been
built are measured on one cluster of three brokers, with ours, which writes columns, beside them.
Processor time tells where the time goes, whatever else the machine does.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from tests.bench.answering import EACH, TOGETHER
from tests.bench.effort import Effort, or_failed
from tests.bench.loads import KAFKA, SETTINGS

from highwater.adapters.dialogue import recording
from highwater.adapters.pace import AT_ONCE
from highwater.harness.archive import ensure_archive
from highwater.harness.clients.loading import IN_FLIGHT
from highwater.harness.clients.process import CONFLUENT, FOREIGN, ClientProcess, Event, Launch
from highwater.harness.cluster import ClusterSpec
from highwater.harness.creation import create_topic
from highwater.harness.foreign import abilities
from highwater.harness.foreign.environments import is_built
from highwater.harness.foreign.languages import KNOWN
from highwater.harness.foreign.programs import JAVA, OURS, command_of
from highwater.harness.foreign.talk import describe
from highwater.harness.jvm.runtime import runtime
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.model import TopicPartition
from highwater.harness.processes.site import ProcessSite
from highwater.harness.processes.warden import Warden
from highwater.harness.topic import spread
from highwater.harness.versions.catalogue import Kafka, find_kafka
from highwater.harness.wait import wait_until
from highwater.harness.workloads.encoding import Encoder
from highwater.harness.workloads.producer import ProducerSettings

ALONE = {
    f"lines of {what}": (sys.executable, "-m", "tests.bench.answering", how)
    for what, how in (("many outcomes", TOGETHER), ("one outcome", EACH))
}
COLUMNS = "columns, in one process"
PARTITIONS = 6
TOPIC = {"min.insync.replicas": "2"}
SHARE = 100  # of a whole load's records: enough, for each of several rounds
FEWEST = 20_000  # records, without a broker: else nothing but the beginning is measured
TIMEOUT_S = 300.0
NOWHERE = "127.0.0.1:1"
TICKS_PER_S = os.sysconf("SC_CLK_TCK")

Figures = dict[str, object]


def protocol_alone(folder: Path, effort: Effort) -> Figures:
    """With no library and no broker, in turn: lines of many outcomes, lines of one, and no lines:
    columns, as a client that records by itself has them.
    """
    measured: dict[str, list[Measured]] = {way: [] for way in (*ALONE, COLUMNS)}
    for round_ in range(effort.rounds):
        place = folder / f"columns-{round_}"
        records = max(effort.load_records // SHARE, FEWEST)
        measured[COLUMNS].append(_in_columns(place, records))
        for way, command in ALONE.items():
            launch = _launch(command, NOWHERE, folder / f"{way}-{round_}", "none")
            measured[way].append(_measured(launch, records))
    return {way: _figures(found) for way, found in measured.items()}


def foreign_loads(folder: Path, effort: Effort) -> Figures:
    """Records a second, acks=all, 100 bytes, six partitions of three replicas.

    Idempotent, and gathered for 10 ms, where the client can be set so.
    """
    records = effort.load_records // SHARE
    found = runtime(find_kafka(KAFKA))
    ensure_archive(found)
    clients = [OURS, JAVA, *(name for name, known in KNOWN.items() if is_built(known))]
    with ExitStack() as lives:
        spec = ClusterSpec(quiet_replication_links=False)
        cluster = lives.enter_context(KafkaCluster(ProcessSite(found, folder / "cluster"), spec))
        measured = {name: _client(cluster, folder, name, records, effort) for name in clients}
    return {"kafka": KAFKA, "clients": measured}


@dataclass(frozen=True, slots=True)
class Measured:
    per_s: int
    cpu_us: Mapping[str, float]  # of each of its processes, for a record


def _client(cluster: KafkaCluster, folder: Path, name: str, records: int, effort: Effort) -> object:
    def rounds() -> object:
        found = []
        for round_ in range(effort.rounds + 1):
            topic = f"{name}-{round_}"
            create_topic(cluster, topic, spread(cluster.brokers, range(PARTITIONS), 3), TOPIC)
            command = None if name == OURS else command_of(name, cluster.kafka)
            launch = _launch(command, cluster.bootstrap, folder / topic, topic)
            found.append(_measured(launch, records))
            cluster.metadata.delete_topic(topic)
        return _figures(found[1:])  # the first one warms the brokers up

    return or_failed(name, rounds)


def _launch(command: Sequence[str] | None, bootstrap: str, folder: Path, topic: str) -> Launch:
    kafka = find_kafka(KAFKA)
    settings, foreign = SETTINGS.on(kafka), {}
    if command is not None:
        hello = describe(command)
        settings = _fitted(hello, kafka)
    settings = replace(settings, in_flight=IN_FLIGHT)
    if command is not None:
        foreign = {"command": [*command], "told": abilities.told(hello, settings)}
    order: dict[str, Any] = {
        "role": "producer", "client": "load", "topic": topic, "partitions": PARTITIONS,
        "first_value": 1, "rate_per_s": None, "settings": asdict(settings), "transactions": None,
        "bootstrap": bootstrap, **foreign,
    }  # fmt: skip
    record = {"directory": str(folder), "origin_ns": time.monotonic_ns(), "number": 0}
    line = CONFLUENT if command is None else FOREIGN
    return Launch({**order, "record": record}, folder / "load.log", 0, line)


def _fitted(hello: Event, kafka: Kafka) -> ProducerSettings:
    """As far as this client can be set so: some gather nothing, or wait as long as they like."""
    able, usual = hello["capabilities"]["settings"], ProducerSettings()
    left = {
        name: getattr(usual, name)
        for name in ("linger_ms", "delivery_timeout_s")
        if abilities.WORDS[name].name not in able
    }
    return abilities.fitted(hello, replace(SETTINGS, **left), kafka)


def _in_columns(folder: Path, records: int) -> Measured:
    """The same sends and outcomes as the writer has, without a word between two processes."""
    place = {"directory": str(folder), "origin_ns": time.monotonic_ns(), "number": 0}
    encoder, where = Encoder(SETTINGS.size_bytes), TopicPartition("none")
    with recording({"client": "load", "record": place}) as history:
        began_s, cpu_s = time.monotonic(), time.process_time()
        for first in range(0, records, AT_ONCE):
            values = range(first, first + AT_ONCE)
            sends = history.sends("load", where, "all", values)
            sends.invoke(values, encoder.all(values).checksums)
            rows = np.arange(values.start, values.stop)
            sends.acknowledged_all(rows, rows, np.full(AT_ONCE, time.monotonic_ns()))
        history.flush()
        seconds, used_s = time.monotonic() - began_s, time.process_time() - cpu_s
    return Measured(round(records / seconds), {"writer": round(used_s / records * 1e6, 1)})


class Heard:
    """How far it has got, and which process its adapter is."""

    def __init__(self) -> None:
        self.acked = 0
        self.adapter: int | None = None

    def __call__(self, event: Event) -> None:
        if event["event"] == "progress":
            self.acked = event["acked"]
        elif event["event"] == "spawned":
            self.adapter = event["pid"]


def _measured(launch: Launch, records: int) -> Measured:
    heard, before = Heard(), _children()
    with Warden() as warden, ClientProcess(replace(launch, group=warden.group), heard) as load:

        def await_more(count: int) -> int:
            until = heard.acked + count
            wait_until(lambda: load.is_well() and heard.acked >= until, f"{until} acks", TIMEOUT_S)
            return heard.acked

        processes = {"writer": max(_children() - before)}  # the warden was started before
        if heard.adapter is not None:
            processes["adapter"] = heard.adapter
        acked = await_more(records // 4)  # what a client has to load is loaded, and compiled
        began_s, cpu_s = time.monotonic(), _cpu_s(processes)
        count = await_more(records) - acked
        seconds, later_s = time.monotonic() - began_s, _cpu_s(processes)
    used = {each: round((later_s[each] - cpu_s[each]) / count * 1e6, 1) for each in processes}
    return Measured(round(count / seconds), used)


def _children() -> set[int]:
    listed = Path(f"/proc/self/task/{os.getpid()}/children").read_text("ascii")
    return {int(each) for each in listed.split()}


def _cpu_s(processes: Mapping[str, int]) -> Mapping[str, float]:
    def of(pid: int) -> float:
        fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS_PER_S

    return {name: of(pid) for name, pid in processes.items()}


def _figures(found: Sequence[Measured]) -> Figures:
    names = found[0].cpu_us
    cpu_us = {name: statistics.median(each.cpu_us[name] for each in found) for name in names}
    return {"records_per_s": [each.per_s for each in found], "cpu_us_per_record": cpu_us}
