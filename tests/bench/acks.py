"""What each `acks` promises, and what comes of it: by fault, min.insync.replicas, idempotence.

For each fault one play: a topic with a load for each cell, all led by the broker that is hit.
`python -m tests.bench.acks [KAFKA ...]` plays all of it and keeps it in docs/results/acks.json,
each Kafka beside those that were played before.
"""

from __future__ import annotations

import itertools
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from tests.bench.acks_faults import FAULTS, FOLLOWERS, LAG_MS, LEADER
from tests.bench.effort import FULL, Effort, on_each
from tests.bench.keeping import MISSING, is_kept, keep

from highwater.checkers.judge import judge
from highwater.faults.delay_link import DelayLink
from highwater.harness.archive import ensure_archive
from highwater.harness.clients.load import Load
from highwater.harness.cluster import ClusterSpec
from highwater.harness.errors import InfrastructureError, PreconditionError
from highwater.harness.jvm.runtime import Runtime
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.play import Play
from highwater.harness.processes.site import ProcessSite
from highwater.harness.record.reader import StoredRun, open_run
from highwater.harness.topic import Topic
from highwater.harness.trial import staged
from highwater.harness.workloads.producer import ProducerSettings

RATE_PER_S = 200.0
FAR_MS = 10.0  # how long every request and answer of the leader's followers takes
SETTINGS = {"replica.lag.time.max.ms": str(LAG_MS)}
PERSISTENT = ProducerSettings(
    retries=100_000, delivery_timeout_s=60.0, in_flight=5, linger_ms=5, idempotence=False
)

Figures = dict[str, object]
Loaded = tuple[Load, str]  # and why it can send nothing more


@dataclass(frozen=True, slots=True)
class Cell:
    """One kind of producer, and one of topics."""

    producer: str
    min_isr: int
    settings: ProducerSettings

    @property
    def topic(self) -> str:
        named = self.producer.replace(", ", "-")
        return f"{named}-min-{'one' if self.min_isr == 1 else 'two'}"


def cells(*, knows_idempotence: bool) -> list[Cell]:
    """A column each."""
    producers = {
        "0": replace(PERSISTENT, acks="0", retries=0),
        "1": replace(PERSISTENT, acks="1"),
        "all": PERSISTENT,
    }
    if knows_idempotence:
        producers["all, idempotent"] = replace(PERSISTENT, idempotence=True)
    return [
        Cell(name, min_isr, settings) for min_isr in (1, 2) for name, settings in producers.items()
    ]


def acks_matrix(folder: Path, effort: Effort) -> dict[str, object]:
    """By Kafka and fault a row for each cell of each round."""
    return on_each(effort.acks_kafkas, lambda found: _of_kafka(found, folder, effort))


def _of_kafka(found: Runtime, folder: Path, effort: Effort) -> Figures:
    ensure_archive(found)
    here = folder / found.kafka.name
    faults = effort.acks_faults or tuple(FAULTS)
    return {
        fault: [
            row
            for number in range(effort.acks_rounds)
            for row in _played(found, here / f"{at}-{number}", fault, effort.acks_records)
        ]
        for at, fault in enumerate(faults)
    }


def _played(found: Runtime, folder: Path, fault: str, records: int) -> list[Figures]:
    kafka = found.kafka
    identity = {"scenario": "bench", "kafka": kafka.name, "topic": "acks"}
    spec = ClusterSpec(brokers=4, settings=SETTINGS, quiet_replication_links=False)
    columns = cells(knows_idempotence=kafka.knows_idempotence)
    loads: Sequence[Loaded] = ()
    with (
        KafkaCluster(ProcessSite(found, folder / "cluster"), spec) as cluster,
        staged(cluster, folder / "run", identity) as stage,
    ):
        topics = [_topic(stage.play, cell) for cell in columns]
        stage.play.inject_each(DelayLink(each, LEADER, FAR_MS) for each in FOLLOWERS)
        loads = _loaded(stage.play, columns, topics, fault, records)
    if stage.reason:
        raise InfrastructureError(f"{fault} on {kafka.name} proves nothing: {stage.reason}")
    run = open_run(folder / "run")
    verdicts = judge([run])[run.path]
    return [
        {
            **_named(cell),
            **_figures(run, topic.told_as),
            "longest_gap_s": round(load.longest_gap_s, 2),
            "gave_up": why,
            "violated": [
                one.claim
                for one in verdicts
                if any(each.get("topic") == topic.told_as for each in one.witnesses)
            ],
        }
        for cell, topic, (load, why) in zip(columns, topics, loads, strict=True)
    ]


def _topic(play: Play, cell: Cell) -> Topic:
    """Its first broker leads it, as of all topics."""
    return play.topic(cell.topic, settings={"min.insync.replicas": str(cell.min_isr)})


def _loaded(
    play: Play, columns: Sequence[Cell], topics: Sequence[Topic], fault: str, records: int
) -> Sequence[Loaded]:
    """All of them send before and after; one that can send nothing more says so."""
    with ExitStack() as stack:
        loads = [
            stack.enter_context(play.load(topic, RATE_PER_S, cell.settings))
            for cell, topic in zip(columns, topics, strict=True)
        ]
        for load in loads:
            load.await_acked(records)
        FAULTS[fault](play, [topic[0] for topic in topics])
        return [(load, _goes_on(load, records)) for load in loads]


def _goes_on(load: Load, records: int) -> str:
    """Why it does not: its library has given up, and can send nothing more."""
    try:
        load.await_acked(records)
    except PreconditionError as error:
        return str(error)
    return ""


def _named(cell: Cell) -> Figures:
    return {"producer": cell.producer, "min_isr": cell.min_isr}


def _figures(run: StoredRun, topic: str) -> Figures:
    """What its producer was told, and what a reader was handed at the end."""
    rows = run.table("history").to_pandas()
    rows = rows[rows["topic"] == topic]
    sent, read = rows[rows["action"] == "send"], rows[rows["action"] == "poll"]
    acked = sent[sent["outcome"] == "ok"]
    handed = read.sort_values("offset")["value"].to_numpy()
    first = handed[np.sort(np.unique(handed, return_index=True)[1])]
    waited_ms = (acked["completed_ns"] - acked["intended_ns"]) / 1e6
    lasted_s = (acked["completed_ns"].max() - sent["invoked_ns"].min()) / 1e9
    return {
        "sent": int(sent["value"].nunique()),
        "acked": len(acked),
        "lost": int((~acked["value"].isin(handed)).sum()),
        "duplicated": len(handed) - len(first),
        "reordered": int((first < np.maximum.accumulate(first)).sum()) if len(first) else 0,
        "acked_per_s": round(len(acked) / lasted_s, 1),
        **_percentiles(waited_ms.to_numpy()),
    }


def _percentiles(waited_ms: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Mapping[str, float]:
    return {f"p{each}_ms": round(float(np.percentile(waited_ms, each)), 1) for each in (50, 99)}


def main() -> None:
    """With the word `missing` only what is not kept yet."""
    kafkas = tuple(word for word in sys.argv[1:] if word != MISSING) or FULL.acks_kafkas
    for kafka, fault in itertools.product(kafkas, FAULTS):
        if MISSING in sys.argv and is_kept("acks", kafka, fault):
            continue
        with tempfile.TemporaryDirectory() as folder:
            effort = replace(FULL, acks_kafkas=(kafka,), acks_faults=(fault,))
            measured = acks_matrix(Path(folder), effort)
        keep("acks", "python -m tests.bench.acks", kafka, fault, measured)


if __name__ == "__main__":
    main()
