"""How much a benchmark measures, and what it does where a Kafka does not play along."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial

from highwater.harness.errors import HighwaterError
from highwater.harness.jvm.runtime import Runtime, runtime
from highwater.harness.versions.catalogue import find_kafka, ladder_kafkas


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """What is counted; what only warms up comes on top."""

    kafkas: tuple[str, ...]
    rounds: int
    trials: int
    records: int
    load_records: int
    partitions: tuple[int, ...]  # of wide topics
    load_per_s: float | None  # None: as fast as they are taken
    acks_kafkas: tuple[str, ...] = ("0.11.0.3", "3.9.1-zk", "4.4.0")
    acks_faults: tuple[str, ...] = ()  # none: all of them
    acks_rounds: int = 1
    acks_records: int = 400  # of each load, before a fault and after it
    partitioner_releases: tuple[str, ...] = ("2.3.1", "2.8.2", "3.2.3", "3.9.1", "4.3.1")
    bursts: int = 200
    failover_kafkas: tuple[str, ...] = ("0.10.2.2", "3.9.1-zk", "4.4.0")
    failover_partitions: tuple[int, ...] = (10, 100, 1_000, 3_000, 10_000)


FULL = Effort(
    kafkas=tuple(kafka.name for kafka in ladder_kafkas()),
    rounds=3,
    trials=5,
    records=300_000,
    load_records=10_000_000,
    partitions=(1, 100, 1_000),
    load_per_s=None,
)
# One listener, as the two oldest lines have, and KRaft: enough to see that it still measures.
SHORT = Effort(
    kafkas=("0.10.0.1", "0.10.1.1", "4.1.1"),
    rounds=1,
    trials=1,
    records=20_000,
    load_records=40_000,
    partitions=(1, 20),
    load_per_s=10_000,
    acks_kafkas=("4.1.1",),
    acks_faults=("preferred election",),
    acks_records=50,
    partitioner_releases=("4.1.1",),
    bursts=5,
    failover_kafkas=("4.1.1",),
    failover_partitions=(10,),
)


def on_each(kafkas: Iterable[str], measure: Callable[[Runtime], object]) -> dict[str, object]:
    """Figures by Kafka; one that fails says `{"failed": why}`, and the next one is measured."""
    return {
        name: or_failed(name, partial(lambda each: measure(runtime(find_kafka(each))), name))
        for name in kafkas
    }


def or_failed(what: str, measure: Callable[[], object]) -> object:
    """Figures, or `{"failed": why}` when the world does not cooperate."""
    try:
        return measure()
    except (HighwaterError, OSError) as error:
        print(f"{what} failed: {error}", file=sys.stderr)
        return {"failed": f"{type(error).__name__}: {error}"}
