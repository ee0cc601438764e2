"""What a ground waits for, and what it calls a loss; its cluster is literal."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from highwater.exploration.asking import Asking
from highwater.exploration.ground import BLIND, QUORUM, Ground
from highwater.exploration.logs import ReplicaLog
from highwater.exploration.positions import Positions
from highwater.exploration.transactors import Transactor
from highwater.exploration.views import Log
from highwater.harness.model import PartitionState, TopicPartition
from highwater.harness.partition import Partition
from highwater.harness.play import Play
from highwater.harness.sampling import Look
from highwater.harness.versions.catalogue import find_kafka
from highwater.harness.workloads.requests import Acks, Request

WHERE = TopicPartition("t")
SEEN = Look(PartitionState(1, 0, (1,), (1,)), {})


class Waits:
    """A play of which is known only whether a healing waits for brokers."""

    def __init__(self) -> None:
        self.cluster = SimpleNamespace(kafka=find_kafka("4.4.0"), brokers=(1, 2, 3))
        self.told: list[tuple[str, object]] = []

    def heal(self, *opened: object) -> None:
        self.told += [("waits", each) for each in opened]

    def abandon(self, *opened: object) -> None:
        self.told += [("goes on", each) for each in opened]


def test_nobody_is_waited_for_who_may_not_be_known_while_something_is_at_odds() -> None:
    """A broker that is blind does not find the voter that leads next, and its session ends."""
    play = Waits()
    ground = Ground(cast("Play", play), cast("Partition", None))
    cut, depose, blind = (SimpleNamespace(proof={}) for _ in range(3))
    ground.links.update({("cut", 3): cut, ("depose", QUORUM): depose, (BLIND, 2): blind})

    for name, broker in list(ground.links):
        ground.release(name, broker, deliver=False)

    assert play.told == [("goes on", cut), ("goes on", depose), ("waits", blind)]


class Late:
    """A log that is read, and something is acknowledged right after that."""

    def __init__(self, ground: Ground) -> None:
        self.ground = ground

    def read(self, _directory: object) -> Log:
        acked = SimpleNamespace(acked=(7,), offset=0, is_over=True, acks=Acks.ALL)
        self.ground.plot.requests.append(cast("Request", acked))
        return ()


def test_what_is_acknowledged_while_logs_are_read_is_no_loss() -> None:
    files = SimpleNamespace(log_dir=lambda _broker: Path("none"))
    cluster = SimpleNamespace(kafka=find_kafka("4.4.0"), brokers=(1, 2, 3), files=files)
    partition = SimpleNamespace(look=lambda: SEEN, where=WHERE, replicas=(1,))
    play = SimpleNamespace(cluster=cluster)
    ground = Ground(cast("Play", play), cast("Partition", partition))
    ground.plot.logs = {1: cast("ReplicaLog", Late(ground))}

    seen = ground.view()

    assert not seen.is_beyond_hope
    assert not seen.lacks(1)
    assert ground.view().is_beyond_hope  # of what was acknowledged before


@pytest.mark.parametrize(("has_closed", "told"), [(True, 0), (False, None)])
def test_a_group_is_not_asked_while_the_markers_of_its_producer_may_be_due(
    has_closed: bool, told: int | None
) -> None:
    """What was confirmed at the end of a transaction counts when its marker has come."""
    play = Waits()
    ground = Ground(cast("Play", play), cast("Partition", None))
    producer = SimpleNamespace(name="1", close=lambda _s: 0, has_closed=has_closed, is_stuck=False)
    ground.transactors = {1: cast("Transactor", producer)}
    ground.positions = Positions(cast("Play", play), WHERE)
    group = ground.positions.of(1)
    group.confirmed, group._in_transactions = {1}, True
    group.asking = cast("Asking", SimpleNamespace(coordinator=lambda _ask: 0))

    ground.heal()

    assert group.told == told
