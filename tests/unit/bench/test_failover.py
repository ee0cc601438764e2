"""From when on a failover is timed, where to ask who leads takes a while."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

from tests.bench.failover import DEAD, SURVIVORS, _killed

from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.model import TopicPartition

LOOK_S = 0.2
WHERES = [TopicPartition("many-0", number) for number in range(3)]


@dataclass
class Three:
    """Brokers of which each leads a partition; when one is killed the others lead at once."""

    killed: list[float] = field(default_factory=list)

    @property
    def nodes(self) -> Any:
        return SimpleNamespace(kill=lambda _broker: self.killed.append(time.time()))

    def probe(self, _broker: int) -> Any:
        return SimpleNamespace(metadata=self._looked)

    def _looked(self, *_topics: str) -> Any:
        threading.Event().wait(LOOK_S)
        leaders = [SURVIVORS[0] if self.killed else DEAD, *SURVIVORS]
        return SimpleNamespace(
            partitions=[SimpleNamespace(leader=each, isr=SURVIVORS) for each in leaders]
        )


def test_what_is_asked_before_the_kill_is_no_part_of_the_failover() -> None:
    cluster = Three()

    seen = _killed(cast("KafkaCluster", cluster), WHERES)

    (killed,) = cluster.killed
    assert killed - seen.killed < LOOK_S
    assert seen.all_led >= seen.first_led > killed
