"""From when on a failover is timed, and until when its followers may turn."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.bench import failover
from tests.bench.failover import DEAD, SURVIVORS

from highwater.harness.broker_logs import STAMP_FORMAT
from highwater.harness.errors import InfrastructureError
from highwater.harness.kafka_cluster import KafkaCluster
from highwater.harness.model import TopicPartition

LOOK_S = 0.2
WHERES = [TopicPartition("many-0", number) for number in range(3)]


@dataclass
class Three:
    """Of which one leads all partitions; when it is killed the others lead at once."""

    killed: list[float] = field(default_factory=list)
    leads: tuple[int, ...] = (DEAD,) * 3

    @property
    def nodes(self) -> Any:
        return SimpleNamespace(kill=lambda _broker: self.killed.append(time.time()))

    def probe(self, _broker: int) -> Any:
        return SimpleNamespace(metadata=self._looked)

    def _looked(self, *_topics: str) -> Any:
        threading.Event().wait(LOOK_S)
        leaders = [*SURVIVORS, SURVIVORS[0]] if self.killed else self.leads
        return SimpleNamespace(
            partitions=[
                SimpleNamespace(leader=leader, isr=SURVIVORS, topic="many-0", partition=number)
                for number, leader in enumerate(leaders)
            ]
        )


def test_what_is_asked_before_the_kill_is_no_part_of_the_failover() -> None:
    cluster = Three()

    seen = failover._killed(cast("KafkaCluster", cluster), WHERES)

    (killed,) = cluster.killed
    assert killed - seen.killed < LOOK_S
    assert seen.all_led >= seen.first_led > killed


def test_a_broker_that_does_not_lead_all_is_not_killed() -> None:
    cluster = Three(leads=(DEAD, DEAD, SURVIVORS[0]))

    with pytest.raises(InfrastructureError, match="broker 1 leads 2 of 3 partitions"):
        failover._killed(cast("KafkaCluster", cluster), WHERES)

    assert not cluster.killed


def test_followers_that_turn_while_nobody_is_leaderless_any_more_are_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(failover, "QUIET_S", 3.0)
    log, killed = tmp_path / "server.log", time.time() - 1

    def turn() -> None:
        at = datetime.now(UTC).strftime(STAMP_FORMAT)[:23]
        with log.open("a") as lines:
            lines.write(f"[{at}] INFO Added fetcher for partitions many-0-1\n")

    turn()
    first = log.stat().st_mtime
    later = threading.Timer(1.0, turn)
    later.start()
    files: Any = SimpleNamespace(owners=(2,), server_log=lambda _node: log)

    turned = failover._turned(cast("KafkaCluster", SimpleNamespace(files=files)), killed)

    later.join()
    assert turned - first > 0.5
