"""What recording costs a load: the same client and group of three, recorded and unrecorded."""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from tests.bench.effort import Effort
from tests.bench.loads import KAFKA, SETTINGS

from highwater.harness.archive import ensure_archive
from highwater.harness.clients.loading import IN_FLIGHT
from highwater.harness.clients.process import CONFLUENT, ClientProcess, Event, Launch
from highwater.harness.clients.settings import ConsumerSettings
from highwater.harness.cluster import ClusterSpec
from highwater.harness.creation import create_topic
from highwater.harness.jvm.runtime import runtime
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.processes.site import ProcessSite
from highwater.harness.processes.warden import Warden
from highwater.harness.topic import spread
from highwater.harness.versions.catalogue import find_kafka
from highwater.harness.wait import wait_until

LINES = {"recorded": CONFLUENT, "unrecorded": (CONFLUENT[0], "-m", "tests.bench.unrecorded")}
MEMBERS, PARTITIONS = 3, 6
TOPIC = {"min.insync.replicas": "2"}
SHARE = 8  # of a whole load's records: enough, for each of several rounds
TIMEOUT_S = 300.0

Figures = dict[str, object]


@dataclass
class Counted:
    """How far clients have got, by what they last said."""

    acked: int = 0
    handed: dict[str, int] = field(default_factory=dict)

    def hear(self, client: str, event: Event) -> None:
        if event["event"] == "progress" and "acked" in event:
            self.acked = event["acked"]
        elif event["event"] == "progress":
            self.handed[client] = event["handed"]

    @property
    def in_groups(self) -> int:
        return sum(self.handed.values())


def recorded_loads(folder: Path, effort: Effort) -> Figures:
    """In turn, on one cluster of three brokers: a topic of its own for each of them."""
    found = runtime(find_kafka(KAFKA))
    ensure_archive(found)
    rates: dict[str, list[dict[str, int]]] = {way: [] for way in LINES}
    with ExitStack() as lives:
        site, spec = ProcessSite(found, folder / "cluster"), ClusterSpec()
        cluster = lives.enter_context(KafkaCluster(site, spec))
        group = lives.enter_context(Warden()).group
        for round_, way in itertools.product(range(effort.rounds + 1), LINES):
            topic = f"{way}-{round_}"
            launches = _launches(cluster, folder / topic, topic, group)
            create_topic(cluster, topic, spread(cluster.brokers, range(PARTITIONS), 3), TOPIC)
            rate = _rate([replace(each, line=LINES[way]) for each in launches], effort)
            cluster.metadata.delete_topic(topic)
            if round_:  # the first one warms the brokers up
                rates[way].append(rate)
    return {"kafka": KAFKA, "records_per_s": rates, **_ratios(rates)}


def _launches(cluster: KafkaCluster, folder: Path, topic: str, group: int) -> list[Launch]:
    """The load, and the members of the group."""
    settings = replace(SETTINGS.on(cluster.kafka), in_flight=IN_FLIGHT)
    sends: dict[str, Any] = {
        "role": "producer", "client": "load", "topic": topic, "partitions": PARTITIONS,
        "first_value": 1, "rate_per_s": None, "settings": asdict(settings), "transactions": None,
    }  # fmt: skip
    member: dict[str, Any] = {
        "role": "member", "topics": [topic], "group": topic,
        "settings": ConsumerSettings().described_on(cluster.kafka),
    }  # fmt: skip
    names = [f"member-{number}" for number in range(MEMBERS)]
    orders = [sends, *({**member, "client": name, "seat": name} for name in names)]
    place = {"directory": str(folder), "origin_ns": time.monotonic_ns()}
    return [
        Launch(
            {**order, "bootstrap": cluster.bootstrap, "record": {**place, "number": number}},
            folder / f"{order['client']}.log",
            group,
        )
        for number, order in enumerate(orders)
    ]


def _rate(launches: Sequence[Launch], effort: Effort) -> dict[str, int]:
    """How many records a second are acknowledged, and handed out meanwhile."""
    counted = Counted()
    load, *members = (
        ClientProcess(launch, partial(counted.hear, launch.order["client"])) for launch in launches
    )
    with ExitStack() as lives:
        for each in (*members, load):
            lives.enter_context(each)
        await_acked = partial(_await_acked, load, counted)
        wait_until(
            lambda: all(each.is_well() for each in (load, *members)) and counted.in_groups > 0,
            "the group to be handed records",
            TIMEOUT_S,
        )
        await_acked(effort.load_records // SHARE // 2)  # what a client has to load is loaded
        began_s, acked, handed = time.monotonic(), counted.acked, counted.in_groups
        until = acked + effort.load_records // SHARE
        wait_until(lambda: load.is_well() and counted.acked >= until, f"{until} records", TIMEOUT_S)
        seconds = time.monotonic() - began_s
        sent, seen = counted.acked - acked, counted.in_groups - handed
    return {"sent": round(sent / seconds), "handed": round(seen / seconds)}


def _await_acked(load: ClientProcess, counted: Counted, records: int) -> None:
    until = counted.acked + records
    wait_until(
        lambda: load.is_well() and counted.acked >= until,
        f"{records} more records to be acknowledged",
        TIMEOUT_S,
    )


def _ratios(rates: Mapping[str, Sequence[Mapping[str, int]]]) -> Figures:
    def median(way: str, what: str) -> float:
        return statistics.median(each[what] for each in rates[way])

    return {
        f"{what}_recorded_to_unrecorded": round(
            median("recorded", what) / median("unrecorded", what), 2
        )
        for what in ("sent", "handed")
    }
